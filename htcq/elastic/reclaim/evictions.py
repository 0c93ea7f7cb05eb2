"""The chosen jobs as records of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.elastic.reclaim.candidates import Candidate, job_numbers
from htcq.elastic.reclaim.choice import EvictionChoice
from htcq.elastic.reclaim.reclaim_plan import Eviction, Exemption, ExpectedStart


def evictions_of(candidates: Sequence[Candidate], choice: EvictionChoice) -> Iterator[Eviction]:
    """Yield the jobs that are to be vacated, in the order of ``candidates``."""
    for one in candidates:
        if one in choice.chosen.get(one.place, ()):
            yield _eviction(one, choice)


def _eviction(one: Candidate, choice: EvictionChoice) -> Eviction:
    claim = one.claim
    helps = choice.helps[one.key]
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
        hours=one.hours,
        helps=helps,
        why=_reason(one, helps, choice),
    )


def _reason(one: Candidate, helps: Sequence[str], choice: EvictionChoice) -> str:
    dimensions = ", ".join(helps)
    groups = ", ".join(sorted({each.group for each in choice.uses[one.place]}))
    loss = f"it loses {one.ran / 3600:.2f} h"
    if one.claim.checkpoints:
        loss = "it saves its work"
    return f"{one.claim.group} is over in {dimensions}, {groups} waits for {one.place}, and {loss}"


def expected_starts(choice: EvictionChoice) -> Iterator[ExpectedStart]:
    """Yield the idle jobs that would run on the freed slots, by place."""
    for place, users in sorted(choice.uses.items()):
        for user in users:
            idle = user.idle
            yield ExpectedStart(idle.group, idle.submitter, idle.schedd, idle.job, place)


def exemption_order(exemption: Exemption) -> tuple[object, ...]:
    """Return what exemptions are sorted by: group, schedd, number of the job."""
    return (exemption.group, exemption.schedd, job_numbers(exemption.job), exemption.job)
