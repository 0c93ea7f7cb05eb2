"""The plan of the next step of elastic quotas: the columns of a group; JSON.

htcq-elastic(1) describes the keys. Quotas and usage are in slot weight, times in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from htcq.elastic.gates import GateRefusal
from htcq.elastic.next_quotas import BOUNDS, EXPOSED, FIRST, KEPT, OFFER, WITHHELD
from htcq.elastic.next_step import NextStep
from htcq.elastic.quota_plan import GroupPlan
from htcq.elastic.reclaim.min_back import MinBack
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.health import health_json
from htcq.report.column import Column, signed_number
from htcq.report.formats.json import row_json
from htcq.report.moments import iso, lasting
from htcq.report.views.elastic_back import back_json
from htcq.units import show_number

SCHEMA = 1
_RULES = {
    FIRST: "first elastic quota",
    BOUNDS: "outside of min and max",
    WITHHELD: "waits for more",
    EXPOSED: "could take another's min",
    OFFER: "would have more",
    KEPT: "kept: harms nobody",
}


def _amount(
    name: str, heading: str, read: Callable[[GroupPlan], float | None], wide: bool = False
) -> Column[GroupPlan]:
    return Column(name, read, heading, right=True, wide=wide)


def _change(group: GroupPlan) -> str:
    if not group.change:
        return ""
    return signed_number(group.change)


def _over(group: GroupPlan) -> str:
    if not group.over:
        return ""
    return show_number(group.over)


def _drains(group: GroupPlan) -> str:
    if not group.over:
        return ""
    if group.drains is None:
        return "perhaps never"
    return lasting(group.drains)


def _reasons(group: GroupPlan) -> Iterator[str]:
    if group.rule:
        yield _RULES[group.rule]
    if group.target.headroom:
        yield f"{show_number(group.target.headroom)} of headroom"
    if group.target.binding:
        yield f"{group.target.binding} binds"


#: What becomes of the quota of one group.
GROUPS: tuple[Column[GroupPlan], ...] = (
    Column("group", lambda group: group.group, "GROUP"),
    Column("parent", lambda group: group.target.parent),
    Column("leaf", lambda group: group.target.leaf),
    _amount("before", "NOW", lambda group: group.before),
    _amount("quota", "PLANNED", lambda group: group.written.quota),
    Column("change", lambda group: group.change, "CHANGE", _change, right=True, wide=True),
    _amount("target", "TARGET", lambda group: group.target.quota, wide=True),
    Column("accept_surplus", lambda group: group.written.accept_surplus, "SURPLUS", wide=True),
    _amount("used", "USED", lambda group: group.used, wide=True),
    Column("over", lambda group: group.over, "OVER", _over, right=True),
    Column("drains", lambda group: group.drains, "DRAINS", _drains, right=True),
    Column("runtime", lambda group: group.target.runtime),
    Column("headroom", lambda group: group.target.headroom),
    Column("least", lambda group: group.target.least),
    Column("guaranteed", lambda group: group.target.guaranteed),
    Column("priority", lambda group: group.target.priority),
    Column("most", lambda group: group.target.most),
    Column("hungry", lambda group: group.target.hungry),
    Column("in_need", lambda group: group.target.in_need),
    Column("binding", lambda group: group.target.binding),
    Column("held", lambda group: group.target.held),
    Column("rule", lambda group: group.rule),
    Column("", lambda group: "; ".join(_reasons(group)), "WHY", most=26),
)


def plan_json(
    step: NextStep,
    taken: ReclaimPlan,
    mins: Iterable[MinBack],
    refusals: Iterable[GateRefusal],
    health: Sequence[Ailment] = (),
) -> dict[str, Any]:
    """Return the plan, what a reclaim would take, and why the plan must not be applied now.

    ``mins`` are those that are not all in use.
    """
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
        "groups": [row_json(GROUPS, group) for group in plan.groups],
        "static": {each.group: each.quota for each in step.static.groups},
        "victims": [asdict(each) for each in taken.evictions],
        "lost_weight_hours": taken.lost_weight_hours,
        "unpaid": [asdict(each) for each in taken.unpaid],
        "mins_back": {each.group: back_json(each) for each in mins},
        "ceilings": dict(plan.ceilings),
        "problems": list(plan.problems),
        "refused": [asdict(each) for each in refusals],
    }
