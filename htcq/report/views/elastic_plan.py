"""The plan of elastic quotas' next step as JSON; htcq-elastic(1) describes the keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from htcq.elastic.gates import GateRefusal
from htcq.elastic.next_step import NextStep
from htcq.elastic.quota_plan import GroupPlan
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.poolquota.health import Ailment, health_json
from htcq.report.moments import iso

SCHEMA = 1


def plan_json(
    step: NextStep,
    taken: ReclaimPlan,
    refusals: Iterable[GateRefusal],
    health: Sequence[Ailment] = (),
) -> dict[str, Any]:
    """Return the plan with what a reclaim would take, and why it must not be applied now, if it must not."""
    plan = step.plan
    return {
        "schema": SCHEMA,
        "plan": plan.id,
        "inputs": plan.inputs,
        "taken": iso(plan.taken_at),
        "health": health_json(health),
        "negotiator": plan.negotiator,
        "pool_weight": plan.pool_weight,
        "changes": plan.changes,
        "groups": [_group(group) for group in plan.groups],
        "static": {each.group: each.quota for each in step.static.groups},
        "victims": [asdict(each) for each in taken.victims],
        "lost_weight_hours": taken.lost_weight_hours,
        "ceilings": dict(plan.ceilings),
        "problems": list(plan.problems),
        "refused": [asdict(each) for each in refusals],
    }


def _group(plan: GroupPlan) -> dict[str, Any]:
    target = plan.target
    return {
        "group": plan.group,
        "parent": target.parent,
        "leaf": target.leaf,
        "before": plan.before,
        "target": target.quota,
        "quota": plan.written.quota,
        "accept_surplus": plan.written.accept_surplus,
        "headroom": target.headroom,
        "binding": target.binding,
        "damped": plan.damped,
        "used": plan.used,
        "over": plan.over,
        "drains": plan.drains,
        "change": plan.change,
    }
