"""Concurrency limits of idle jobs that are an empty string, in every slot or in some."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.classads import Expr
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import Slot

_NAME = "ConcurrencyLimits"


def _find(evidence: Evidence) -> Iterator[Found]:
    for jobs in evidence.autoclusters:
        limits = jobs.frame.expression(_NAME)
        idle = sum(jobs.idle.values())
        if limits is None or not idle:
            continue
        where = ""
        if jobs.frame.value(_NAME) == "":
            where = "every slot"
        elif not isinstance(jobs.frame.value(_NAME), str):
            slot = _first_empty(evidence, jobs, limits)
            if slot is not None:
                where = f"slots such as {slot.name}"
        if where:
            name = evidence.pool.job_name(jobs.first)
            yield Found(
                cause=f"{_NAME} = {jobs.frame.text(_NAME)}",
                subject=f"job {name}",
                message=(
                    f"{_NAME} of {counted(idle, 'idle job')} are an empty string in {where}: the "
                    "negotiator rejects them there"
                ),
                facts=(Fact(_NAME, jobs.frame.text(_NAME)),),
                examples=(name,),
                count=idle,
                harm=Harm(jobs=idle),
            )


def _first_empty(evidence: Evidence, jobs: Autocluster, limits: Expr) -> Slot | None:
    """Return a slot that suits, in which the limits are an empty string; None: there is none."""
    for kind in evidence.slot_classes:
        if not evidence.fits(kind, jobs):
            continue
        for slot in kind.variants:
            if limits.evaluate(jobs.ad(), slot.ad()) == "":
                return slot
    return None


RULE = Rule(
    id="concurrency-limits-empty",
    severity=Severity.ERROR,
    needs=(Input.JOBS, Input.SLOTS),
    summary="Concurrency limits of idle jobs are an empty string",
    consequence=(
        "The negotiator remembers the last limits that left no room, and rejects equal ones at "
        "once. For each request it begins with an empty string. So a job whose limits are an "
        "empty string is rejected in every slot, with 'no match found'. If an expression is "
        "empty only in some slots, jobs are rejected there until another slot's limits are "
        "exceeded."
    ),
    advice=(
        'Let the limits be undefined where there are none: \'ifThenElse( ... , "licence", '
        "undefined)'. Remove the attribute from jobs without limits."
    ),
    source=("src/condor_negotiator.V6/matchmaker.cpp:rejectForConcurrencyLimits, 23.9 and 25.14"),
    find=_find,
)
