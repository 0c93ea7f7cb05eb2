"""The requests that a schedd sends in one talk: lists of them, or one at a time.

The negotiator gets the first list, or the first request alone, before the matches of a turn
begin. Where that list was full it asks for more, and for these the schedd begins anew: with each
answer it makes the next request ready, for jobs that still wait and are not like rejected ones.

Follows src/condor_schedd.V6/schedd_negotiate.cpp (nextJob, sendResourceRequestList, flatten) and
prefetchResourceRequestLists of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 23.9 and 25.14.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from htcq.pool.job import Job
from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.offer_budget import OfferBudget
from htcq.simulate.cycle.queues import Run


class NamedRequest(NamedTuple):
    """One request: the run with the job that it names, that job, and for how many jobs it is.

    ``kept`` is how many more the record of their user keeps from being offered.
    """

    run: Run
    named: Job
    jobs: int
    kept: int


@dataclass(frozen=True)
class Joined:
    """Runs of jobs that are alike, with nothing offered between them."""

    runs: Sequence[Run]

    @property
    def key(self) -> int:
        """What is rejected with any of its jobs."""
        return id(self.runs[0].request)


class Requests:
    """All requests of one talk with ``access``, in their order.

    ``budget`` is what it offers with the first list; ``rejected`` has the keys of groups that
    were rejected in the talk.
    """

    def __init__(
        self,
        groups: Sequence[Joined],
        rejected: Container[int],
        access: AccessPoint,
        budget: OfferBudget,
    ) -> None:
        self._access, self._budget = access, budget
        #: Whether there was more than the budget let it offer.
        self.cut = False
        self._first = [*self._first_list(groups)]
        self._later: _LaterLists | None = None
        # A list that is not full is the last one.
        if len(self._first) == access.batch:
            self._later = _LaterLists(groups, rejected, access)

    def __iter__(self) -> Iterator[NamedRequest]:
        yield from self._first
        if self._later is not None:
            self._budget = self._later.budget
            yield from self._later
            self.cut = self._later.cut

    def answered(self) -> None:
        """Note that the schedd used a match or gave it back, or got a rejection."""
        if self._later is not None:
            self._later.answered()

    def _first_list(self, groups: Sequence[Joined]) -> Iterator[NamedRequest]:
        sent = 0
        for group in groups:
            waiting = [run for run in group.runs if run.jobs]
            if sent == self._access.batch or not waiting:
                continue
            if not self._budget.is_open():
                self.cut = True
                return
            jobs = sum(len(run.jobs) for run in waiting)
            if self._access.lists_one and self._access.sends_single_jobs:
                jobs = 1
            request, is_cut = _request(
                self._access, self._budget, waiting[0], waiting[0].jobs.first, jobs
            )
            self.cut = self.cut or is_cut
            yield request
            sent += 1


def _request(
    access: AccessPoint, budget: OfferBudget, run: Run, named: Job, jobs: int
) -> tuple[NamedRequest, bool]:
    """Return the request for these jobs, and whether the budget keeps some of them back."""
    limit = access.user_limit(run.request.first)
    wanted = jobs if limit is None else min(jobs, limit.left)
    count = budget.take(wanted)
    return NamedRequest(run, named, count, jobs - wanted), count < wanted


class _Group:
    """The jobs of a group as they were when the talk began, and which of them comes next."""

    def __init__(self, group: Joined) -> None:
        self.key = group.key
        self._places = [(run, place) for run in group.runs for place in run.jobs.places()]
        self._next = 0

    def next_job(self, is_kept: bool) -> tuple[Run, Job, int] | None:
        """Return the next job that waits, with its run and the number of jobs from it on.

        It ``is_kept`` for the next time where it waits then.
        """
        for number in range(self._next, len(self._places)):
            run, place = self._places[number]
            job = run.jobs.at(place)
            if job is not None:
                self._next = number if is_kept else number + 1
                return run, job, len(self._places) - number
        return None


class _LaterLists:
    """What a schedd sends after the first list.

    Before the next list begins it takes each answer for that to an older negotiator, which asked
    for one job at a time, and makes a request ready. Since 24.9 a job that was ready and still
    waits is so again, and where the negotiator asks for one request at a time all but the second
    are for one job (SINGLE_REQUESTS). Since 25.11 what is ready counts against the limit of the
    talk, and a list offers no more than the lists before it left (OFFER_LIMIT).
    """

    def __init__(
        self, groups: Sequence[Joined], rejected: Container[int], access: AccessPoint
    ) -> None:
        self._rejected, self._access = rejected, access
        self._groups = deque(_Group(group) for group in groups)
        self.budget = access.later_budget()
        self._ready: NamedRequest | None = None
        self._is_list_sent = self._is_flat = self.cut = False

    def __iter__(self) -> Iterator[NamedRequest]:
        while True:
            sent = self._single() if self._access.lists_one else self._list()
            if not sent:
                return
            yield from sent

    def answered(self) -> None:
        """Make a request ready, unless a list was sent."""
        if not self._is_list_sent:
            self._make_ready()

    def _single(self) -> list[NamedRequest]:
        self._is_flat = self._access.sends_single_jobs
        if self._ready is None:
            self._make_ready()
        return [] if self._ready is None else [self._ready]

    def _list(self) -> list[NamedRequest]:
        """Return the next list. It is sent whole: what is matched meanwhile is in it still."""
        self.budget.begin_list(self._access.startable_now)
        sent: list[NamedRequest] = []
        while len(sent) < self._access.batch:
            if self._is_list_sent or self._ready is None:
                self._make_ready()
            self._is_list_sent = True
            if self._ready is None:
                break
            sent.append(self._ready)
            self._groups.popleft()
        return sent

    def _make_ready(self) -> None:
        self._ready = None
        if self._access.is_full:
            # Of no job is a shadow to be had, so that all are passed over.
            self._groups.clear()
        while self._groups:
            group = self._groups[0]
            found = None
            if group.key not in self._rejected:
                found = group.next_job(self._access.sends_single_jobs)
            if found is None:
                self._groups.popleft()
                continue
            self.cut = not self.budget.is_open()
            if self.cut:
                return
            run, job, jobs = found
            if self._is_flat:
                jobs = 1
            self._ready, self.cut = _request(self._access, self.budget, run, job, jobs)
            return
