"""Idle jobs that weigh nothing to their schedd.

Their group requests nothing, and is given nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.access_points import AccessPoint, access_points, demand_counts
from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.audit.sound_weights import sound_weights
from htcq.classads import Ad
from htcq.pool.autocluster import Autocluster
from htcq.pool.record import Record
from htcq.why.match_failure import NO_DEMAND


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    for need in (Input.SUBMITTERS, Input.ACCESS):
        if evidence.lacks(need):
            yield Unchecked(evidence.words(need))
    if not demand_counts(evidence):
        return
    points = {point.name: point for point in access_points(evidence)}
    starving: set[str] = set()
    for record in evidence.pool.submitters:
        schedd = record.text("ScheddName")
        point = points.get(schedd)
        if not _weighs_nothing(record):
            continue
        if point is None or not _will_weigh(evidence, point, record.name):
            starving.add(schedd)
            yield _advertised(evidence, record, point)
    for point in points.values():
        if point.name not in starving:
            yield from _would_weigh_nothing(evidence, point)


def _weighs_nothing(record: Record) -> bool:
    weight = record.number("WeightedIdleJobs")
    return (record.number("IdleJobs") or 0) > 0 and weight is not None and weight <= 0


def _will_weigh(evidence: Evidence, point: AccessPoint, submitter: str) -> bool:
    """Return whether it only looks so: a schedd counts jobs some seconds before it weighs them."""
    return any(point.weight.idle(jobs.ad(), 1) >= 1 for jobs in evidence.waiting.get(submitter, ()))


def _advertised(evidence: Evidence, record: Record, point: AccessPoint | None) -> Found:
    idle, weight = record.number("IdleJobs") or 0, record.number("WeightedIdleJobs") or 0
    schedd = record.text("ScheddName")
    facts = [Fact("IdleJobs", f"{idle:g}"), Fact("WeightedIdleJobs", f"{weight:g}")]
    if point is not None:
        facts.append(point.fact(point.weight.decides))
    return Found(
        cause=f"schedd {schedd}",
        subject=f"submitter {record.name}",
        message=(
            f"submitter {record.name} has {counted(int(idle), 'idle job')} with a total weight of "
            f"{weight:g} in schedd {schedd}: without demand, a group gets nothing"
        ),
        facts=tuple(facts),
        examples=(record.name,),
        settings=sound_weights(evidence),
        implies=(NO_DEMAND,),
    )


def _would_weigh_nothing(evidence: Evidence, point: AccessPoint) -> Iterator[Found]:
    for what, job in _jobs_at(evidence, point):
        weight = point.weight.of(job)
        if int(weight) < 1:
            yield Found(
                cause=f"{point.weight.decides} = {point.weight.expression}",
                subject=f"access point {point.name}",
                message=(
                    f"schedd {point.name} computes a weight of {weight:g} for {what}, which is "
                    f"truncated to {int(weight)}: without demand, a group gets nothing"
                ),
                facts=(
                    point.fact(point.weight.decides),
                    *(
                        Fact(name, str(job.value(name)))
                        for name in ("RequestCpus", "RequestMemory", "RequestDisk")
                    ),
                ),
                examples=(point.name,),
                settings=sound_weights(evidence),
            )
            return


def _jobs_at(evidence: Evidence, point: AccessPoint) -> Iterator[tuple[str, Ad]]:
    """Yield the idle jobs of the submitters there.

    Where none is known, yield a job as HTCondor makes it.
    """
    waiting: dict[int, Autocluster] = {}
    for record in evidence.pool.submitters:
        if record.text("ScheddName") == point.name:
            for jobs in evidence.waiting.get(record.name, ()):
                waiting[id(jobs)] = jobs
    for jobs in waiting.values():
        yield f"a job such as {jobs.name}", jobs.ad()
    if not waiting:
        yield "a job without requests", point.ordinary_job()


RULE = Rule(
    id="demand-truncated-to-zero",
    severity=Severity.ERROR,
    needs=(),
    summary="The schedd's weight of idle jobs is below 1, so that their group has no demand",
    consequence=(
        "The schedd truncates the weight of every job to a whole number before it adds them up. "
        "If the sum of a group's jobs is 0, the negotiator skips the group with 'zero slots "
        "allocated', and its jobs wait forever."
    ),
    advice=(
        "Set the schedd weight of a job to its charge, rounded up to whole numbers of at least 1."
    ),
    source="src/condor_schedd.V6/schedd.cpp:count_a_job, 25.14; seen on 25.14.1",
    find=_find,
)
