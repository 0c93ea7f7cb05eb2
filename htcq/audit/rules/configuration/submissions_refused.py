"""An access point has as many jobs as it may have: it refuses or makes no further one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import IDLE, Job
from htcq.quota.knobs import number_of
from htcq.units import counted
from htcq.why.factories import to_come

_ALL, _OF_OWNER = "MAX_JOBS_SUBMITTED", "MAX_JOBS_PER_OWNER"
_OF_CLUSTER = "MAX_MATERIALIZED_JOBS_PER_CLUSTER"


def _find(evidence: Evidence) -> Iterator[Found]:
    totals = {record.name: record.number("TotalJobAds") for record in evidence.pool.schedds}
    queues: dict[str, list[Job]] = {}
    for job in evidence.pool.jobs or ():
        queues.setdefault(job.access_point, []).append(job)
    for name, configuration in evidence.access.items():
        knob, total = configuration.knob(_ALL), totals.get(name)
        if knob is not None and total is not None and total >= _limit(knob):
            what = f"{name} has {total:g} jobs: it refuses each further submission"
            yield _found(name, knob, what, Severity.WARNING)
        yield from _of_queue(name, configuration, queues.get(name, []))


def _of_queue(name: str, configuration: Configuration, jobs: list[Job]) -> Iterator[Found]:
    knob = configuration.knob(_OF_OWNER)
    if knob is not None:
        owners = Counter(job.owner for job in jobs if isinstance(job.owner, str))
        for owner, number in owners.items():
            if number >= _limit(knob):
                what = (
                    f"{owner} has {counted(number, 'job')} on {name}, which refuses further "
                    "submissions of this owner"
                )
                yield _found(name, knob, what, Severity.INFO)
    knob = configuration.knob(_OF_CLUSTER)
    if knob is not None:
        yield from _of_clusters(name, knob, jobs)


def _of_clusters(name: str, knob: Knob, jobs: list[Job]) -> Iterator[Found]:
    """Yield where a cluster has jobs to make, none that waits, and as many as it may have."""
    clusters: dict[object, list[Job]] = {}
    for job in jobs:
        clusters.setdefault(job.cluster, []).append(job)
    kept = [
        max(map(to_come, each))
        for each in clusters.values()
        if len(each) >= _limit(knob) and all(job.status != IDLE for job in each)
    ]
    if any(kept):
        what = (
            f"{counted(sum(kept), 'job')} of {counted(sum(map(bool, kept)), 'cluster')} on {name} "
            "come into the queue only as others end, and none of these clusters has a job that "
            "waits for a slot"
        )
        yield _found(name, knob, what, Severity.WARNING)


def _limit(knob: Knob) -> float:
    number = number_of(knob.value.strip())
    return float("inf") if number is None or number <= 0 else number


def _found(name: str, knob: Knob, what: str, severity: Severity) -> Found:
    return Found(
        cause=f"{knob.bare.upper()} of {name}",
        subject=f"access point {name}",
        message=f"{what} ({knob.name} = {knob.value})",
        facts=(Fact(knob.name, knob.value, knob.place),),
        examples=(name,),
        severity=severity,
    )


RULE = Rule(
    id="submissions-refused",
    severity=Severity.WARNING,
    needs=(Input.POOL, Input.ACCESS),
    summary="An access point has as many jobs as MAX_JOBS_SUBMITTED and its like allow",
    consequence=(
        "condor_submit fails there, or jobs that were submitted are not made: they are in no "
        "queue, so nothing else says that they wait. A user who has reached MAX_JOBS_PER_OWNER "
        "is information: the limit does what it is for."
    ),
    advice="Raise the limit on the access point if it is lower than meant, and reconfigure it.",
    source=(
        "src/condor_schedd.V6/qmgmt.cpp:NewCluster, NewProc and MaterializeJobs, 25.8; seen on "
        "25.14.1"
    ),
    find=_find,
)
