"""Jobs with concurrency limits start one a cycle on each partitionable slot."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.mix import waiting
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.classads import named
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot_class import EXAMPLES, SlotClass


def _find(evidence: Evidence) -> Iterator[Found]:
    kinds = [kind for kind in evidence.partitionable if not kind.supports_policy]
    slots = sum(kind.count for kind in kinds)
    limited = [
        jobs for jobs in waiting(evidence)
        if any(_has_limits(kind, jobs) and evidence.fits(kind, jobs) for kind in kinds)
    ]  # fmt: skip
    idle = sum(sum(jobs.idle.values()) for jobs in limited)
    if not limited or idle <= slots:
        return
    first = limited[0]
    names = [evidence.pool.job_name(jobs.first) for jobs in limited[:EXAMPLES]]
    yield Found(
        cause="limits",
        subject=f"job {names[0]}",
        message=(
            f"{counted(idle, 'idle job')} such as {names[0]} have concurrency limits, and "
            f"{counted(slots, 'partitionable slot')} can take them: one job starts on each slot in "
            "a cycle, however much is left of it"
        ),
        facts=(Fact("ConcurrencyLimits", first.frame.text("ConcurrencyLimits")),),
        count=idle,
        harm=Harm(jobs=idle),
        examples=tuple(names),
    )


def _has_limits(kind: SlotClass, jobs: Autocluster) -> bool:
    """Return whether ``jobs`` have limits in slots of ``kind``; what is no string is none."""
    if "ConcurrencyLimits" not in jobs.frame:
        return False
    limits = named("ConcurrencyLimits").evaluate(jobs.ad(), kind.ad(kind.total))
    return isinstance(limits, str) and bool(limits.strip())


RULE = Rule(
    id="limits-start-one-a-cycle",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Jobs with concurrency limits start one a cycle on each partitionable slot",
    consequence=(
        "The negotiator matches the whole slot, and the schedd uses what is left of it only for "
        "jobs without concurrency limits. Large machines fill one job a cycle although nothing "
        "else waits."
    ),
    advice=(
        "Shorten NEGOTIATOR_INTERVAL, divide large machines into several slots, or use a "
        "consumption policy, with which one cycle makes many matches on a slot. Limit whole "
        "submitters by groups or ceilings rather than by ConcurrencyLimits."
    ),
    source="src/condor_schedd.V6/schedd.cpp:claimedStartd, 25.14; seen on 25.14.1",
    find=_find,
)
