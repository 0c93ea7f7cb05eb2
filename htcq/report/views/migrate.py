"""A migration: the columns of a group and of a submitter, the CSV and the JSON.

htcq-migrate(1) lists the names, which are a contract.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TextIO, TypeVar

from htcq.elastic.migration import ElasticMove
from htcq.report.column import NONE, Column
from htcq.report.formats import csv
from htcq.report.formats.json import finite
from htcq.report.printable import one_line
from htcq.report.views.migrate_sentences import (
    amount,
    ceiling_commands,
    priority_commands,
    priority_sentence,
    verdict,
)
from htcq.report.views.migrate_steps import Step
from htcq.simulate.migration.records import Amount, GroupMove, Migration, SubmitterMove
from htcq.units import show_number

SCHEMA = 1
_Row = TypeVar("_Row", GroupMove, SubmitterMove)
#: A column before the switch, and the one after it.
_Pair = tuple[Column[_Row], Column[_Row]]


def _indented(group: GroupMove) -> str:
    return f"{'  ' * max(0, group.depth - 1)}{one_line(group.name)}"


def _kind(group: GroupMove) -> str:
    if group.config_quota is None:
        return "none"
    if group.static:
        return "static"
    return "dynamic"


def _plain(_: object, number: float) -> str:
    return show_number(number)


def _configured(group: GroupMove, quota: float) -> str:
    """Return a configured quota: an amount, or a share of what the parent has to hand on."""
    if group.static:
        return show_number(quota)
    return f"{show_number(100 * quota)} %"


def _percentage(_: object, share: float) -> str:
    return f"{share:.1%}"


def _two_decimals(_: object, number: float) -> str:
    return f"{number:.2f}"


def _number(
    name: str,
    read: Callable[[_Row], float | None],
    heading: str = "",
    show: Callable[[_Row, float], str] = _plain,
    wide: bool = False,
) -> Column[_Row]:
    """Return the column of a number, which CSV has as it can be typed."""

    def figure(row: _Row) -> str | None:
        number = read(row)
        if number is None:
            return None
        return csv.Figure(amount(number))

    def cell(row: _Row) -> str:
        number = read(row)
        if number is None:
            return NONE
        return show(row, number)

    return Column(name, figure, heading, cell, right=True, wide=wide)


def _now_and_new(
    name: str,
    read: Callable[[_Row], Amount | None],
    heading: str = "",
    show: Callable[[_Row, float], str] = _plain,
    wide: bool = False,
) -> _Pair[_Row]:
    """Return the columns of an amount before and after the switch."""

    def before(row: _Row) -> float | None:
        found = read(row)
        if found is None:
            return None
        return found.before

    def after(row: _Row) -> float | None:
        found = read(row)
        if found is None:
            return None
        return found.after

    now, new = (f"{heading}\nNOW", f"{heading}\nNEW") if heading else ("", "")
    return (
        _number(f"{name}_before", before, now, show, wide),
        _number(f"{name}_after", after, new, show, wide),
    )


GROUPS: tuple[Column[GroupMove], ...] = (
    Column("group", lambda group: group.name, "GROUP", _indented),
    Column("parent", lambda group: group.parent),
    Column("depth", lambda group: group.depth),
    Column("kind", _kind),
    *_now_and_new("quota", lambda group: group.config_quota, "QUOTA", _configured),
    *_now_and_new("effective", lambda group: group.quota),
    _number("share_before", lambda group: group.share.before, "SHARE", _percentage, wide=True),
    _number("share_after", lambda group: group.share.after),
    *_now_and_new("usage", lambda group: group.usage, "USED", wide=True),
    *_now_and_new("running", lambda group: group.running),
    *_now_and_new("idle", lambda group: group.idle, "IDLE", wide=True),
    Column("idle_jobs", lambda group: group.idle_jobs),
    _number("cheapest_match", lambda group: group.cheapest, "CHEAPEST\nMATCH", wide=True),
    _number("allocated", lambda group: group.allocated),
    _number("limit", lambda group: group.limit),
    _number("over", lambda group: group.over),
    Column("starves", lambda group: group.starves),
    Column("starves_later", lambda group: group.starves_later),
    Column("", verdict, "AFTER THE SWITCH"),
)
_USAGE: _Pair[SubmitterMove] = _now_and_new("usage", lambda each: each.usage, "USED")
_CEILING: _Pair[SubmitterMove] = _now_and_new(
    "ceiling", lambda each: each.ceiling, "CEILING", wide=True
)
_FLOOR: _Pair[SubmitterMove] = _now_and_new("floor", lambda each: each.floor, "FLOOR", wide=True)
_PRIORITY: _Pair[SubmitterMove] = _now_and_new(
    "priority", lambda each: each.priority, "PRIORITY", _two_decimals, wide=True
)
SUBMITTERS: tuple[Column[SubmitterMove], ...] = (
    Column("submitter", lambda each: each.name, "SUBMITTER"),
    *_USAGE,
    *_CEILING,
    *_FLOOR,
    *_PRIORITY,
    Column("", priority_sentence, "STORED PRIORITY"),
)


def write_csv(found: Migration, stream: TextIO) -> None:
    """Write a row for each group, depth first."""
    csv.write(GROUPS, found.groups, stream)


def migration_json(
    found: Migration, elastic: Sequence[ElasticMove], todo: Sequence[Step]
) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    printed: dict[str, Any] = finite(
        {
            "schema": SCHEMA,
            **asdict(found),
            "factor": found.factor,
            "groups": [_group(group) for group in found.groups],
            "submitters": [_submitter(each) for each in found.submitters],
            "elastic": [asdict(move) for move in elastic],
            "ceiling_commands": list(ceiling_commands(found)),
            "priority_commands": list(priority_commands(found)),
            "steps": [asdict(step) for step in todo],
        }
    )
    return printed


def _group(group: GroupMove) -> dict[str, Any]:
    return {**asdict(group), "over": group.over, "verdict": verdict(group)}


def _submitter(each: SubmitterMove) -> dict[str, Any]:
    return {**asdict(each), "too_good": each.too_good}
