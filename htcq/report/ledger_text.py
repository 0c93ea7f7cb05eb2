"""The ledger of elastic quotas for people at a terminal: who lent and borrowed how much, and when."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TextIO

from htcq.drift.accounts import MAX_PARTS, Account, Hours, Part, part_seconds
from htcq.drift.explanation import Story
from htcq.elastic.records import PARTS, WEIGHT
from htcq.quota.elastic.groups import ROOT
from htcq.report.change_words import about
from htcq.report.charts.spark import BLOCKS, MARKS
from htcq.report.ledger_rows import dimensions
from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.report.terminal import Line, show_lines, show_table
from htcq.units import DISK, MEMORY, show_amount

#: What a table's cells are called, beside group, dimension and picture.
COLUMNS = ("guarantee", "used", "lent", "borrowed", "unused")


def show_ledger(story: Story, stream: TextIO, blocks: bool) -> None:
    """Write a row for each dimension and group, and what all together come to; nothing where no ledger was kept."""
    if not story.ledger:
        return
    heads = ("GROUP", "OF", "LENT, BORROWED", *(column.upper() for column in COLUMNS))
    rows = [
        (one_line(each.group), one_line(each.dimension), f"|{_picture(each, story, blocks)}|", *cells(each))
        for each in story.ledger
        if each.group != ROOT
    ]
    title = "\nElastic quotas, in hours of each dimension, who lent or borrowed most first"
    show_table(title, heads, rows, stream, range(3, len(heads)), repeat=2)
    show_lines([Line(((text, "strong"),)) for text in together(story)], stream)
    show_lines([Line(((_legend(story, blocks), "quiet"),))], stream)


def together(story: Story) -> Iterator[str]:
    """Yield a sentence for each dimension: what all groups have borrowed, and of whom."""
    for root, _ in dimensions(story):
        told = _told(root.dimension, root.hours)
        yield one_line(
            f"{root.dimension}: {told['borrowed']} borrowed = {told['lent']} lent + {told['spare']} guaranteed to "
            f"nobody; {told['unused']} of the guarantees unused; {told['used']} of {told['runtime']} used"
        )


def cells(account: Account) -> tuple[str, ...]:
    """Return the numbers of one account as texts, in the order of :data:`COLUMNS`."""
    return tuple(hours_of(account.dimension, getattr(account.hours, name)) for name in COLUMNS)


def hours_of(dimension: str, hours: Fraction) -> str:
    """Return hours of a dimension as a table shows them: memory and disk with their unit."""
    if dimension in (MEMORY, DISK):
        return show_amount(dimension, round(float(hours)))
    return about(float(hours / PARTS if dimension == WEIGHT else hours))


def _told(dimension: str, hours: Hours) -> dict[str, str]:
    names = ("borrowed", "lent", "spare", "unused", "used", "runtime")
    return {name: hours_of(dimension, getattr(hours, name)) for name in names}


def _picture(account: Account, story: Story, blocks: bool) -> str:
    width = part_seconds(story.since, story.until)
    characters = [" "] * -(-(story.until - story.since) // width)
    for part in account.parts:
        characters[(part.since - story.since) // width] = _character(part, BLOCKS if blocks else MARKS)
    return "".join(characters)


def _character(part: Part, characters: str) -> str:
    """Return the last character for who borrowed more than it lent, else one for the part of its guarantee lent."""
    hours, levels = part.hours, len(characters) - 1
    if hours.borrowed > hours.lent:
        return characters[-1]
    share = hours.lent / hours.guarantee if hours.guarantee > 0 else Fraction(0)
    return characters[min(levels - 1, int(share * levels))]


def _legend(story: Story, blocks: bool) -> str:
    characters = BLOCKS if blocks else MARKS
    step = lasting(part_seconds(story.since, story.until, MAX_PARTS))
    return (
        f"Each character is {step}: {characters[0]} nothing lent, {characters[-2]} all of the guarantee, "
        f"{characters[-1]} more borrowed than lent, blank where there is nothing."
    )
