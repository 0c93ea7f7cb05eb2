"""Clusters that materialize no more of their jobs until somebody acts.

JobMaterializePaused of the cluster is 1 once somebody holds it, or where a job could not be made,
and -1 where the schedd cannot read what it is made from; JobMaterializePauseReason says why. Jobs
on hold count against max_idle and max_materialize: where these are all that there may be, none
follows (qmgmt_factory.cpp, CheckMaterializePolicyExpression of qmgmt.cpp, getNumNotRunning of
qmgmt.h in src/condor_schedd.V6, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from htcq.classads import as_number
from htcq.pool.job import HELD, Job
from htcq.units import counted

#: JobMaterializePaused of a cluster that is on hold; of one that has no more jobs it is larger.
ON_HOLD = 1
PAUSED, REASON = "JobMaterializePaused", "JobMaterializePauseReason"
_INVALID_CURE = "the file that the reason names; then a restart of the schedd"


class StuckFactory(NamedTuple):
    """A cluster with ``jobs`` still to be materialized.

    ``why`` says what keeps them from it, ``cure`` what resolves that. ``is_invalid``: its schedd
    cannot make them, whatever the user does.
    """

    cluster: str
    access_point: str
    jobs: int
    why: str
    cure: str
    is_invalid: bool = False

    @property
    def name(self) -> str:
        """The cluster and where it is."""
        return f"{self.cluster} of {self.access_point}" if self.access_point else self.cluster


def pause_of(job: Job) -> int:
    """Return JobMaterializePaused of the cluster of ``job``; 0 where it is not paused."""
    return int(as_number(job.value(PAUSED)) or 0)


def to_come(job: Job) -> int:
    """Return how many jobs of its cluster the schedd has not made yet."""
    following, total = job.materialize_next, job.submit_procs
    if not isinstance(following, int) or not isinstance(total, int) or pause_of(job) > ON_HOLD:
        return 0
    return max(0, total - following)


def stuck_factories(
    jobs: Iterable[Job], access_point_of: Callable[[Job], str]
) -> tuple[StuckFactory, ...]:
    """Return the clusters of ``jobs`` that make no more jobs, those with most to come first."""
    clusters: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        if to_come(job):
            clusters.setdefault((access_point_of(job), str(job.cluster)), []).append(job)
    found = [one for key, those in clusters.items() for one in _stuck(*key, those)]
    return tuple(sorted(found, key=lambda each: -each.jobs))


def _stuck(access_point: str, cluster: str, jobs: list[Job]) -> Iterator[StuckFactory]:
    number = max(map(to_come, jobs))
    why, cure, is_invalid = stuck(jobs)
    if why:
        yield StuckFactory(cluster, access_point, number, why, cure, is_invalid)


def stuck(jobs: list[Job]) -> tuple[str, str, bool]:
    """Return why a cluster, of which ``jobs`` are in the queue, makes no more, and the cure.

    The text is empty where it will make more. The last is whether it is invalid.
    """
    first = jobs[0]
    pause, told = pause_of(first), first.value(REASON)
    reason = f": {' '.join(told.split())}" if isinstance(told, str) and told else ""
    if pause < 0:
        return f"its schedd cannot make them ({PAUSED} is {pause}){reason}", _INVALID_CURE, True
    cure = f"condor_release {first.cluster}"
    if pause == ON_HOLD:
        return f"it is paused ({PAUSED}){reason}", cure, False
    held = sum(job.status == HELD for job in jobs)
    limits = {
        "max_idle": first.materialize_max_idle, "max_materialize": first.materialize_limit,
    }  # fmt: skip
    for name, value in limits.items():
        limit = as_number(value)
        if limit == 0 and name == "max_idle":
            return "its max_idle is 0", "condor_qedit of JobMaterializeMaxIdle", False
        if limit is not None and 0 < limit <= held:
            text = f"{counted(held, 'job')} on hold count against its {name} of {limit:g}"
            return text, f"{cure}, once the reasons of the holds are removed", False
    return "", "", False
