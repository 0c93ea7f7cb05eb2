"""The plan of the next step of elastic quotas as text.

It says what changes, who is over, and the id by which a person agrees to the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.elastic.next_step import NextStep
from htcq.elastic.quota_plan import GroupPlan, QuotaPlan, differences
from htcq.elastic.quota_target import MAX, TURNS, UNLENT
from htcq.elastic.reclaim.min_back import MinBack
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.report.formats.text import show
from htcq.report.moments import moment
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.views.elastic_back import slowest_sentence
from htcq.report.views.elastic_plan import GROUPS
from htcq.report.views.reclaim_text import show_evictions
from htcq.units import show_number

_WHY_HELD = {
    MAX: "what is free could take them beyond their max",
    UNLENT: "a group beside them does not lend what is left of its min",
    TURNS: "each has its min before one has more, while another group uses more than its part",
}


def show_plan(
    step: NextStep,
    taken: ReclaimPlan,
    mins: Sequence[MinBack],
    stream: TextIO,
    wide: bool = False,
) -> None:
    """Write every group that changes or would be over, and what a reclaim would take.

    ``mins`` are those that are not all in use; ``wide`` asks for all columns on a terminal too.
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
    unpaid = (one_line(use.sentence) for use in taken.unpaid)
    for line in filter(None, (*_notes(plan), *unpaid, slowest_sentence(mins))):
        stream.write(f"{line}\n")
    if plan.changes:
        stream.write(f"plan: {plan.id}\n")
    else:
        stream.write(f"nothing to write (plan: {plan.id})\n")


def _concerned(plan: QuotaPlan) -> list[GroupPlan]:
    changing = {group.group for group in differences(plan)}
    return [
        group
        for group in plan.groups
        if group.group in changing or group.over or group.rule or group.target.held
    ]


def _shortage(plan: QuotaPlan) -> str:
    """Return which groups have a part of their mins only; empty where none has."""
    short = [
        f"{one_line(group.group)} {show_number(group.target.least)} of "
        f"{show_number(group.target.guaranteed)} (priority {group.target.priority})"
        for group in plan.groups
        if group.target.least < group.target.guaranteed
    ]
    if not short:
        return ""
    return f"the mins exceed what there is, and higher priorities come first: {', '.join(short)}"


def _notes(plan: QuotaPlan) -> Iterator[str]:
    if plan.over:
        names = ", ".join(one_line(group.group) for group in plan.over)
        yield f"over, and kept until their claims end: {names}"
    for reason, why in _WHY_HELD.items():
        names = ", ".join(
            one_line(group.group) for group in plan.groups if group.target.held == reason
        )
        if names:
            yield f"no surplus for {names}: {why}"
    yield _shortage(plan)
    for group in plan.groups:
        beyond = plan.beyond_max(group)
        if beyond > 0:
            yield (
                f"{one_line(group.group)} accepts surplus until it has its max of "
                f"{show_number(group.target.most or 0.0)}: it can exceed it by up to "
                f"{show_number(beyond)} in one cycle"
            )
    if plan.static_serves:
        yield (
            "static quotas serve this pool as well: no max is below the pool, and every group has "
            "a min that it lends"
        )
    for name, ceiling in plan.ceilings.items():
        yield f"{one_line(name)} has a ceiling of {show_number(ceiling)}, which is left alone"
    for problem in plan.problems:
        yield f"note: {one_line(problem)}"
