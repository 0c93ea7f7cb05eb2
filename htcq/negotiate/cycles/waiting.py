"""The queues of a pool as time goes by: who waits, since when, and what that weighs to the negotiator.

Follows src/condor_schedd.V6/schedd.cpp (count_a_job, FindRunnableJob), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from htcq.negotiate.cycle.queues import order_in_queue
from htcq.pool.demand import ScheddWeight
from htcq.pool.job import Job
from htcq.pool.kind import requested
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import Number


class Waiting:
    """The idle jobs of ``pool``, by submitter in the order of their queues; none wants more than one slot here."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        jobs = sorted((job for job in pool.jobs or () if job.wanted), key=order_in_queue)
        self._jobs: dict[str, dict[str, Job]] = {}
        for job in jobs:
            self._jobs.setdefault(job.submitter, {})[job.id] = job._replace(max_hosts=1, current_hosts=0)
        self._weights: dict[tuple[int, str], int] = {}
        self._asked: dict[int, Mapping[str, Number]] = {}

    def jobs(self) -> Iterator[Job]:
        """Yield every job that waits."""
        for queue in self._jobs.values():
            yield from queue.values()

    def of(self, submitter: str) -> Sequence[Job]:
        """Return the jobs of one submitter, the one that is to run next first."""
        return tuple(self._jobs.get(submitter, {}).values())

    def count(self, submitter: str) -> int:
        """Return how many jobs of one submitter wait."""
        return len(self._jobs.get(submitter, ()))

    def counts(self) -> Mapping[str, int]:
        """Return how many jobs of each submitter wait."""
        return {submitter: len(queue) for submitter, queue in self._jobs.items()}

    def arrive(self, job: Job) -> None:
        """Take a job in, behind those that come first by their priorities and numbers."""
        queue = self._jobs.setdefault(job.submitter, {})
        last = next(reversed(queue.values()), None)
        queue[job.id] = job
        if last is not None and order_in_queue(last) > order_in_queue(job):
            self._jobs[job.submitter] = {each.id: each for each in sorted(queue.values(), key=order_in_queue)}

    def start(self, job: Job) -> None:
        """Take a job out that starts."""
        del self._jobs[job.submitter][job.id]

    def asked(self, job: Job, assets: Sequence[str]) -> Mapping[str, Number]:
        """Return what a job asks for; nothing of what it does not name."""
        found = self._asked.get(id(job.frame))
        if found is None:
            asked = requested(job.ad(), assets)
            found = self._asked[id(job.frame)] = {asset: amount or 0 for asset, amount in asked.items()}
        return found

    def records(self, running: Mapping[str, tuple[int, float]]) -> tuple[Record, ...]:
        """Return the submitter ads with what waits now and what runs: number and weight of each one's claims."""
        found = []
        for record in self._pool.submitters:
            jobs, weight = running.get(record.name, (0, 0.0))
            idle = sum(self._weight(job, record.text("ScheddName")) for job in self.of(record.name))
            values = {
                "idlejobs": self.count(record.name), "runningjobs": jobs, "weightedidlejobs": idle,
                "weightedrunningjobs": weight,
            }  # fmt: skip
            found.append(replace(record, values={**record.values, **values}))
        return tuple(found)

    def _weight(self, job: Job, schedd: str) -> int:
        key = (id(job.frame), schedd)
        if key not in self._weights:
            configuration = self._pool.access.get(schedd, self._pool.central)
            self._weights[key] = 1 if configuration is None else ScheddWeight(configuration).idle(job.ad(), 1)
        return self._weights[key]
