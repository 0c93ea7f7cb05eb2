"""What became of a pool's groups as JSON and CSV. The names are a contract: htcq-drift(1) lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from htcq.drift.changes import Change, Spell
from htcq.drift.explanation import Story
from htcq.drift.windows import Point, Window
from htcq.report.formats.csv import Cell, write_table
from htcq.report.ledger_rows import ledger_json
from htcq.report.moments import iso

SCHEMA = 1
COLUMNS = (
    "pool", "group", "since", "until", "coverage", "usage", "max_usage", "requested", "quota", "distance", "bias",
    "starved", "over", "lending",
)  # fmt: skip


def drift_json(stories: Sequence[Story]) -> dict[str, Any]:
    """Return the report as htcq-drift(1) describes it."""
    return {"schema": SCHEMA, "pools": [_story(each) for each in stories]}


def write_csv(stories: Iterable[Story], stream: TextIO) -> None:
    """Write a header and a row for each group."""
    write_table(COLUMNS, _rows(stories), stream)


def _rows(stories: Iterable[Story]) -> Iterator[list[Cell]]:
    for story in stories:
        for window in story.windows:
            row = {"pool": story.pool, **_window(window), "since": iso(window.since), "until": iso(window.until)}
            yield [row[name] for name in COLUMNS]


def _story(story: Story) -> dict[str, Any]:
    return {
        "pool": story.pool,
        "unit": story.unit,
        "since": iso(story.since),
        "until": iso(story.until),
        "last_look": None if story.last is None else iso(story.last),
        "coverage": story.coverage,
        "changes": [_change(each) for each in story.changes],
        "disagreements": [_spell(each) for each in story.spells],
        "doubts": [{"text": each.text, "since": iso(each.since)} for each in story.doubts],
        "groups": [{**_window(each), "series": [_point(point) for point in each.points]} for each in story.windows],
        "ledger": ledger_json(story),
    }


def _change(change: Change) -> dict[str, Any]:
    return {**asdict(change), "time": iso(change.time)}


def _spell(spell: Spell) -> dict[str, Any]:
    return {**asdict(spell), "since": iso(spell.since), "until": None if spell.until is None else iso(spell.until)}


def _window(window: Window) -> dict[str, Any]:
    names = (
        "group", "coverage", "usage", "max_usage", "requested", "quota", "distance", "bias", "starved", "over",
        "lending",
    )  # fmt: skip
    return {name: getattr(window, name) for name in names}


def _point(point: Point) -> dict[str, Any]:
    return {**asdict(point), "since": iso(point.since), "until": iso(point.until)}
