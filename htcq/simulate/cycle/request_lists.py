"""The requests that a schedd sends in one talk: lists of them, or one at a time.

The negotiator gets the first list, or the first request alone, before the matches of a turn
begin. For what comes after it the schedd begins anew: jobs that still wait are sent again, unless
jobs like them were rejected.

Follows src/condor_schedd.V6/schedd_negotiate.cpp (nextJob, sendResourceRequestList, flatten) and
prefetchResourceRequestLists of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 23.9 and 25.14.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from htcq.pool.job import Job
from htcq.poolquota.access.offer_budget import OfferBudget
from htcq.simulate.cycle.queues import Run


class NamedRequest(NamedTuple):
    """One request: the run with the job that it names, for how many jobs, and that job."""

    run: Run
    jobs: int
    named: Job


class _Place(NamedTuple):
    """The place of a job in a run."""

    run: Run
    number: int


@dataclass(frozen=True)
class Joined:
    """Runs of jobs that are alike, with nothing offered between them."""

    runs: Sequence[Run]

    @property
    def key(self) -> int:
        """What is rejected with any of its jobs."""
        return id(self.runs[0].request)

    def asked(self) -> NamedRequest | None:
        """Return the request for all jobs that wait; None where none does."""
        waiting = [run for run in self.runs if run.jobs]
        if not waiting:
            return None
        first = waiting[0]
        return NamedRequest(first, sum(len(run.jobs) for run in waiting), first.jobs.first)


def joined(runs: Iterable[Run]) -> Sequence[Joined]:
    """Return the runs of a queue that are requests; those that follow each other are one."""
    found: list[list[Run]] = []
    for run in runs:
        if found and found[-1][0].request is run.request:
            found[-1].append(run)
        else:
            found.append([run])
    return [Joined(each) for each in found]


def listed(
    groups: Sequence[Joined], rejected: Container[int], batch: int
) -> Iterator[NamedRequest]:
    """Yield the requests of lists of ``batch``; what is ``rejected`` is not listed again.

    A list that is not full is the last one.
    """
    whole = list(_asked(groups, ()))
    yield from whole[:batch]
    if len(whole) < batch:
        return
    later = _asked(groups, rejected)
    while True:
        # A list is sent whole: what is matched meanwhile is in it still.
        requests = list(islice(later, batch))
        yield from requests
        if len(requests) < batch:
            return


def _asked(groups: Iterable[Joined], rejected: Container[int]) -> Iterator[NamedRequest]:
    """Yield the request of each group that has jobs left and is not rejected by then."""
    for group in groups:
        asked = None
        if group.key not in rejected:
            asked = group.asked()
        if asked is not None:
            yield asked


class Singles:
    """Requests that are sent one at a time (SEND_JOB_INFO), the next one made with each answer.

    The request after the first one is for all jobs that are alike. Since 24.9 all others are for
    one job, and one that still waits is sent again; before, no job but the first was sent twice,
    and each request was for the jobs from its own on (``single`` tells which). ``budget`` is what
    the schedd offers in the talk besides the first request.
    """

    def __init__(
        self, groups: Sequence[Joined], rejected: Container[int], single: bool, budget: OfferBudget
    ) -> None:
        self._rejected, self._single, self._budget = rejected, single, budget
        #: Whether there was more than the budget let it offer.
        self.cut = False
        self._groups = [[*_places(group)] for group in groups]
        self._keys = [group.key for group in groups]
        #: The group and the job that were sent last.
        self._group = self._sent = 0
        self._is_flat = single
        self._next = self._found() if budget.is_open() else None
        self._group = self._sent = 0
        self._is_flat = False

    def __iter__(self) -> Iterator[NamedRequest]:
        is_first = True
        while self._next is not None:
            self._is_flat = self._single and not is_first
            yield self._next
            is_first = False

    def go_on(self, is_full: bool) -> None:
        """Make the next request, after a match or a rejection; none where the schedd is full."""
        found = None if is_full else self._found()
        self.cut = found is not None and not self._budget.is_open()
        if found is None or self.cut:
            self._next = None
        else:
            self._next = found._replace(jobs=self._budget.take(found.jobs))

    def _found(self) -> NamedRequest | None:
        while self._group < len(self._groups):
            jobs = self._groups[self._group]
            if self._keys[self._group] not in self._rejected:
                for place in range(self._sent, len(jobs)):
                    run, number = jobs[place]
                    job = run.jobs.at(number)
                    if job is None:
                        continue
                    self._sent = place
                    if not self._single:
                        self._sent += 1
                    count = len(jobs) - place
                    if self._is_flat:
                        count = 1
                    return NamedRequest(run, count, job)
            self._group, self._sent = self._group + 1, 0
        return None


def _places(group: Joined) -> Iterator[_Place]:
    for run in group.runs:
        for number in run.jobs.places():
            yield _Place(run, number)
