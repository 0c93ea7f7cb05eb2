"""The plan of elastic quotas' next step as text: what changes, who is over, and the id by which to agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.elastic.damping import HELD, MOVING, SMALL
from htcq.elastic.next_step import NextStep
from htcq.elastic.quota_plan import GroupPlan, QuotaPlan, differences
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.report.moments import lasting, moment
from htcq.report.printable import one_line
from htcq.report.terminal import show_table
from htcq.report.views.reclaim_text import show_victims
from htcq.units import show_number

_WHY = {SMALL: "too small a change", HELD: "changed a moment ago", MOVING: "in steps"}
_COLUMNS = (
    "GROUP",
    "NOW",
    "PLANNED",
    "CHANGE",
    "TARGET",
    "SURPLUS",
    "USED",
    "OVER",
    "DRAINS",
    "WHY",
)
_RIGHT = (1, 2, 3, 4, 6, 7, 8)
_NONE = "-"


def show_plan(step: NextStep, taken: ReclaimPlan, stream: TextIO) -> None:
    """Write the plan to ``stream``: every group that changes, or that would be over, and what a reclaim would take."""
    plan = step.plan
    stream.write(
        f"{one_line(plan.negotiator) or 'negotiator'}: {show_number(plan.pool_weight)} of slot "
        "weight, "
        f"{moment(plan.taken_at)}\n"
    )
    changing = {group.group for group in differences(plan)}
    rows = [
        _row(group)
        for group in plan.groups
        if group.group in changing or group.over or group.damped
    ]
    if rows:
        show_table("", _COLUMNS, rows, stream, _RIGHT, repeat=1)
    if taken.victims:
        show_victims("a reclaim would take", taken, stream)
    for line in _notes(plan):
        stream.write(f"{line}\n")
    stream.write(f"plan: {plan.id}\n" if plan.changes else f"nothing to write (plan: {plan.id})\n")


def _row(group: GroupPlan) -> tuple[str, ...]:
    change = group.change
    return (
        one_line(group.group),
        _NONE if group.before is None else show_number(group.before),
        show_number(group.written.quota),
        f"+{show_number(change)}" if change > 0 else show_number(change) if change else "",
        show_number(group.target.quota),
        "yes" if group.written.accept_surplus else "no",
        show_number(group.used),
        show_number(group.over) if group.over else "",
        _drains(group),
        "; ".join(_reasons(group)),
    )


def _drains(group: GroupPlan) -> str:
    if not group.over:
        return ""
    return "perhaps never" if group.drains is None else lasting(group.drains)


def _reasons(group: GroupPlan) -> Iterator[str]:
    if group.damped:
        yield _WHY[group.damped]
    if group.target.headroom:
        yield f"{show_number(group.target.headroom)} of headroom"
    if group.target.binding:
        yield f"{group.target.binding} binds"


def _notes(plan: QuotaPlan) -> Iterator[str]:
    if plan.over:
        names = ", ".join(one_line(group.group) for group in plan.over)
        yield f"over, and kept until their claims end: {names}"
    for name, ceiling in plan.ceilings.items():
        yield f"{one_line(name)} has a ceiling of {show_number(ceiling)}, which is left alone"
    for problem in plan.problems:
        yield f"note: {one_line(problem)}"
