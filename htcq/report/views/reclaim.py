"""The plan of reclaim: the columns of groups, jobs and ceilings; JSON.

htcq-elastic(1) describes the keys. Times are in seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from htcq.elastic.reclaim.reclaim_plan import Ceiling, Eviction, ReclaimPlan
from htcq.elastic.records import PARTS, WEIGHT
from htcq.report.column import Column
from htcq.report.moments import iso, lasting
from htcq.report.printable import one_line
from htcq.units import show_number

SCHEMA = 1
#: Keys that are not the names of the plan's fields, by field.
PLAN_KEYS = {"evictions": "victims", "exemptions": "spared"}


class GroupRow(NamedTuple):
    """A group that uses too much or waits for what is its own, and for how many seconds."""

    group: str
    over: str
    need: str
    seconds: float


def _since(row: GroupRow) -> str:
    return lasting(row.seconds)


def _ran(eviction: Eviction) -> str:
    return lasting(eviction.ran)


def _lost(eviction: Eviction) -> str:
    return f"{eviction.lost_weight_hours:.2f}"


GROUPS: tuple[Column[GroupRow], ...] = (
    Column("", lambda row: row.group, "GROUP"),
    Column("", lambda row: row.over, "OVER BY"),
    Column("", lambda row: row.need, "IN NEED OF"),
    Column("", lambda row: row.seconds, "SINCE", _since),
)
EVICTIONS: tuple[Column[Eviction], ...] = (
    Column("", lambda eviction: eviction.group, "GROUP"),
    Column("", lambda eviction: eviction.job, "JOB"),
    Column("", lambda eviction: eviction.schedd, "SCHEDD"),
    Column("", lambda eviction: eviction.slot, "SLOT", wide=True),
    Column("", lambda eviction: eviction.ran, "RAN", _ran, right=True),
    Column("", lambda eviction: eviction.helps, "HELPS"),
    Column(
        "",
        lambda eviction: eviction.lost_weight_hours,
        "LOST WEIGHT-HOURS",
        _lost,
        right=True,
        wide=True,
    ),
    Column("", lambda eviction: eviction.why, "WHY", most=30),
)
CEILINGS: tuple[Column[Ceiling], ...] = (
    Column("", lambda each: each.submitter, "SUBMITTER"),
    Column("", lambda each: each.ceiling, "CEILING", lambda each: str(each.ceiling), right=True),
    Column("", lambda each: each.used, "USED", right=True),
    Column("", lambda each: each.reclaimed, "TAKEN BACK", right=True),
)


def group_rows(plan: ReclaimPlan) -> Iterator[GroupRow]:
    """Yield the groups that use too much, then those in need."""
    for over in plan.over:
        yield GroupRow(over.group, _amounts(over.amounts), "", over.seconds)
    for need in plan.needs:
        yield GroupRow(need.group, "", f"{need.jobs} jobs' room", need.seconds)


def _amounts(amounts: Mapping[str, int]) -> str:
    parts = []
    for name, amount in amounts.items():
        number = float(amount)
        if name == WEIGHT:
            number /= PARTS
        parts.append(f"{show_number(number)} {one_line(name)}")
    return ", ".join(parts)


def reclaim_json(
    plan: ReclaimPlan,
    refused: Iterable[str] = (),
    vacated: Sequence[Eviction] | None = None,
    failed: Sequence[tuple[Eviction, str]] = (),
    told: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the plan, why it must not be carried out, and what was done, if anything was."""
    found = {PLAN_KEYS.get(name, name): value for name, value in asdict(plan).items()}
    found.pop("taken_at")
    found.pop("ending")
    found["measured"] = {action: each.taken for action, each in plan.measured}
    found["withdrawn"] = {
        action: each.withdrawn for action, each in plan.measured if each.withdrawn is not None
    }
    done: dict[str, Any] | None = None
    if vacated is not None:
        done = {
            "vacated": [_named(eviction) for eviction in vacated],
            "failed": [{**_named(eviction), "why": why} for eviction, why in failed],
            "told": list(told),
        }
    return {
        "schema": SCHEMA,
        "taken": iso(plan.taken_at),
        **found,
        "lost_weight_hours": plan.lost_weight_hours,
        "refused": list(refused),
        "done": done,
    }


def _named(eviction: Eviction) -> dict[str, str]:
    return {"schedd": eviction.schedd, "job": eviction.job, "group": eviction.group}
