"""The plan of reclaim as text: who is over or in need, which jobs would go, and why others stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.report.formats.text import show
from htcq.report.moments import moment
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.views.reclaim import CEILINGS, EVICTIONS, GROUPS, group_rows

#: The maximum of reasons that are printed, each with its number of jobs; JSON has all of them.
_MAX_REASONS = 12


def show_reclaim(plan: ReclaimPlan, stream: TextIO, wide: bool = False) -> None:
    """Write the plan to ``stream``; ``wide`` asks for all columns on a terminal too."""
    stream.write(f"{one_line(plan.negotiator) or 'negotiator'}, {moment(plan.taken_at)}\n")
    groups = list(group_rows(plan))
    if groups:
        show(Table(GROUPS, groups), stream)
    if plan.evictions:
        show_evictions("to be vacated", plan, stream, wide)
    if plan.ceilings:
        show(Table(CEILINGS, plan.ceilings, "ceilings that are set first"), stream)
    for line in _notes(plan):
        stream.write(f"{line}\n")


def show_evictions(title: str, plan: ReclaimPlan, stream: TextIO, wide: bool) -> None:
    """Write which jobs a plan would take back, and what is lost with them."""
    show(Table(EVICTIONS, plan.evictions, title), stream, wide)
    jobs = "1 job would"
    if len(plan.evictions) > 1:
        jobs = f"{len(plan.evictions)} jobs"
    stream.write(f"{jobs} lose {plan.lost_weight_hours:.2f} weight-hours\n")


def _notes(plan: ReclaimPlan) -> Iterator[str]:
    for use in plan.unpaid:
        yield one_line(use.sentence)
    reasons = Counter(job.why for job in plan.exemptions)
    for why, count in reasons.most_common(_MAX_REASONS):
        yield f"not taken back: {count} jobs: {one_line(why)}"
    for line in plan.kept:
        yield one_line(line)
    for who in plan.release:
        yield f"the ceiling of {one_line(who)} has done its work and would be taken away"
    for who in plan.renew:
        yield f"the ceiling of {one_line(who)} would be renewed"
    if plan.stopped:
        yield f"STOPPED: {plan.stopped}"
    elif plan.waiting:
        yield f"nothing to take back: {plan.waiting}"
