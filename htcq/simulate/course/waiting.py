"""The queues of a pool as time goes by.

Who waits, since when, and what that weighs to the negotiator.

Follows src/condor_schedd.V6/schedd.cpp (count_a_job, FindRunnableJob), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from htcq.classads import Value
from htcq.pool.demand import ScheddWeight
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.simulate.course.suiting import Suiting
from htcq.simulate.cycle.queue_order import order_in_queue
from htcq.simulate.cycle.queues import Request


class Waiting:
    """The idle jobs of ``pool``, by submitter; none wants more than one slot here.

    Those of one schedd that are alike to ``suiting`` stand in one line, in the order of the queue.
    """

    def __init__(self, pool: Pool, suiting: Suiting) -> None:
        self._pool, self._suiting = pool, suiting
        self._lines: dict[str, dict[tuple[Request, str], dict[str, Job]]] = {}
        self._homes = {
            record.name: record.text("ScheddName") for record in reversed(pool.submitters)
        }
        self._weights: dict[tuple[int, str], int] = {}
        for job in sorted((job for job in pool.jobs or () if job.wanted), key=order_in_queue):
            alone = job._replace(max_hosts=1, current_hosts=0)
            self._line(alone)[alone.id] = alone

    def home(self, submitter: str, schedd: Value) -> str:
        """Return where jobs of a submitter wait.

        ``schedd`` if that is known, else the first that tells of it.
        """
        return schedd if isinstance(schedd, str) and schedd else self._homes.get(submitter, "")

    def _line(self, job: Job) -> dict[str, Job]:
        key = (self._suiting.request(job), self.home(job.submitter, job.schedd))
        return self._lines.setdefault(job.submitter, {}).setdefault(key, {})

    def jobs(self) -> Iterator[Job]:
        """Yield every job that waits."""
        for lines in self._lines.values():
            for line in lines.values():
                yield from line.values()

    def next(
        self,
        submitter: str,
        schedd: str,
        suits: Callable[[Request], bool],
        startable: Callable[[Job], bool],
    ) -> Job | None:
        """Return the ``startable`` job of a submitter that runs next and whose like ``suits``.

        None where there is none.
        """
        lines = self._lines.get(submitter, {}).items()
        there = ((request, line) for (request, home), line in lines if line and home == schedd)
        firsts = (
            (request, next(filter(startable, line.values()), None)) for request, line in there
        )
        # Whether a job suits costs far more to find out than which one comes first.
        candidates = [
            (order_in_queue(job), number, request, job)
            for number, (request, job) in enumerate(firsts)
            if job
        ]
        return next((job for _, _, request, job in sorted(candidates) if suits(request)), None)

    def counts(self) -> Mapping[str, int]:
        """Return how many jobs of each submitter wait."""
        return {
            submitter: sum(map(len, lines.values())) for submitter, lines in self._lines.items()
        }

    def arrive(self, job: Job) -> None:
        """Take a job in, behind those that come first by their priorities and numbers."""
        line = self._line(job)
        last = next(reversed(line.values()), None)
        line[job.id] = job
        if last is not None and order_in_queue(last) > order_in_queue(job):
            ordered = sorted(line.values(), key=order_in_queue)
            line.clear()
            line.update((each.id, each) for each in ordered)

    def start(self, job: Job) -> Job:
        """Take a job out that starts, and return it as it came.

        What it asks of its slot may be more by then.
        """
        name, home = job.id, self.home(job.submitter, job.schedd)
        for (_, where), line in self._lines.get(job.submitter, {}).items():
            if where == home and name in line:
                return line.pop(name)
        return job

    def records(self, running: Mapping[tuple[str, str], tuple[int, float]]) -> tuple[Record, ...]:
        """Return the submitter ads with what waits now and what runs.

        ``running`` has the number and weight of the claims of each submitter at each schedd.
        """
        found = []
        for record in self._pool.submitters:
            schedd, lines = record.text("ScheddName"), self._lines.get(record.name, {})
            jobs, weight = running.get((record.name, schedd), (0, 0.0))
            there = [
                (request, len(line))
                for (request, home), line in lines.items()
                if line and home == schedd
            ]
            idle = sum(count for _, count in there)
            idle_weight = sum(
                count * self._weight(request.first, schedd) for request, count in there
            )
            values = {
                "idlejobs": idle,
                "runningjobs": jobs,
                "weightedidlejobs": idle_weight,
                "weightedrunningjobs": weight,
            }
            found.append(replace(record, values={**record.values, **values}))
        return tuple(found)

    def _weight(self, job: Job, schedd: str) -> int:
        key = (id(job.frame), schedd)
        if key not in self._weights:
            configuration = self._pool.schedd_configuration(schedd)
            self._weights[key] = (
                1 if configuration is None else ScheddWeight(configuration).idle(job.ad(), 1)
            )
        return self._weights[key]
