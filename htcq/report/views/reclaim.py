"""The plan of reclaim as JSON; htcq-elastic(1) describes the keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from htcq.elastic.reclaim.reclaim_plan import Eviction, ReclaimPlan
from htcq.report.moments import iso

SCHEMA = 1


def reclaim_json(
    plan: ReclaimPlan,
    refused: Iterable[str] = (),
    vacated: Sequence[Eviction] | None = None,
    failed: Sequence[tuple[Eviction, str]] = (),
    told: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the plan; with why it must not be acted on, if it must not, and what was done, if anything was."""
    found = asdict(plan)
    found.pop("taken_at")
    found["measured"] = dict(plan.measured)
    done = None if vacated is None else {
        "vacated": [_named(victim) for victim in vacated],
        "failed": [{**_named(victim), "why": why} for victim, why in failed],
        "told": list(told),
    }  # fmt: skip
    return {
        "schema": SCHEMA,
        "taken": iso(plan.taken_at),
        **found,
        "lost_weight_hours": plan.lost_weight_hours,
        "refused": list(refused),
        "done": done,
    }


def _named(victim: Eviction) -> dict[str, str]:
    return {"schedd": victim.schedd, "job": victim.job, "group": victim.group}
