"""The plan of reclaim as text: who is over, who is in need, which jobs would go, and why others would not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from htcq.elastic.reclaim.reclaim_plan import Eviction, ReclaimPlan
from htcq.elastic.records import PARTS, WEIGHT
from htcq.report.moments import lasting, moment
from htcq.report.printable import one_line
from htcq.report.terminal import show_table
from htcq.units import show_number

_GROUPS = ("GROUP", "OVER BY", "IN NEED OF", "SINCE")
_VICTIMS = ("GROUP", "JOB", "SCHEDD", "SLOT", "RAN", "HELPS", "LOST WEIGHT-HOURS", "WHY")
_CEILINGS = ("SUBMITTER", "CEILING", "USED", "TAKEN BACK")
#: Reasons that are told, with how many jobs each; all of them are in the JSON.
_MAX_REASONS = 12


def show_reclaim(plan: ReclaimPlan, stream: TextIO) -> None:
    """Write the plan to ``stream``."""
    stream.write(f"{one_line(plan.negotiator) or 'negotiator'}, {moment(plan.taken_at)}\n")
    groups = [*_over(plan), *_needs(plan)]
    if groups:
        show_table("", _GROUPS, groups, stream, repeat=1)
    if plan.victims:
        show_victims("to be vacated", plan, stream)
    if plan.ceilings:
        rows = [
            (
                one_line(each.submitter),
                str(each.ceiling),
                show_number(each.used),
                show_number(each.reclaimed),
            )
            for each in plan.ceilings
        ]
        show_table("ceilings that are set first", _CEILINGS, rows, stream, (1, 2, 3), repeat=1)
    for line in _notes(plan):
        stream.write(f"{line}\n")


def show_victims(title: str, plan: ReclaimPlan, stream: TextIO) -> None:
    """Write which jobs a plan would take back, and what that loses."""
    show_table(title, _VICTIMS, [_victim(each) for each in plan.victims], stream, (4, 6), repeat=1)
    lost = f"lose {plan.lost_weight_hours:.2f} weight-hours"
    stream.write(
        f"{len(plan.victims)} jobs {lost}\n" if len(plan.victims) > 1 else f"1 job would {lost}\n"
    )


def _over(plan: ReclaimPlan) -> Iterator[tuple[str, ...]]:
    for each in plan.over:
        yield (one_line(each.group), _amounts(each.amounts), "", lasting(each.seconds))


def _needs(plan: ReclaimPlan) -> Iterator[tuple[str, ...]]:
    for each in plan.needs:
        yield (one_line(each.group), "", f"{each.jobs} jobs' room", lasting(each.seconds))


def _amounts(amounts: Mapping[str, int]) -> str:
    parts = (
        (name, amount / PARTS if name == WEIGHT else amount) for name, amount in amounts.items()
    )
    return ", ".join(f"{show_number(amount)} {one_line(name)}" for name, amount in parts)


def _victim(victim: Eviction) -> tuple[str, ...]:
    return (
        one_line(victim.group),
        one_line(victim.job),
        one_line(victim.schedd),
        one_line(victim.slot),
        lasting(victim.ran),
        ", ".join(victim.helps),
        f"{victim.lost_weight_hours:.2f}",
        one_line(victim.why),
    )


def _notes(plan: ReclaimPlan) -> Iterator[str]:
    for why, count in _reasons(plan):
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


def _reasons(plan: ReclaimPlan) -> Sequence[tuple[str, int]]:
    return Counter(each.why for each in plan.spared).most_common(_MAX_REASONS)
