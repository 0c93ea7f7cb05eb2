"""The order of jobs in a queue (src/condor_schedd.V6/qmgmt.cpp:prio_compar, HTCondor 25.14)."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter

from htcq.classads import Value, as_number
from htcq.pool.job import PLACES, Job

#: What jobs of one queue are sorted by.
Order = tuple[int, ...]
#: Where JobPrio stands among them.
_JOB_PRIO = 2
#: The priorities of a job.
_PRIORITIES = itemgetter(
    *(PLACES[name] for name in ("prejobprio1", "prejobprio2", "jobprio", "postjobprio1",
                                "postjobprio2"))
)  # fmt: skip


def order_in_queue(job: Job) -> Order:
    """Return what jobs of one queue are sorted by: priorities, cluster, proc."""
    return place_in_queue(job, priorities_of(job))


def priorities_of(job: Job) -> Order:
    """Return what jobs of one queue are sorted by at first."""
    return _negated(*_PRIORITIES(job))


def job_prio(order: Order) -> int:
    """Return the JobPrio of the job at a place."""
    return -order[_JOB_PRIO]


def place_in_queue(job: Job, priorities: Order) -> Order:
    """Return the place of a job with these ``priorities`` in its queue."""
    return (*priorities, _whole(job.cluster), _whole(job.proc))


# Few jobs have priorities of their own. 1, 1.0 and true are equal keys, but to typed ones.
@lru_cache(maxsize=4096, typed=True)
def _negated(*priorities: Value) -> tuple[int, ...]:
    return tuple(-_whole(each) for each in priorities)


def _whole(value: Value) -> int:
    return value if type(value) is int else int(as_number(value) or 0)
