"""Claims pass from job to job of one submitter for hours, while others wait without any."""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.fix_settings import execute
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.slot import PARTITIONABLE, Slot
from htcq.simulate.course.worklife import Worklife
from htcq.units import show_span

#: Seconds of HTCondor's default; claims that last this many times as long are meant to.
_DEFAULT, _LONG = 1200, 3600


def _find(evidence: Evidence) -> Iterator[Found]:
    worklife = Worklife(evidence.pool)
    held: dict[str, list[Slot]] = {}
    for slot in evidence.slots:
        if slot.claimed and slot.type != PARTITIONABLE and slot.customer:
            held.setdefault(slot.customer, []).append(slot)
    waiting = [each for each in evidence.quotas.submitters if each.idle > 0]
    for each in waiting:
        kept = [slot for slot in held.get(each.name, ()) if worklife.seconds(slot) > _LONG]
        others = [other.name for other in waiting if other.name not in held]
        if kept and others:
            yield _found(evidence, each.name, kept, others, worklife)


def _found(
    evidence: Evidence, name: str, kept: list[Slot], others: list[str], worklife: Worklife
) -> Found:
    lasts = min(worklife.seconds(slot) for slot in kept)
    span = "no end" if math.isinf(lasts) else show_span(lasts)
    return Found(
        cause=name,
        subject=f"submitter {name}",
        message=(
            f"{name} has {counted(len(kept), 'claim')} and more idle jobs; CLAIM_WORKLIFE is "
            f"{span}, so the claims go on with further jobs while {others[0]}, who has none, waits "
            "whatever its priority"
        ),
        facts=(Fact("CLAIM_WORKLIFE", span),),
        count=len(kept),
        examples=tuple(others[:3]),
        settings=execute(evidence, kept, "CLAIM_WORKLIFE", str(_DEFAULT)),
    )


RULE = Rule(
    id="claims-outlast-priorities",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.SUBMITTERS),
    summary="A long CLAIM_WORKLIFE keeps claims from submitters with better priority",
    consequence=(
        "Priorities and quotas decide when a slot is negotiated. A claim that goes on with the "
        "next job of its submitter is not negotiated: a better priority takes effect only when "
        "CLAIM_WORKLIFE is over."
    ),
    advice=(
        "A CLAIM_WORKLIFE near the usual run time of jobs; HTCondor's default is 20 minutes. Or "
        "preemption by priority (NEGOTIATOR_CONSIDER_PREEMPTION, PREEMPTION_REQUIREMENTS)."
    ),
    source="src/condor_startd.V6/Resource.cpp:claimWorklifeExpired, 25.14",
    find=_find,
)
