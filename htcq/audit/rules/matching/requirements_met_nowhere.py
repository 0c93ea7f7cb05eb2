"""The Requirements of idle jobs hold on no slot of the pool."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.audit.unmatched_jobs import found_by_wall
from htcq.pool.job import IDLE, Job
from htcq.why.local_universe import LOCAL, SCHEDULER, local_walls
from htcq.why.match_failure import (
    DEDICATED_SCHEDULER,
    REQUIREMENTS,
    MatchFailure,
)
from htcq.why.unmatched import Unmatched


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_by_wall(
        evidence, _wall, ("requires what no slot has", "require what no slot has")
    )
    yield from _met_by_no_schedd(evidence)


def _wall(jobs: Unmatched) -> MatchFailure | None:
    first = jobs.first
    return first if first.id in (REQUIREMENTS, DEDICATED_SCHEDULER) else None


def _met_by_no_schedd(evidence: Evidence) -> Iterator[Found]:
    """Yield the jobs that a schedd starts itself, whose Requirements do not hold on its ad."""
    found: dict[tuple[str, int], list[Job]] = {}
    for job in evidence.pool.jobs or ():
        if job.status == IDLE and job.universe in (SCHEDULER, LOCAL):
            found.setdefault((job.access_point, id(job.frame)), []).append(job)
    for (access_point, _), jobs in found.items():
        for wall in local_walls(evidence.pool, jobs[0], access_point):
            if wall.id == REQUIREMENTS:
                yield _of_schedd(evidence, wall, jobs, access_point)


def _of_schedd(evidence: Evidence, wall: MatchFailure, jobs: list[Job], access_point: str) -> Found:
    number, first = len(jobs), evidence.pool.job_name(jobs[0])
    clause = str(wall.amounts["clause"])
    name = f" {access_point}" if access_point else ""
    return Found(
        cause=f"{access_point}: {clause}",
        subject=f"job {first}",
        message=(
            f"{counted(number, 'idle job')} such as {first} "
            f"{'is' if number == 1 else 'are'} for the schedd{name} itself: {wall.text}"
        ),
        facts=(Fact("Requirements", clause),),
        advice=f"{wall.lifted_by}.",
        count=number,
        harm=Harm(jobs=number),
        examples=(first,),
    )


RULE = Rule(
    id="requirements-met-nowhere",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="The Requirements of idle jobs are true on no slot, or not on their schedd",
    consequence=(
        "A clause names an operating system, a site or an attribute that no slot has, or two "
        "clauses exclude each other. A schedd compares jobs of the scheduler and local universe "
        "with its own ad, which has no Arch, Memory or Cpus. The jobs stay idle until somebody "
        "changes them; HTCondor reports this only in condor_q -better-analyze."
    ),
    advice=(
        "Inform the owner, who can correct the clause with condor_qedit; or add to the slots "
        "what the jobs require (STARTD_ATTRS)."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, 25.14",
    find=_find,
)
