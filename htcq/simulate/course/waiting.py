"""The queues of a pool as time goes by.

Who waits, since when, and what that weighs to the negotiator.

Follows src/condor_schedd.V6/schedd.cpp (count_a_job, FindRunnableJob, fill_submitter_ad), HTCondor
25.14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from htcq.classads import Value
from htcq.pool.demand import ScheddWeight
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.quota.knobs import number_of
from htcq.simulate.course.suiting import Suiting
from htcq.simulate.cycle.queue_order import job_prio, order_in_queue
from htcq.simulate.cycle.queues import Request

#: The default of MAX_GLOBAL_JOB_PRIOS.
_MAX_PRIOS = 500


class Waiting:
    """The idle jobs of ``pool``, by submitter.

    Those of one schedd that are alike to ``suiting`` stand in one line, in the order of the queue.
    A job that wants several slots stands there until it has them all.
    """

    def __init__(self, pool: Pool, suiting: Suiting) -> None:
        self._pool, self._suiting = pool, suiting
        self._lines: dict[str, dict[tuple[Request, str], dict[str, Job]]] = {}
        self._homes = {
            record.name: record.text("ScheddName") for record in reversed(pool.submitters)
        }
        self._weights: dict[tuple[int, str], int] = {}
        #: Jobs that want more than one slot, by their line and id.
        self._several: dict[int, dict[str, int]] = {}
        for job in sorted((job for job in pool.jobs or () if job.wanted), key=order_in_queue):
            self._put(self._line(job), job)

    def home(self, submitter: str, schedd: Value) -> str:
        """Return where jobs of a submitter wait.

        ``schedd`` if that is known, else the first that tells of it.
        """
        return schedd if isinstance(schedd, str) and schedd else self._homes.get(submitter, "")

    def _line(self, job: Job) -> dict[str, Job]:
        key = (self._suiting.request(job), self.home(job.submitter, job.schedd))
        return self._lines.setdefault(job.submitter, {}).setdefault(key, {})

    def _put(self, line: dict[str, Job], job: Job) -> None:
        line[job.id] = job
        if job.wanted > 1:
            self._several.setdefault(id(line), {})[job.id] = job.wanted
        else:
            self._several.get(id(line), {}).pop(job.id, None)

    def _slots(self, line: dict[str, Job]) -> int:
        """Return how many slots the jobs of a line want."""
        several = self._several.get(id(line), {})
        return len(line) + sum(several.values()) - len(several)

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
        before = line.get(job.id)
        if before is not None:
            # It has lost one of its slots before it had them all.
            job = job._replace(max_hosts=before.wanted + job.wanted, current_hosts=0)
        last = next(reversed(line.values()), None)
        self._put(line, job)
        if last is not None and order_in_queue(last) > order_in_queue(job):
            ordered = sorted(line.values(), key=order_in_queue)
            line.clear()
            line.update((each.id, each) for each in ordered)

    def start(self, job: Job) -> Job:
        """Take out for one slot a job that starts, and return it as it came, for that slot.

        What it asks of its slot may be more by then.
        """
        line = self._line_with(job)
        if line is None:
            return job
        came = line[job.id]
        wanted = came.wanted
        if wanted <= 1:
            return line.pop(job.id)
        self._put(line, came._replace(max_hosts=wanted - 1, current_hosts=0))
        return came._replace(max_hosts=1, current_hosts=0)

    def has(self, job: Job) -> bool:
        """Return whether a job wants a slot, though it may have others."""
        return self._line_with(job) is not None

    def _line_with(self, job: Job) -> dict[str, Job] | None:
        name, home = job.id, self.home(job.submitter, job.schedd)
        for (_, where), line in self._lines.get(job.submitter, {}).items():
            if where == home and name in line:
                return line
        return None

    def records(self, running: Mapping[tuple[str, str], tuple[int, float]]) -> tuple[Record, ...]:
        """Return the submitter ads with what waits now and what runs.

        ``running`` has the number and weight of the claims of each submitter at each schedd.
        """
        found = []
        for record in self._pool.submitters:
            schedd, lines = record.text("ScheddName"), self._lines.get(record.name, {})
            jobs, weight = running.get((record.name, schedd), (0, 0.0))
            there = [
                (request, self._slots(line))
                for (request, home), line in lines.items()
                if line and home == schedd
            ]
            idle = sum(count for _, count in there)
            idle_weight = sum(
                count * self._weight(request.first, schedd) for request, count in there
            )
            values: dict[str, Value] = {
                "idlejobs": idle,
                "runningjobs": jobs,
                "weightedidlejobs": idle_weight,
                "weightedrunningjobs": weight,
            }
            if isinstance(record.value("JobPrioArray"), str):
                here = (line for (_, home), line in lines.items() if home == schedd)
                values["jobprioarray"] = self._job_prios(here, schedd)
            found.append(replace(record, values={**record.values, **values}))
        return tuple(found)

    def _job_prios(self, lines: Iterable[Mapping[str, Job]], schedd: str) -> str:
        """Return JobPrioArray: the highest priorities of jobs that wait."""
        prios = {job_prio(order_in_queue(job)) for line in lines for job in line.values()}
        most = _MAX_PRIOS
        configuration = self._pool.schedd_configuration(schedd)
        if configuration is not None:
            knob = configuration.knobs.get("MAX_GLOBAL_JOB_PRIOS")
            most = int((knob and number_of(knob.value)) or _MAX_PRIOS)
        return ",".join(map(str, sorted(prios, reverse=True)[:most]))

    def _weight(self, job: Job, schedd: str) -> int:
        key = (id(job.frame), schedd)
        if key not in self._weights:
            configuration = self._pool.schedd_configuration(schedd)
            self._weights[key] = (
                1 if configuration is None else ScheddWeight(configuration).idle(job.ad(), 1)
            )
        return self._weights[key]
