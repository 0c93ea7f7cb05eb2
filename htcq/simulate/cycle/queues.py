"""What each submitter asks for.

The idle jobs of its queue, in the order in which its schedd sends them.

Follows src/condor_schedd.V6/qmgmt.cpp (prio_compar, FindRunnableJob), schedd_negotiate.cpp
(nextJob) and src/condor_negotiator.V6/matchmaker_negotiate.cpp (ResourceRequestList), HTCondor
25.14. Jobs that follow each other and are alike are one request, which asks for as many matches
as there are jobs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from htcq.pool.job import Job
from htcq.pool.shared_attributes import SharedAttributes
from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.offer_budget import OfferBudget
from htcq.simulate.cycle.queue_order import Order


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


class RunJobs:
    """The jobs of a run that have no match yet; one that wants several slots is there as often."""

    def __init__(self) -> None:
        self._orders: list[Order] = []
        self._jobs: list[Job] = []
        self._matched = 0

    def __len__(self) -> int:
        return len(self._jobs) - self._matched

    def __bool__(self) -> bool:
        return len(self._jobs) > self._matched

    def __getitem__(self, place: int) -> Job:
        return self._jobs[self._matched + place]

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs[self._matched :])

    @property
    def ends(self) -> tuple[Order, Order]:
        """The places in the queue of its first and its last job."""
        return self._orders[0], self._orders[-1]

    def popleft(self) -> Job:
        """Take out the first."""
        self._matched += 1
        return self._jobs[self._matched - 1]

    def begin(self) -> None:
        """Begin a cycle with no match."""
        self._matched = 0

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
    negotiator wants to hear of it.
    """

    def __init__(self, offers: Callable[[Job], bool] = lambda job: True) -> None:
        self.runs: list[Run] = []
        self._offers = offers
        #: Where each run ends.
        self._ends: list[Order] = []

    def __len__(self) -> int:
        return sum(len(run.jobs) for run in self.runs)

    def begin(self) -> None:
        """Begin a cycle with no match."""
        for run in self.runs:
            run.jobs.begin()

    def asked_for(self) -> list[Run]:
        """Return the runs that the schedd offers as far as the negotiator wants to hear of them.

        The schedd looks at the first job of a run. Where that is not wanted, it passes over all
        jobs like it until it meets another one that is not (Scheduler::negotiate).
        """
        found: list[Run] = []
        current: Request | None = None
        passed_over: Request | None = None
        for run in self.runs:
            if not run.jobs or run.request is passed_over:
                continue
            if run.request is not current and not self._offers(run.jobs[0]):
                passed_over = run.request
                continue
            current = run.request
            found.append(run)
        return found

    def append(self, order: Order, job: Job, wanted: int, request: Request) -> None:
        """Put a job in behind all others."""
        if not self.runs or self.runs[-1].request is not request:
            self._insert(len(self.runs), Run(request), order, job, wanted)
        else:
            self.runs[-1].jobs.put(order, job, wanted)
            self._ends[-1] = order

    def put(self, order: Order, job: Job, wanted: int, request: Request) -> bool:
        """Put a job in at its place; return False if another has it."""
        place = bisect_left(self._ends, order)
        behind = self.runs[place] if place < len(self.runs) else None
        if behind is not None and behind.jobs.has(order):
            return False
        if behind is not None and behind.request is not request and behind.jobs.ends[0] < order:
            self._split(place, order)
            place += 1
            behind = None
        if behind is None or behind.request is not request:
            if place and self.runs[place - 1].request is request:
                place -= 1
            else:
                self._insert(place, Run(request), order, job, wanted)
                return True
        self.runs[place].jobs.put(order, job, wanted)
        self._ends[place] = self.runs[place].jobs.ends[1]
        return True

    def _split(self, place: int, order: Order) -> None:
        run = self.runs[place]
        rest = Run(run.request, run.jobs.split(order))
        self._ends[place] = run.jobs.ends[1]
        self.runs.insert(place + 1, rest)
        self._ends.insert(place + 1, rest.jobs.ends[1])

    def _insert(self, place: int, run: Run, order: Order, job: Job, wanted: int) -> None:
        run.jobs.put(order, job, wanted)
        self.runs.insert(place, run)
        self._ends.insert(place, order)

    def remove(self, order: Order) -> None:
        """Take the job at a place out."""
        place = bisect_left(self._ends, order)
        jobs = self.runs[place].jobs
        jobs.remove(order)
        if len(jobs):
            self._ends[place] = jobs.ends[1]
            return
        del self.runs[place], self._ends[place]
        if not 0 < place < len(self.runs):
            return
        before, behind = self.runs[place - 1], self.runs[place]
        if before.request is behind.request:
            before.jobs.join(behind.jobs)
            self._ends[place - 1] = self._ends[place]
            del self.runs[place], self._ends[place]


class Session:
    """One negotiation with an access point about the jobs of one submitter, with its budget.

    What it has offered counts, whether it was matched or rejected. All requests are named and
    counted before the first match, unless the negotiator asks for one request at a time; what a
    match is used for then is another matter.
    """

    def __init__(self, queue: Queue, access: AccessPoint, budget: OfferBudget) -> None:
        self._runs = [run for run in queue.runs if run.jobs]
        self._rejected: dict[int, Offered] = {}
        self._requests = self._in_turn(queue.asked_for(), access.counts)
        if not access.lists_one:
            self._requests = iter(_requests(queue.asked_for()))
        #: The first run that may have jobs left.
        self._first = 0
        self._run: Run | None = None
        #: The job that the request names.
        self._named: Job | None = None
        self._used_for: Request | None = None
        self._name = ""
        self._left = 0
        self.budget = budget
        self.access = access
        #: What was offered, in order, and whether there was more than the budget let it offer.
        self.offered: list[Offered] = []
        self.cut = False

    def _in_turn(self, runs: Iterable[Run], counts: bool) -> Iterator[tuple[Run, int, Job]]:
        """Yield the jobs of each run that have no match by the time that they are asked for.

        Each alone without ``counts``.
        """
        for run in runs:
            while run.jobs and id(run.request) not in self._rejected:
                count = 1
                if counts:
                    count = len(run.jobs)
                yield run, count, run.jobs[0]

    def next(self, skipped: int = 1) -> tuple[Request, str] | None:
        """Return what is asked for next, and the first job of that request.

        It is None where nothing is left.

        ``skipped`` is how many jobs the last match was for: more than one where the schedd is
        expected to put them there by itself.
        """
        self._left -= skipped
        if self._run is not None and self._left > 0:
            return self._run.request, self._name
        for run, jobs, named in self._requests:
            if not self.budget.is_open():
                self.cut = True
                break
            limit = self.access.user_limit(run.request.first)
            wanted = jobs if limit is None else min(jobs, limit.left)
            count = self.budget.take(wanted)
            self.cut = self.cut or count < wanted
            name = named.id
            offered = Offered(run, name, count, kept=jobs - wanted)
            self.offered.append(offered)
            before = self._rejected.get(id(run.request))
            if before is None:
                self._run, self._left, self._name, self._named = run, count, name, named
                return run.request, self._name
            offered.rejection, offered.beyond = before.rejection, before.beyond
        self._run = None
        return None

    def matched(self) -> bool:
        """Note that a match was made; return whether the job that the request names still waits.

        That is the one which the schedd uses a match for. Once it is matched, or the schedd cannot
        start it there, that is the first in the queue which suits the slot, whatever the match
        was made for.
        """
        self.offered[-1].matched += 1
        return self.names_a_job_that_waits()

    def start_named(self) -> Job:
        """Take the job out that the request names."""
        assert self._run is not None
        return self.start(self._run)

    def start(self, run: Run) -> Job:
        """Take the first job of a run out."""
        self._used_for = run.request
        return run.jobs.popleft()

    def waiting(self) -> Iterator[Run]:
        """Yield the runs with jobs that wait, in the order of the queue."""
        while self._first < len(self._runs) and not self._runs[self._first].jobs:
            self._first += 1
        for run in islice(self._runs, self._first, None):
            if run.jobs:
                yield run

    @property
    def used_for(self) -> Request:
        """The request of the job that was taken out last."""
        assert self._used_for is not None
        return self._used_for

    def names_a_job_that_waits(self) -> bool:
        """Return whether the job that the request names has no match yet."""
        return self._run is not None and bool(self._run.jobs) and self._run.jobs[0] is self._named

    @property
    def named_job(self) -> Job:
        """The job that the request names."""
        assert self._named is not None
        return self._named

    def rejected(self, reason: str, beyond: bool = False) -> None:
        """Ask no more for jobs like these in this talk.

        ``beyond``: the submitter had used its share up by then.
        """
        assert self._run is not None
        offered = self.offered[-1]
        offered.rejection, offered.beyond = reason, beyond
        self._rejected[id(self._run.request)] = offered
        self.budget.refund(self._left)
        self._left = 0


def _requests(runs: Iterable[Run]) -> list[tuple[Run, int, Job]]:
    """Return what is asked for: a run of jobs, how many, and the first.

    Runs join where nothing offered is between.
    """
    found: list[tuple[Run, int, Job]] = []
    for run in runs:
        if found and found[-1][0].request is run.request:
            first, count, named = found.pop()
            found.append((first, count + len(run.jobs), named))
        else:
            found.append((run, len(run.jobs), run.jobs[0]))
    return found
