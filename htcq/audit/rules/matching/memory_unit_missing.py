"""Requests of memory of a few MiB: the unit is missing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.job import HELD, IDLE, Job
from htcq.why.holds import forgotten_unit, is_held_for_memory

_MAX_EXAMPLES = 3


def _find(evidence: Evidence) -> Iterator[Found]:
    found: dict[str, list[Job]] = {}
    for job in evidence.pool.jobs or ():
        if job.status in (IDLE, HELD) and forgotten_unit(job) is not None:
            # Those that run with so little, or were never held, may need no more.
            found.setdefault(job.submitter, []).append(job)
    for submitter, jobs in found.items():
        held = [job for job in jobs if is_held_for_memory(job)]
        if held:
            yield _found(evidence, submitter, held)


def _found(evidence: Evidence, submitter: str, held: list[Job]) -> Found:
    names = [evidence.pool.job_name(job) for job in held[:_MAX_EXAMPLES]]
    asked = forgotten_unit(held[0])
    verb = "is" if len(held) == 1 else "are"
    return Found(
        cause=submitter,
        subject=f"job {names[0]}",
        message=(
            f"{counted(len(held), 'job')} of {submitter} such as {names[0]} {verb} on hold for "
            f"memory and requested {asked:g} MiB: request_memory without a unit is MiB"
        ),
        facts=(Fact("RequestMemory", f"{asked:g}"),),
        count=len(held),
        harm=Harm(jobs=len(held)),
        examples=tuple(names),
    )


RULE = Rule(
    id="memory-unit-missing",
    severity=Severity.WARNING,
    needs=(Input.JOBS,),
    summary="Jobs on hold for memory requested a few MiB: a unit was forgotten",
    consequence=(
        "request_memory = 8 asks for 8 MiB. The job starts, uses more, and is put on hold. "
        "A job that is released without a larger request is put on hold again."
    ),
    advice=(
        "Write the unit with the number, as in 8GB. With SUBMIT_REQUEST_MISSING_UNITS on access "
        "points condor_submit warns of a number without a unit, or refuses it."
    ),
    source="src/condor_utils/submit_utils.cpp:SetRequestMem, 25.14",
    find=_find,
)
