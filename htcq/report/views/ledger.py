"""The ledger of elastic quotas, as text, JSON and CSV: who lent and borrowed how much.

Amounts are hours of each dimension.
htcq-drift(1) lists the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple, TextIO

from htcq.drift.accounts import MAX_PARTS, Account, AccountPart, Hours, part_seconds
from htcq.drift.explanation import DriftExplanation
from htcq.elastic.records import PARTS, WEIGHT
from htcq.quota.elastic.declaration import ROOT
from htcq.report.charts.spark import BLOCKS, MARKS
from htcq.report.column import Column
from htcq.report.formats import csv
from htcq.report.formats.json import row_json
from htcq.report.formats.text import show
from htcq.report.moments import iso, lasting
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import line, show_lines
from htcq.report.views.drift_sentences import about
from htcq.units import DISK, MEMORY, show_amount


class Amounts(NamedTuple):
    """Hours of one dimension."""

    dimension: str
    hours: Hours


class LedgerRow(NamedTuple):
    """One group, or all of them, in one dimension of one pool."""

    story: DriftExplanation
    account: Account

    @property
    def amounts(self) -> Amounts:
        """The hours of the whole time."""
        return Amounts(self.account.dimension, self.account.hours)


def in_units(dimension: str, hours: Fraction) -> float:
    """Return an amount in slot weight instead of its parts, or in HTCondor's unit."""
    if dimension == WEIGHT:
        return float(hours / PARTS)
    return float(hours)


def hours_of(dimension: str, hours: Fraction) -> str:
    """Return hours of a dimension as a table shows them: memory and disk with their unit."""
    if dimension in (MEMORY, DISK):
        return show_amount(dimension, round(float(hours)))
    return about(in_units(dimension, hours))


def _amount(name: str, meaning: str, heading: str = "", wide: bool = False) -> Column[Amounts]:
    return Column(
        name,
        lambda one: in_units(one.dimension, getattr(one.hours, name)),
        heading,
        lambda one: hours_of(one.dimension, getattr(one.hours, name)),
        meaning,
        right=True,
        wide=wide,
    )


AMOUNTS = (
    _amount("min", "What was guaranteed."),
    _amount("runtime", "What the group might use; of all groups, what the pool had."),
    _amount("guarantee", "What was kept for the group.", "GUARANTEE", wide=True),
    _amount("used", "What was used.", "USED"),
    _amount("lent", "What others used of what was guaranteed.", "LENT"),
    _amount("borrowed", "What was used beyond what was guaranteed.", "BORROWED"),
    _amount("unused", "What was guaranteed and used by nobody.", "UNUSED", wide=True),
)
#: The amounts in tables for people.
NUMBERS = tuple(column for column in AMOUNTS if column.heading)
LEDGER_COLUMNS: tuple[Column[LedgerRow], ...] = (
    Column("pool", lambda row: row.story.pool),
    Column("dimension", lambda row: row.account.dimension),
    Column("group", lambda row: row.account.group),
    Column("since", lambda row: iso(row.story.since)),
    Column("until", lambda row: iso(row.story.until)),
    Column("coverage", lambda row: row.account.observed),
    *(column.of(lambda row: row.amounts) for column in AMOUNTS),
)


def write_ledger(stories: Iterable[DriftExplanation], stream: TextIO) -> None:
    """Write a header and a row for each dimension and group, the root among them."""
    csv.write(LEDGER_COLUMNS, _rows(stories), stream)


def _rows(stories: Iterable[DriftExplanation]) -> Iterator[LedgerRow]:
    for story in stories:
        for account in story.ledger:
            yield LedgerRow(story, account)


def ledger_json(story: DriftExplanation) -> list[dict[str, Any]]:
    """Return an object for each dimension, with all groups together and one by one."""
    return [_dimension(root, list(groups)) for root, groups in dimensions(story)]


def dimensions(story: DriftExplanation) -> Iterator[tuple[Account, Iterator[Account]]]:
    """Yield by dimension the account of the root, and those of the groups."""
    for root in story.ledger:
        if root.group == ROOT:
            groups = (
                each
                for each in story.ledger
                if each.dimension == root.dimension and each is not root
            )
            yield root, groups


def _dimension(root: Account, groups: list[Account]) -> dict[str, Any]:
    spare = in_units(root.dimension, root.hours.spare)
    return {
        "dimension": root.dimension,
        "coverage": root.observed,
        "all": _account(root, spare=spare),
        "groups": [{"group": each.group, **_account(each)} for each in groups],
    }


def _account(account: Account, **more: float) -> dict[str, Any]:
    name = account.dimension
    amounts = row_json(AMOUNTS, Amounts(name, account.hours))
    return {**amounts, **more, "series": [_part(name, part) for part in account.parts]}


def _part(dimension: str, part: AccountPart) -> dict[str, Any]:
    amounts = row_json(AMOUNTS, Amounts(dimension, part.hours))
    return {"since": iso(part.since), "until": iso(part.until), **amounts}


def show_ledger(story: DriftExplanation, stream: TextIO, blocks: bool, wide: bool = False) -> None:
    """Write a row for each dimension and group, and the sums; nothing if no ledger was kept.

    ``wide`` asks for all columns on a terminal too.
    """
    if not story.ledger:
        return
    columns: list[Column[LedgerRow]] = [
        Column("", lambda row: row.account.group, "GROUP"),
        Column("", lambda row: row.account.dimension, "OF"),
        Column(
            "",
            lambda row: None,
            "LENT, BORROWED",
            lambda row: f"|{_picture(row.account, story, blocks)}|",
        ),
        *(column.of(lambda row: row.amounts) for column in NUMBERS),
    ]
    rows = [LedgerRow(story, each) for each in story.ledger if each.group != ROOT]
    title = "\nElastic quotas, in hours of each dimension, who lent or borrowed most first"
    show(Table(columns, rows, title, repeat=2), stream, wide)
    show_lines([line(text, "strong") for text in together(story)], stream)
    show_lines([line(_legend(story, blocks), "quiet")], stream)


def together(story: DriftExplanation) -> Iterator[str]:
    """Yield a sentence for each dimension: what all groups have borrowed, and of whom."""
    for root, _ in dimensions(story):
        told = _told(root.dimension, root.hours)
        text = (
            "{borrowed} borrowed = {lent} lent + {spare} guaranteed to nobody; "
            "{unused} of the guarantees unused; {used} of {runtime} used"
        )
        yield one_line(f"{root.dimension}: {text.format(**told)}")


def cells(account: Account) -> tuple[str, ...]:
    """Return what people see of one account under :data:`NUMBERS`."""
    return tuple(column.cell(Amounts(account.dimension, account.hours)) for column in NUMBERS)


def _told(dimension: str, hours: Hours) -> dict[str, str]:
    names = ("borrowed", "lent", "spare", "unused", "used", "runtime")
    return {name: hours_of(dimension, getattr(hours, name)) for name in names}


def _picture(account: Account, story: DriftExplanation, blocks: bool) -> str:
    width = part_seconds(story.since, story.until)
    characters = MARKS
    if blocks:
        characters = BLOCKS
    drawn = [" "] * -(-(story.until - story.since) // width)
    for part in account.parts:
        drawn[(part.since - story.since) // width] = _character(part, characters)
    return "".join(drawn)


def _character(part: AccountPart, characters: str) -> str:
    """Return the character for the lent share of a guarantee; the last if more was borrowed."""
    hours, levels = part.hours, len(characters) - 1
    if hours.borrowed > hours.lent:
        return characters[-1]
    share = Fraction(0)
    if hours.guarantee > 0:
        share = hours.lent / hours.guarantee
    return characters[min(levels - 1, int(share * levels))]


def _legend(story: DriftExplanation, blocks: bool) -> str:
    characters = MARKS
    if blocks:
        characters = BLOCKS
    step = lasting(part_seconds(story.since, story.until, MAX_PARTS))
    nothing, all_, more = characters[0], characters[-2], characters[-1]
    return (
        f"Each character is {step}: {nothing} nothing lent, {all_} all of the guarantee, "
        f"{more} more borrowed than lent, blank where there is nothing."
    )
