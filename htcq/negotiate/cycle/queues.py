"""What each submitter asks for: the idle jobs of its queue, in the order in which its schedd sends them.

Follows src/condor_schedd.V6/qmgmt.cpp (prio_compar, FindRunnableJob), schedd_negotiate.cpp (nextJob) and
src/condor_negotiator.V6/matchmaker_negotiate.cpp (ResourceRequestList), HTCondor 25.14. Jobs that follow each other and
are alike are one request, which asks for as many matches as there are jobs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from htcq.classads import Value, as_number
from htcq.pool.frame import Frame
from htcq.pool.job import PLACES, Job

#: What tells jobs apart that share a frame: the values of their own attributes that some expression looks at.
Likeness = tuple[object, ...]


@dataclass(eq=False)
class Request:
    """Jobs that are alike: HTCondor's autocluster. All are asked for with the ad of the first."""

    first: Job
    frame: Frame = field(init=False)

    def __post_init__(self) -> None:
        #: What they share.
        self.frame = self.first.frame


class Likenesses:
    """Collapses jobs into requests; ``looked_at`` are the names of own attributes that expressions look at."""

    def __init__(self, looked_at: Iterable[str]) -> None:
        self._places = tuple(sorted(PLACES[name] for name in looked_at if name in PLACES))
        self._known: dict[Likeness, Request] = {}

    def request(self, job: Job) -> Request:
        """Return the request that ``job`` is part of."""
        values = [job[place] for place in self._places]
        # 1, 1.0 and true are equal keys, and different to an expression.
        key = (id(job.frame), *values, *map(type, values))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Request(job)
        return found


@dataclass
class Run:
    """Jobs that are alike and follow each other in a queue; one that wants several slots stands there as often."""

    request: Request
    jobs: deque[Job] = field(default_factory=deque)


class Queue:
    """The idle jobs of one submitter at one schedd; matched ones leave it."""

    def __init__(self, jobs: Iterable[Job], likenesses: Likenesses) -> None:
        self.runs: list[Run] = []
        for job in sorted(jobs, key=order_in_queue):
            request = likenesses.request(job)
            if not self.runs or self.runs[-1].request is not request:
                self.runs.append(Run(request))
            self.runs[-1].jobs.extend([job] * job.wanted)

    def __len__(self) -> int:
        return sum(len(run.jobs) for run in self.runs)


class Session:
    """One talk of the negotiator with a schedd about one submitter's jobs, of which it offers ``most`` (None: all).

    What it has offered counts, whether it was matched or rejected. All requests are named and counted before the first
    match; what a match is used for then is another matter.
    """

    def __init__(self, queue: Queue, most: int | None = None, schedd: str = "", literal_limits: bool = False) -> None:
        queue.runs = [run for run in queue.runs if run.jobs]
        self._queue = queue
        self._requests = iter([(run, len(run.jobs), run.jobs[0].id) for run in queue.runs])
        self._rejected: set[int] = set()
        self._run: Run | None = None
        self._name = ""
        self._left = 0
        self._offers = most
        self.schedd = schedd
        #: Whether to this schedd concurrency limits that are no plain string are none.
        self.literal_limits = literal_limits

    def next(self, skipped: int = 1) -> tuple[Request, str] | None:
        """Return what is asked for next, and the first job of that request; None where nothing is left.

        ``skipped`` is how many jobs the last match was for: more than one where the schedd is expected to put them
        there by itself.
        """
        self._left -= skipped
        if self._run is not None and self._left > 0:
            return self._run.request, self._name
        for run, jobs, name in self._requests:
            if self._offers == 0:
                break
            count = jobs if self._offers is None else min(jobs, self._offers)
            self._offers = None if self._offers is None else self._offers - count
            if id(run.request) not in self._rejected:
                self._run, self._left, self._name = run, count, name
                return run.request, self._name
        self._run = None
        return None

    def matched(self, suits: Callable[[Request], bool]) -> Job | None:
        """Take the job out that the schedd uses a match for; None where it has none.

        That is the one which the request names, and once that is matched the first in the queue whose request
        ``suits`` the slot, whatever the match was made for.
        """
        assert self._run is not None
        if self._run.jobs and self._run.jobs[0].id == self._name:
            return self._run.jobs.popleft()
        return next((run.jobs.popleft() for run in self._queue.runs if run.jobs and suits(run.request)), None)

    def rejected(self) -> None:
        """Ask no more for jobs like these in this talk."""
        assert self._run is not None
        self._rejected.add(id(self._run.request))
        self._left = 0


def queues_of(jobs: Iterable[Job], likenesses: Likenesses) -> Mapping[tuple[str, str], Queue]:
    """Return the queues of idle jobs by submitter and schedd; the schedd is empty where the jobs do not name it."""
    found: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        if job.wanted:
            schedd = job.schedd if isinstance(job.schedd, str) else ""
            found.setdefault((job.submitter, schedd), []).append(job)
    return {who: Queue(each, likenesses) for who, each in found.items()}


def order_in_queue(job: Job) -> tuple[int, ...]:
    """Return what jobs of one queue are sorted by: priorities, cluster, proc (prio_compar)."""
    priorities = (job.pre_prio_1, job.pre_prio_2, job.prio, job.post_prio_1, job.post_prio_2)
    return (*(-_whole(each) for each in priorities), _whole(job.cluster), _whole(job.proc))


def _whole(value: Value) -> int:
    return value if type(value) is int else int(as_number(value) or 0)
