"""One talk of the negotiator with a schedd about the jobs of a submitter, match after match.

Follows src/condor_schedd.V6/schedd_negotiate.cpp (messageReceived) and
src/condor_negotiator.V6/matchmaker_negotiate.cpp (ResourceRequestList), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from htcq.pool.job import Job
from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.offer_budget import OfferBudget
from htcq.simulate.cycle.queues import Offered, Queue, Request, Run
from htcq.simulate.cycle.request_lists import Joined, Requests


class Session:
    """One negotiation with an access point about the jobs of one submitter, with its budget.

    What it has offered counts, whether it was matched or rejected. All requests are named and
    counted before the first match, unless the negotiator asks for few requests at a time; what a
    match is used for then is another matter: any job of the queue, within ``job_prios`` or not.
    """

    def __init__(
        self,
        queue: Queue,
        access: AccessPoint,
        budget: OfferBudget,
        job_prios: range | None = None,
    ) -> None:
        self._runs = [run for run in queue.runs if run.jobs]
        self._rejected: dict[int, Offered] = {}
        groups = [Joined(runs) for runs in queue.requests(job_prios)]
        self._sent = Requests(groups, self._rejected, access, budget)
        self._requests = iter(self._sent)
        #: The first run that may have jobs left.
        self._first = 0
        self._run: Run | None = None
        #: The job that the request names.
        self._named: Job | None = None
        self._used_for: Request | None = None
        #: The jobs that were taken out in this talk, by their identities.
        self._taken: set[int] = set()
        self._name = ""
        self._left = 0
        self.budget = budget
        self.access = access
        #: What was offered, in order.
        self.offered: list[Offered] = []

    def next(self, skipped: int = 1) -> tuple[Request, str] | None:
        """Return what is asked for next, and the first job of that request.

        It is None where nothing is left.

        ``skipped`` is how many jobs the last match was for: more than one where the schedd is
        expected to put them there by itself.
        """
        self._left -= skipped
        if self._run is not None and self._left > 0:
            return self._run.request, self._name
        for run, named, jobs, kept in self._requests:
            offered = Offered(run, named.id, jobs, kept)
            self.offered.append(offered)
            before = self._rejected.get(id(run.request))
            if before is None:
                self._run, self._named, self._name = run, named, named.id
                self._left = jobs if self.access.counts else 0
                return run.request, self._name
            offered.rejection, offered.beyond = before.rejection, before.beyond
        self._run = None
        return None

    @property
    def cut(self) -> bool:
        """Whether there was more than the budget let it offer."""
        return self._sent.cut

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
        self._used_for = self._run.request
        return self._took(self._run.jobs.take(self.named_job))

    def start(self, run: Run) -> Job:
        """Take the first job of a run out."""
        self._used_for = run.request
        return self._took(run.jobs.popleft())

    def _took(self, job: Job) -> Job:
        self._taken.add(id(job))
        return job

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
        if self._run is None or not self._run.jobs:
            return False
        # Requests that come after the first list may name jobs behind others that wait; a job that
        # wants several slots was perhaps taken before.
        return self._run.jobs.first is self._named or id(self._named) not in self._taken

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
        self._left = 0
        self._sent.answered()

    def answered(self) -> None:
        """Note that the schedd has used a match, or has given it back."""
        self._sent.answered()
