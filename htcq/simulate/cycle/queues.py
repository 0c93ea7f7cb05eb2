"""What each submitter asks for.

The idle jobs of its queue, in the order in which its schedd sends them.

Follows src/condor_schedd.V6/qmgmt.cpp (prio_compar, FindRunnableJob), HTCondor 25.14. Jobs that
follow each other and are alike are one run.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from htcq.classads import Ad, Value
from htcq.pool.job import Job
from htcq.pool.shared_attributes import SharedAttributes
from htcq.simulate.cycle.queue_order import Order, job_prio


@dataclass(eq=False)
class Request:
    """Jobs that are alike: HTCondor's autocluster. All are asked for with the ad of the first."""

    first: Job
    frame: SharedAttributes = field(init=False)
    #: Their concurrency limits; None where these depend on the slot.
    limits: str | None = field(init=False)

    def __post_init__(self) -> None:
        #: What they share.
        self.frame = self.first.frame
        self.limits = ""
        if "ConcurrencyLimits" in self.frame:
            value = self.frame.value("ConcurrencyLimits")
            self.limits = value if isinstance(value, str) else None

    def ad(self, changed: Mapping[str, Value] | None = None) -> Ad:
        """Return the ad of its first job; valid until the next call for a job of the same frame."""
        return self.frame.ad([*self.first.own(), *(changed or {}).items()])


class RunJobs:
    """The jobs of a run that have no match yet; one that wants several slots is there as often."""

    def __init__(self) -> None:
        self._orders: list[Order] = []
        self._jobs: list[Job] = []
        #: So many jobs at the beginning are matched, and those behind the first that waits.
        self._matched = 0
        self._behind: set[int] = set()

    def __len__(self) -> int:
        return len(self._jobs) - self._matched - len(self._behind)

    def __bool__(self) -> bool:
        return len(self._jobs) > self._matched

    @property
    def first(self) -> Job:
        """The first job that waits."""
        return self._jobs[self._matched]

    def __iter__(self) -> Iterator[Job]:
        if not self._behind:
            return iter(self._jobs[self._matched :])
        return (self._jobs[place] for place in self.places())

    def places(self) -> Iterator[int]:
        """Yield the places of the jobs that wait, in the run as it was when the cycle began."""
        for place in range(self._matched, len(self._jobs)):
            if place not in self._behind:
                yield place

    def at(self, place: int) -> Job | None:
        """Return the job at one of these places; None where it does not wait any more."""
        if place < self._matched or place in self._behind:
            return None
        return self._jobs[place]

    @property
    def ends(self) -> tuple[Order, Order]:
        """The places in the queue of its first and its last job."""
        return self._orders[0], self._orders[-1]

    def popleft(self) -> Job:
        """Take out the first."""
        job = self._jobs[self._matched]
        self._matched += 1
        while self._matched in self._behind:
            self._behind.remove(self._matched)
            self._matched += 1
        return job

    def take(self, job: Job) -> Job:
        """Take out a job that waits."""
        if job is self.first:
            return self.popleft()
        self._behind.add(next(place for place in self.places() if self._jobs[place] is job))
        return job

    def begin(self) -> None:
        """Begin a cycle with no match."""
        self._matched = 0
        self._behind.clear()

    def has(self, order: Order) -> bool:
        """Return whether a job is at this place."""
        place = bisect_left(self._orders, order)
        return place < len(self._orders) and self._orders[place] == order

    def put(self, order: Order, job: Job, wanted: int) -> None:
        """Put a job in at its place, as often as it wants a slot."""
        place = len(self._orders)
        if place and order < self._orders[-1]:
            place = bisect_right(self._orders, order)
        self._orders[place:place] = [order] * wanted
        self._jobs[place:place] = [job] * wanted

    def remove(self, order: Order) -> None:
        """Take the job at a place out."""
        begin, end = bisect_left(self._orders, order), bisect_right(self._orders, order)
        del self._orders[begin:end], self._jobs[begin:end]

    def split(self, order: Order) -> RunJobs:
        """Take out those behind a place, and return them."""
        place = bisect_right(self._orders, order)
        rest = RunJobs()
        rest._orders, self._orders = self._orders[place:], self._orders[:place]
        rest._jobs, self._jobs = self._jobs[place:], self._jobs[:place]
        return rest

    def join(self, other: RunJobs) -> None:
        """Add the jobs of the run behind."""
        self._orders += other._orders
        self._jobs += other._jobs


@dataclass(eq=False)
class Run:
    """Jobs that are alike and follow each other in a queue."""

    request: Request
    jobs: RunJobs = field(default_factory=RunJobs)

    @property
    def job_prio(self) -> int:
        """The JobPrio of its first job, and of all where queues tell jobs apart by it."""
        return job_prio(self.jobs.ends[0])


@dataclass(eq=False)
class Offered:
    """What one talk offered of a run.

    ``count`` of its jobs, the first of which is ``job``, and what came of them.

    ``kept`` is how many more the record of their user keeps from being offered. ``rejection`` is
    the negotiator's reason, of another run of the same request where that was rejected before;
    ``beyond`` tells that the submitter had used its share up by then.
    """

    run: Run
    job: str
    count: int
    kept: int = 0
    matched: int = 0
    rejection: str = ""
    beyond: bool = False


class Queue:
    """The runnable jobs of one submitter at one schedd.

    Matched ones leave it; others come and go between cycles. ``offers`` tells of a job whether the
    negotiator wants to hear of it. Jobs that the schedd itself keeps back stand between them. With
    ``by_job_prio`` the jobs of a run have one JobPrio.
    """

    def __init__(
        self, offers: Callable[[Job], bool] = lambda job: True, by_job_prio: bool = False
    ) -> None:
        self._every: list[Run] = []
        self._offers, self._by_job_prio = offers, by_job_prio
        #: Stands for all jobs that are kept back; None where there are none.
        self._kept_back: Request | None = None
        #: Where each run ends.
        self._ends: list[Order] = []

    def __len__(self) -> int:
        return sum(len(run.jobs) for run in self.runs)

    @property
    def runs(self) -> list[Run]:
        """The runs of jobs that are not kept back."""
        if self._kept_back is None:
            return self._every
        return [run for run in self._every if run.request is not self._kept_back]

    @property
    def is_empty(self) -> bool:
        """Whether it has no job at all."""
        return not self._every

    def begin(self) -> None:
        """Begin a cycle with no match."""
        for run in self._every:
            run.jobs.begin()

    def asked_for(self, job_prios: range | None = None) -> list[Run]:
        """Return the runs that the schedd offers as far as the negotiator wants to hear of them."""
        return [*chain.from_iterable(self.requests(job_prios))]

    def requests(self, job_prios: range | None = None) -> list[list[Run]]:
        """Return these runs by request: alike runs are one request, unless another job is between.

        The schedd looks at the first job of a run. Where that is not wanted, it passes over all
        jobs like it until it meets another one that is not (Scheduler::negotiate). Jobs outside
        ``job_prios`` are not there for it.
        """
        found: list[list[Run]] = []
        current: Request | None = None
        passed_over: Request | None = None
        for run in self._every:
            if not run.jobs or run.request is passed_over:
                continue
            if job_prios is not None and run.job_prio not in job_prios:
                continue
            if run.request is self._kept_back:
                if any(map(self._offers, run.jobs)):
                    current = run.request
                continue
            if run.request is not current:
                if not self._offers(run.jobs.first):
                    passed_over = run.request
                    continue
                current = run.request
                found.append([])
            found[-1].append(run)
        return found

    def keep_back(self, order: Order, job: Job) -> bool:
        """Put in at its place a job that the schedd offers for no slot."""
        if self._kept_back is None:
            self._kept_back = Request(job)
        return self.put(order, job, 1, self._kept_back)

    def append(self, order: Order, job: Job, wanted: int, request: Request) -> None:
        """Put a job in behind all others."""
        if not self._every or not self._joins(self._every[-1], order, request):
            self._insert(len(self._every), Run(request), order, job, wanted)
        else:
            self._every[-1].jobs.put(order, job, wanted)
            self._ends[-1] = order

    def put(self, order: Order, job: Job, wanted: int, request: Request) -> bool:
        """Put a job in at its place; return False if another has it."""
        place = bisect_left(self._ends, order)
        behind = self._every[place] if place < len(self._every) else None
        if behind is not None and behind.jobs.has(order):
            return False
        joins = behind is not None and self._joins(behind, order, request)
        if behind is not None and not joins and behind.jobs.ends[0] < order:
            self._split(place, order)
            place += 1
        if not joins:
            if place and self._joins(self._every[place - 1], order, request):
                place -= 1
            else:
                self._insert(place, Run(request), order, job, wanted)
                return True
        self._every[place].jobs.put(order, job, wanted)
        self._ends[place] = self._every[place].jobs.ends[1]
        return True

    def _joins(self, run: Run, order: Order, request: Request) -> bool:
        """Return whether a job at this place may be one of ``run``."""
        if run.request is not request:
            return False
        return not self._by_job_prio or run.job_prio == job_prio(order)

    def _split(self, place: int, order: Order) -> None:
        run = self._every[place]
        rest = Run(run.request, run.jobs.split(order))
        self._ends[place] = run.jobs.ends[1]
        self._every.insert(place + 1, rest)
        self._ends.insert(place + 1, rest.jobs.ends[1])

    def _insert(self, place: int, run: Run, order: Order, job: Job, wanted: int) -> None:
        run.jobs.put(order, job, wanted)
        self._every.insert(place, run)
        self._ends.insert(place, order)

    def remove(self, order: Order) -> None:
        """Take the job at a place out."""
        place = bisect_left(self._ends, order)
        jobs = self._every[place].jobs
        jobs.remove(order)
        if len(jobs):
            self._ends[place] = jobs.ends[1]
            return
        del self._every[place], self._ends[place]
        if not 0 < place < len(self._every):
            return
        before, behind = self._every[place - 1], self._every[place]
        if self._joins(before, behind.jobs.ends[0], behind.request):
            before.jobs.join(behind.jobs)
            self._ends[place - 1] = self._ends[place]
            del self._every[place], self._ends[place]
