"""The groups of a pool over time, for people: what changed, what disagrees, how groups fared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import NamedTuple, TextIO

from htcq.drift.explanation import DriftExplanation
from htcq.drift.windows import Window
from htcq.report.charts.spark import BLOCKS, MARKS, shows_blocks, spark
from htcq.report.column import Column
from htcq.report.formats.text import show
from htcq.report.moments import lasting, moment, zone_name
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.drift import GROUP, NUMBERS
from htcq.report.views.drift_sentences import change_told, percent, subject, told
from htcq.report.views.ledger import show_ledger

_SPARK = 24
#: Names up to so many characters stand in a column.
_SUBJECT = 32
_EMPTY = Line()


class Entry(NamedTuple):
    """One thing that happened or is so: when, to what, and what."""

    when: float
    subject: str
    text: str


def show_story(
    story: DriftExplanation, stream: TextIO, zone: tzinfo | None = None, wide: bool = False
) -> None:
    """Write the story of one pool; times are in ``zone``, that of this machine if it is None.

    ``wide`` asks for all columns on a terminal too.
    """
    show_lines(_lines(story, zone), stream)
    if not story.windows:
        return
    blocks = shows_blocks(getattr(stream, "encoding", None))
    columns = [GROUP, _picture(blocks), *NUMBERS]
    show(Table(columns, story.windows, "Groups, the one with most trouble first"), stream, wide)
    show_lines([line(legend(story, blocks, _SPARK), "quiet")], stream)
    show_ledger(story, stream, blocks, wide)


def headline(story: DriftExplanation, zone: tzinfo | None = None) -> str:
    """Return which pool this is about and which time, in one line."""
    since, until = moment(story.since, zone), moment(story.until, zone)
    name = one_line(story.pool)
    return (
        f"{name}, {since} to {until} {zone_name(story.until, zone)}, {percent(story.coverage)} "
        "of it observed"
    )


def happened(story: DriftExplanation, zone: tzinfo | None = None) -> list[Entry]:
    """Return what changed, with the disagreements that are over, in the order of time."""
    found = [Entry(each.time, subject(each), change_told(each)) for each in story.changes]
    for spell in story.spells:
        if spell.until is not None:
            text = f"{told(spell.difference)}, until {moment(spell.until, zone)}"
            found.append(Entry(spell.since, one_line(spell.difference.group), text))
    return sorted(found, key=lambda each: each.when)


def standing(story: DriftExplanation) -> list[Entry]:
    """Return what still disagreed at the last look and since when, the newest first."""
    spells = sorted(story.ongoing, key=lambda spell: -spell.since)
    return [
        Entry(spell.since, one_line(spell.difference.group), told(spell.difference))
        for spell in spells
    ]


def legend(story: DriftExplanation, blocks: bool, width: int) -> str:
    """Return what the characters of the pictures stand for."""
    characters = MARKS
    if blocks:
        characters = BLOCKS
    whole, more = characters[-2], characters[-1]
    step = lasting((story.until - story.since) / width)
    return (
        f"Each character is {step}: {whole} the whole quota, {more} more than that, blank where "
        "nobody looked."
    )


def _lines(story: DriftExplanation, zone: tzinfo | None) -> Iterator[Line]:
    yield line(headline(story, zone), "strong")
    yield _EMPTY
    yield from _entries("What changed", happened(story, zone), zone)
    yield from _entries("What disagrees now", standing(story), zone, "since ")
    for doubt in story.doubts:
        yield Line((("in doubt", "warning"), (f": {one_line(doubt.text)}", "")))
    if story.doubts:
        yield _EMPTY


def _entries(
    title: str, entries: Sequence[Entry], zone: tzinfo | None, before: str = ""
) -> Iterator[Line]:
    if not entries:
        title = f"{title}: nothing"
    yield line(title, "strong")
    width = min(_SUBJECT, max((len(each.subject) for each in entries), default=0))
    for each in entries:
        when = f"{before}{moment(each.when, zone)}"
        subject_ = f"{each.subject:{width}}"
        pieces = ((when, "quiet"), ("  ", ""), (subject_, "strong"), (f"  {each.text}", ""))
        yield Line(pieces, 2)
    yield _EMPTY


def _picture(blocks: bool) -> Column[Window]:
    """Return the column that shows how full the quota was."""

    def drawn(window: Window) -> str:
        return f"|{spark(window.points, window.since, window.until, _SPARK, blocks)}|"

    return Column("", lambda window: None, "USAGE OF QUOTA", drawn)
