"""Machines have what idle jobs ask for, and the START of all of them refuses these jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.unmatched_jobs import found_by_wall
from htcq.balance.causes import START_REFUSES
from htcq.why.match_failure import START, MatchFailure
from htcq.why.unmatched import Unmatched


def _find(evidence: Evidence) -> Iterator[Found]:
    what = "refused by all machines that are large enough"
    found = list(found_by_wall(evidence, _wall, (f"is {what}", f"are {what}")))
    implied = _stand_for_them(evidence) if found else ()
    for each in found:
        yield replace(each, implies=implied)


def _stand_for_them(evidence: Evidence) -> tuple[str, ...]:
    """Return START_REFUSES where all that stands for it waits for the jobs that are found."""
    if evidence.is_trial:
        return ()
    standing = evidence.balance.of(START_REFUSES)
    refused, waiting = Counter[str](), Counter[str]()
    for each in evidence.unmatched:
        if _wall(each) is not None:
            refused.update(each.idle)
    for job in evidence.pool.jobs or ():
        if job.wanted:
            waiting[job.submitter] += 1
    if standing is None:
        return ()
    whom = [detail for detail, _ in standing.details]
    return (START_REFUSES,) if all(waiting[each] == refused[each] for each in whom) else ()


def _wall(jobs: Unmatched) -> MatchFailure | None:
    return jobs.first if jobs.first.id == START else None


RULE = Rule(
    id="start-refuses-everywhere",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="START of every machine that could run idle jobs refuses them",
    consequence=(
        "The machines are large enough and match the jobs' Requirements, but a clause of START, "
        "or of the slots' other Requirements, refuses the jobs: an owner that is not "
        "listed, an attribute that the jobs should have, a health check. An attribute that is "
        "misspelt or that no job has makes the machine refuse all jobs."
    ),
    advice=(
        "Check the clause: either change START to accept such jobs, or add what it requires to "
        "the jobs."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, "
        "condor_startd.V6/Reqexp.cpp, 25.14"
    ),
    find=_find,
)
