"""Clusters with late materialization (max_idle, max_materialize).

Follows src/condor_schedd.V6/qmgmt_factory.cpp, qmgmt.cpp (CheckMaterializePolicyExpression,
JobMaterializeTimerCallback) and qmgmt.h (getNumNotRunning), HTCondor 25.14: a cluster gets its next
job when fewer than JobMaterializeMaxIdle of its jobs are idle or on hold and fewer than
JobMaterializeLimit are in the queue. Each new job is taken to be like the last one that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from htcq.classads import Value, as_number
from htcq.pool.job import HELD, IDLE, Job

_NO_LIMIT = 2**31 - 1
Key = tuple[Value, Value]


@dataclass
class _Factory:
    """One cluster: its last job, the next number, and how many jobs are in the queue.

    Of these so many do not run: they are idle or on hold.
    """

    last: Job
    next: int
    total: int
    max_idle: int
    limit: int
    not_running: int = 0
    queued: int = 0

    def due(self) -> bool:
        is_within = self.not_running < self.max_idle and self.queued < self.limit
        return is_within and self.next < self.total


class Factories:
    """The clusters of ``jobs`` that have more jobs to come."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._known: dict[Key, _Factory] = {}
        for job in jobs:
            factory = self._known.get(_key(job)) or self._found(job)
            if factory is not None:
                factory.not_running += job.status in (IDLE, HELD)
                factory.queued += 1

    def _found(self, job: Job) -> _Factory | None:
        total, following = job.submit_procs, job.materialize_next
        paused = as_number(job.frame.value("JobMaterializePaused"))
        if not isinstance(total, int) or not isinstance(following, int) or paused:
            return None
        most, limit = job.materialize_max_idle, job.materialize_limit
        max_idle = most if isinstance(most, int) and most >= 0 else _NO_LIMIT
        limit = limit if isinstance(limit, int) and limit > 0 else _NO_LIMIT
        return self._known.setdefault(_key(job), _Factory(job, following, total, max_idle, limit))

    def start(self, job: Job) -> Iterator[Job]:
        """Note that a job starts, or that one that does not run leaves the queue.

        Yield those that come into being for it.
        """
        factory = self._known.get(_key(job))
        if factory is not None:
            factory.not_running -= 1
            yield from _made(factory)

    def back(self, job: Job) -> None:
        """Note that a job that ran is idle again, or on hold."""
        factory = self._known.get(_key(job))
        if factory is not None:
            factory.not_running += 1

    def end(self, job: Job) -> Iterator[Job]:
        """Note that a job has left the queue, and yield those that come into being for it."""
        factory = self._known.get(_key(job))
        if factory is not None:
            factory.queued -= 1
            yield from _made(factory)


def _key(job: Job) -> Key:
    return (job.schedd, job.cluster)


def _made(factory: _Factory) -> Iterator[Job]:
    while factory.due():
        yield factory.last._replace(proc=factory.next, status=IDLE, current_hosts=0, max_hosts=1)
        factory.next += 1
        factory.not_running += 1
        factory.queued += 1
