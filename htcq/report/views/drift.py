"""The groups of a pool over time: the columns of a group, CSV and JSON.

htcq-drift(1) lists the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, TextIO

from htcq.drift.changes import SettingChange, Spell
from htcq.drift.explanation import DriftExplanation
from htcq.drift.windows import Point, Window
from htcq.report.column import NONE, Column
from htcq.report.formats import csv
from htcq.report.formats.json import row_json
from htcq.report.moments import iso, iso_or_none
from htcq.report.views.drift_sentences import about, percent
from htcq.report.views.ledger import ledger_json

SCHEMA = 1


class GroupRow(NamedTuple):
    """One group of one pool."""

    pool: str
    window: Window


def _amount(name: str, meaning: str, heading: str = "", wide: bool = False) -> Column[Window]:
    """Return the column of an amount in the pool's unit."""

    def read(window: Window) -> float | None:
        amount: float | None = getattr(window, name)
        return amount

    return Column(
        name, read, heading, lambda window: about(read(window)), meaning, right=True, wide=wide
    )


def _state(name: str, meaning: str, wide: bool = False) -> Column[Window]:
    """Return the column of the share of time that a group was in a state."""

    def read(window: Window) -> float:
        share: float = getattr(window, name)
        return share

    def show(window: Window) -> str:
        if not window.observed:
            return NONE
        return percent(read(window))

    return Column(name, read, name.upper(), show, meaning, right=True, wide=wide)


GROUP: Column[Window] = Column(
    "group", lambda one: one.group, "GROUP", about="The name of the group."
)
COVERAGE: Column[Window] = Column(
    "coverage", lambda one: one.coverage, "SEEN", lambda one: percent(one.coverage), right=True,
    wide=True,
    about="The share of the time for which the group was observed.",
)  # fmt: skip
#: What a group used, had and did.
AMOUNTS: tuple[Column[Window], ...] = (
    _amount("usage", "The mean usage.", "MEAN"),
    _amount("max_usage", "The highest usage.", "MAX", wide=True),
    _amount("requested", "The mean demand, running jobs included."),
    _amount("quota", "The mean quota; null where none was known.", "QUOTA"),
    _amount(
        "distance",
        "How far usage was from the quota, on average; null where no quota was known.",
        "OFF BY",
    ),
    _amount(
        "bias",
        "The same with its sign: below 0 the group used less; null where no quota was known.",
    ),
    _state("starved", "The share of the time in which the group starved."),
    _state("over", "The share of the time in which the group used more than its quota.", wide=True),
    _state("lending", "The share of the time in which others used what the group left.", wide=True),
)
#: The numbers of a group in tables for people.
NUMBERS = tuple(column for column in (*AMOUNTS, COVERAGE) if column.heading)
COLUMNS: tuple[Column[GroupRow], ...] = (
    Column("pool", lambda row: row.pool),
    GROUP.of(lambda row: row.window),
    Column("since", lambda row: iso(row.window.since)),
    Column("until", lambda row: iso(row.window.until)),
    COVERAGE.of(lambda row: row.window),
    *(column.of(lambda row: row.window) for column in AMOUNTS),
)


def write_csv(stories: Iterable[DriftExplanation], stream: TextIO) -> None:
    """Write a header and a row for each group."""
    csv.write(COLUMNS, _rows(stories), stream)


def _rows(stories: Iterable[DriftExplanation]) -> Iterator[GroupRow]:
    for story in stories:
        for window in story.windows:
            yield GroupRow(story.pool, window)


def numbers(window: Window) -> tuple[str, ...]:
    """Return what people see of one group under :data:`NUMBERS`."""
    return tuple(column.cell(window) for column in NUMBERS)


def drift_json(stories: Sequence[DriftExplanation]) -> dict[str, Any]:
    """Return the report as htcq-drift(1) describes it."""
    return {"schema": SCHEMA, "pools": [_story(each) for each in stories]}


def _story(story: DriftExplanation) -> dict[str, Any]:
    return {
        "pool": story.pool,
        "unit": story.unit,
        "since": iso(story.since),
        "until": iso(story.until),
        "last_look": iso_or_none(story.last),
        "coverage": story.coverage,
        "changes": [_change(each) for each in story.changes],
        "disagreements": [_spell(each) for each in story.spells],
        "doubts": [{"text": each.text, "since": iso(each.since)} for each in story.doubts],
        "groups": [_group(each) for each in story.windows],
        "ledger": ledger_json(story),
    }


def _change(change: SettingChange) -> dict[str, Any]:
    return {**asdict(change), "time": iso(change.time)}


def _spell(spell: Spell) -> dict[str, Any]:
    since, until = iso(spell.since), iso_or_none(spell.until)
    return {**asdict(spell.difference), "since": since, "until": until}


def _group(window: Window) -> dict[str, Any]:
    series = [_point(point) for point in window.points]
    return {**row_json((GROUP, COVERAGE, *AMOUNTS), window), "series": series}


def _point(point: Point) -> dict[str, Any]:
    return {**asdict(point), "since": iso(point.since), "until": iso(point.until)}
