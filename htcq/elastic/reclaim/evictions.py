"""What was chosen, in the words of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.choice import Choice
from htcq.elastic.reclaim.reclaim_plan import Eviction, Exemption, ExpectedStart
from htcq.units import whole_number


def evictions_of(candidates: Sequence[Candidate], choice: Choice) -> Iterator[Eviction]:
    """Yield the jobs that are to be vacated, in the order of ``candidates``."""
    for one in candidates:
        if one in choice.chosen.get(one.place, ()):
            yield _victim(one, choice)


def _victim(one: Candidate, choice: Choice) -> Eviction:
    claim, helps = one.claim, choice.helps[one.key]
    groups = ", ".join(sorted({each.group for each in choice.uses[one.place]}))
    saves = "it saves its work" if claim.checkpoints else f"it loses {one.ran / 3600:.2f} h"
    return Eviction(
        group=claim.group,
        submitter=claim.submitter,
        schedd=claim.schedd,
        job=claim.job,
        slot=claim.slot,
        machine=claim.machine,
        amounts=dict(claim.amounts),
        ran=one.ran,
        started=claim.started or 0.0,
        lost_weight_hours=one.lost_weight_hours,
        helps=helps,
        why=(
            f"{claim.group} is over in {', '.join(helps)}, {groups} waits for {one.place}, and "
            f"{saves}"
        ),
    )


def uses_of(choice: Choice) -> Iterator[ExpectedStart]:
    """Yield the waiting jobs that there would be room for, by place."""
    for place, users in sorted(choice.uses.items()):
        for each in users:
            yield ExpectedStart(
                each.idle.group, each.idle.submitter, each.idle.schedd, each.idle.job, place
            )


def in_order(spared: Exemption) -> tuple[object, ...]:
    """Return what spared jobs are sorted by: group, schedd, number."""
    numbers = tuple(whole_number(part) or 0 for part in spared.job.split("."))
    return (spared.group, spared.schedd, numbers, spared.job)
