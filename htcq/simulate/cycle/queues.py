"""What each submitter asks for.

The idle jobs of its queue, in the order in which its schedd sends them.

Follows src/condor_schedd.V6/qmgmt.cpp (prio_compar, FindRunnableJob), schedd_negotiate.cpp
(nextJob) and src/condor_negotiator.V6/matchmaker_negotiate.cpp (ResourceRequestList), HTCondor
25.14. Jobs that follow each other and are alike are one request, which asks for as many matches
as there are jobs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from htcq.classads import Value, as_number
from htcq.pool.job import Job
from htcq.pool.shared_attributes import SharedAttributes
from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.access_points import AccessPoints
from htcq.poolquota.access.offer_budget import OfferBudget

#: What tells jobs apart that share a frame: the values of their own attributes that some expression
#: looks at.
Likeness = tuple[object, ...]


#: What tells jobs apart that are alike: that slots look at it makes no two jobs different for a
#: match.
IDENTITIES = frozenset({"clusterid", "procid", "globaljobid", "autoclusterid"})


def likeness(job: Job, frame: SharedAttributes, places: Iterable[int]) -> Likeness:
    """Return the key of jobs with equal values at ``places`` and equal ``frame`` in requests."""
    values = [job[place] for place in places]
    # 1, 1.0 and true are equal keys, and different to an expression.
    return (id(frame), *values, *map(type, values))


@dataclass(eq=False)
class Request:
    """Jobs that are alike: HTCondor's autocluster. All are asked for with the ad of the first."""

    first: Job
    frame: SharedAttributes = field(init=False)

    def __post_init__(self) -> None:
        #: What they share.
        self.frame = self.first.frame


class AutoclusterIndex:
    """Collapses jobs into requests; ``likeness`` returns what is equal for jobs of one request."""

    def __init__(self, likeness: Callable[[Job], Likeness]) -> None:
        self._likeness = likeness
        self._known: dict[Likeness, Request] = {}

    def request(self, job: Job) -> Request:
        """Return the request that ``job`` is part of."""
        key = self._likeness(job)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Request(job)
        return found


@dataclass
class Run:
    """Jobs that are alike and follow each other in a queue.

    One that wants several slots stands there as often.
    """

    request: Request
    jobs: deque[Job] = field(default_factory=deque)


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

    Matched ones leave it. ``offers`` tells what is asked for.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        likenesses: AutoclusterIndex,
        offers: Callable[[Job], bool] = lambda job: True,
    ) -> None:
        self.runs: list[Run] = []
        self.offered: dict[int, bool] = {}
        for job in sorted(jobs, key=order_in_queue):
            request = likenesses.request(job)
            if not self.runs or self.runs[-1].request is not request:
                self.runs.append(Run(request))
                if id(request) not in self.offered:
                    self.offered[id(request)] = offers(job)
            self.runs[-1].jobs.extend([job] * job.wanted)

    def __len__(self) -> int:
        return sum(len(run.jobs) for run in self.runs)


class Session:
    """One negotiation with an access point about the jobs of one submitter, with its budget.

    What it has offered counts, whether it was matched or rejected. All requests are named and
    counted before the first match; what a match is used for then is another matter.
    """

    def __init__(self, queue: Queue, access: AccessPoint, budget: OfferBudget) -> None:
        queue.runs = [run for run in queue.runs if run.jobs]
        self._queue = queue
        self._requests = iter(_requests(queue))
        self._rejected: dict[int, Offered] = {}
        self._run: Run | None = None
        self._name = ""
        self._left = 0
        self.budget = budget
        self.access = access
        #: What was offered, in order, and whether there was more than the budget let it offer.
        self.offered: list[Offered] = []
        self.cut = False

    def next(self, skipped: int = 1) -> tuple[Request, str] | None:
        """Return what is asked for next, and the first job of that request.

        It is None where nothing is left.

        ``skipped`` is how many jobs the last match was for: more than one where the schedd is
        expected to put them there by itself.
        """
        self._left -= skipped
        if self._run is not None and self._left > 0:
            return self._run.request, self._name
        for run, jobs, name in self._requests:
            if not self.budget.is_open():
                self.cut = True
                break
            limit = self.access.user_limit(run.request.first)
            wanted = jobs if limit is None else min(jobs, limit.left)
            count = self.budget.take(wanted)
            self.cut = self.cut or count < wanted
            offered = Offered(run, name, count, kept=jobs - wanted)
            self.offered.append(offered)
            before = self._rejected.get(id(run.request))
            if before is None:
                self._run, self._left, self._name = run, count, name
                return run.request, self._name
            offered.rejection, offered.beyond = before.rejection, before.beyond
        self._run = None
        return None

    def matched(
        self,
        suits: Callable[[Request], bool],
        can_start: Callable[[Job], bool] = lambda job: True,
        can_start_another: Callable[[Job], bool] = lambda job: True,
    ) -> Job | None:
        """Take the job out that the schedd uses a match for; None where it has none.

        That is the one which the request names, and once that is matched, or the schedd cannot
        start it there, the first in the queue whose request ``suits`` the slot, whatever the
        match was made for.
        """
        assert self._run is not None
        self.offered[-1].matched += 1
        if self._run.jobs and self._run.jobs[0].id == self._name and can_start(self._run.jobs[0]):
            return self._run.jobs.popleft()
        suiting = (run.jobs for run in self._queue.runs if run.jobs and suits(run.request))
        return next((jobs.popleft() for jobs in suiting if can_start_another(jobs[0])), None)

    def names_a_job_that_waits(self) -> bool:
        """Tell whether the job that the request names has no match yet."""
        return self._run is not None and bool(self._run.jobs) and self._run.jobs[0].id == self._name

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


def _requests(queue: Queue) -> list[tuple[Run, int, str]]:
    """Return what is asked for: a run of jobs, how many, and the first.

    Runs join where nothing offered is between.
    """
    found: list[tuple[Run, int, str]] = []
    for run in queue.runs:
        if not queue.offered[id(run.request)]:
            continue
        if found and found[-1][0].request is run.request:
            first, count, name = found.pop()
            found.append((first, count + len(run.jobs), name))
        else:
            found.append((run, len(run.jobs), run.jobs[0].id))
    return found


def queues_of(
    jobs: Iterable[Job], likenesses: AutoclusterIndex, access: AccessPoints
) -> Mapping[tuple[str, str], Queue]:
    """Return the queues of ``jobs`` by submitter and schedd.

    The schedd is empty where the pool does not say.
    """
    found: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        found.setdefault((job.submitter, access.name_of(job)), []).append(job)
    return {who: Queue(each, likenesses, access.offers) for who, each in found.items()}


def order_in_queue(job: Job) -> tuple[int, ...]:
    """Return what jobs of one queue are sorted by: priorities, cluster, proc (prio_compar)."""
    priorities = (job.pre_prio_1, job.pre_prio_2, job.prio, job.post_prio_1, job.post_prio_2)
    return (*(-_whole(each) for each in priorities), _whole(job.cluster), _whole(job.proc))


def _whole(value: Value) -> int:
    return value if type(value) is int else int(as_number(value) or 0)
