"""The plan of the next step of elastic quotas as text.

It says what changes, who is over, and the id by which a person agrees to the plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.elastic.next_step import NextStep
from htcq.elastic.quota_plan import GroupPlan, QuotaPlan, differences
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.report.formats.text import show
from htcq.report.moments import moment
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.views.elastic_plan import GROUPS
from htcq.report.views.reclaim_text import show_evictions
from htcq.units import show_number


def show_plan(step: NextStep, taken: ReclaimPlan, stream: TextIO, wide: bool = False) -> None:
    """Write every group that changes or would be over, and what a reclaim would take.

    ``wide`` asks for all columns on a terminal too.
    """
    plan = step.plan
    name = one_line(plan.negotiator) or "negotiator"
    weight = f"{show_number(plan.pool_weight)} of slot weight"
    stream.write(f"{name}: {weight}, {moment(plan.taken_at)}\n")
    rows = _concerned(plan)
    if rows:
        show(Table(GROUPS, rows), stream, wide)
    if taken.evictions:
        show_evictions("a reclaim would take", taken, stream, wide)
    for line in _notes(plan):
        stream.write(f"{line}\n")
    if plan.changes:
        stream.write(f"plan: {plan.id}\n")
    else:
        stream.write(f"nothing to write (plan: {plan.id})\n")


def _concerned(plan: QuotaPlan) -> list[GroupPlan]:
    changing = {group.group for group in differences(plan)}
    return [group for group in plan.groups if group.group in changing or group.over or group.rule]


def _notes(plan: QuotaPlan) -> Iterator[str]:
    if plan.over:
        names = ", ".join(one_line(group.group) for group in plan.over)
        yield f"over, and kept until their claims end: {names}"
    for name, ceiling in plan.ceilings.items():
        yield f"{one_line(name)} has a ceiling of {show_number(ceiling)}, which is left alone"
    for problem in plan.problems:
        yield f"note: {one_line(problem)}"
