"""The queues of all submitters, and which of their jobs are alike.

The queues live from cycle to cycle as long as nothing but the coming and going of jobs changes
them: only jobs that are new to them are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter, itemgetter
from typing import NamedTuple, Optional

from htcq.pool.job import PLACES, Job
from htcq.pool.shared_attributes import SharedAttributes
from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.access_points import AccessPoints
from htcq.simulate.cycle.queue_order import Order, place_in_queue, priorities_of
from htcq.simulate.cycle.queues import Queue, Request

#: What tells jobs apart that share a frame: the values of their own attributes that some expression
#: looks at.
Likeness = tuple[object, ...]
#: What each job has for itself: where an expression names it, each is an autocluster of its own.
IDENTITIES = frozenset({"clusterid", "procid", "globaljobid", "autoclusterid"})
#: The number of an autocluster tells no jobs apart: it is what comes of that.
NOT_COMPARED = frozenset({"autoclusterid"})
#: Requests that are kept from cycle to cycle.
_MAX_KEPT = 10_000


def likeness(job: Job, frame: SharedAttributes, places: Iterable[int]) -> Likeness:
    """Return the key of jobs with equal values at ``places`` and equal ``frame`` in requests."""
    values = [job[place] for place in places]
    # 1, 1.0 and true are equal keys, and different to an expression.
    return (id(frame), *values, *map(type, values))


class AutoclusterIndex:
    """Collapses jobs into requests; ``likeness`` returns what is equal for jobs of one request.

    Requests stay the same objects as ``before``, with the same ``likeness``, where the first job
    has the same values of the attributes ``of_first``.
    """

    def __init__(
        self,
        likeness: Callable[[Job], Likeness],
        before: AutoclusterIndex | None = None,
        of_first: Iterable[str] = (),
    ) -> None:
        self._likeness = likeness
        self._places = tuple(sorted(PLACES[name] for name in of_first))
        self._known: dict[Likeness, Request] = {}
        self._kept: dict[Likeness, Request] = {}
        if before is not None and before._places == self._places:
            self._kept = before._kept

    @property
    def is_full(self) -> bool:
        """Whether it knows more requests than are kept."""
        return len(self._known) > _MAX_KEPT

    def request(self, job: Job) -> Request:
        """Return the request that ``job`` is part of."""
        key = self._likeness(job)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._request(key, job)
        return found

    def _request(self, key: Likeness, job: Job) -> Request:
        values = [job[place] for place in self._places]
        whole = (*key, *values, *map(type, values))
        if whole not in self._kept:
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            self._kept[whole] = Request(job)
        return self._kept[whole]


class _QueuedJob(NamedTuple):
    """A job of the pool, as its schedd shows it (None: not at all), whose it is, and its place.

    ``kept_back``: it is in the list of the schedd, which offers it for no slot.
    """

    job: Job
    shown: Job | None
    kept_back: bool
    wanted: int
    whose: tuple[str, str]
    order: Order

    @property
    def frame(self) -> SharedAttributes | None:
        """What it shares with others, as it is shown if it is; None of jobs that want no slot."""
        if self.shown is not None:
            return self.shown.frame
        return self.job.frame if self.wanted else None

    @property
    def is_listed(self) -> bool:
        """Whether it is in a queue."""
        return self.kept_back or self.shown is not None


class _KindOfJob(NamedTuple):
    """What is equal for jobs of one access point with one frame and equal values of ``_DECIDING``.

    ``shows_all``: each is shown as it is. ``is_steady``: neither time nor what runs changes that.
    """

    access: AccessPoint
    wanted: int
    whose: tuple[str, str]
    shows_all: bool
    is_steady: bool
    priorities: Order


#: What decides whose a job is, how many slots it wants and where it stands in its queue.
_DECIDING = itemgetter(
    *(PLACES[name] for name in ("user", "owner", "accountinggroup", "jobstatus", "maxhosts",
                                "currenthosts", "jobcooldownexpiration", "prejobprio1",
                                "prejobprio2", "jobprio", "postjobprio1", "postjobprio2"))
)  # fmt: skip


class JobQueues:
    """The queues by submitter and schedd; the schedd is empty where the pool does not say.

    With ``by_job_prio`` the jobs of a run have one JobPrio.
    """

    def __init__(self, by_job_prio: bool = False) -> None:
        self.by_job_prio = by_job_prio
        self.by_owner: dict[tuple[str, str], Queue] = {}
        self._known: dict[int, _QueuedJob] = {}
        #: Which jobs are alike, and those that have come and are in no queue yet.
        self._likenesses: AutoclusterIndex | None = None
        self._come: Sequence[_QueuedJob] = ()
        #: How many jobs that are shown have each set of shared attributes, how many that are not,
        #: and how many slots the jobs of each submitter want.
        self._frames = Counter[SharedAttributes]()
        self._unseen = Counter[SharedAttributes]()
        self.wanted = Counter[str]()
        #: How many jobs each submitter has, shown or not.
        self._jobs = Counter[str]()
        #: Whether the queues stay right when jobs come and go.
        self.live_on = True

    @property
    def jobs(self) -> Iterator[Job]:
        """The jobs that their schedds would start now, as the negotiator sees them."""
        return (each.shown for each in self._known.values() if each.shown is not None)

    @property
    def frames(self) -> tuple[SharedAttributes, ...]:
        """What these jobs share, each once."""
        return tuple(self._frames)

    @property
    def unseen(self) -> tuple[SharedAttributes, ...]:
        """What idle jobs share that their schedds would not start now, each once."""
        return tuple(self._unseen)

    @property
    def submitters(self) -> set[str]:
        """The submitters of all jobs."""
        return {name for name, jobs in self._jobs.items() if jobs}

    def begin(self, jobs: Sequence[Job], access: AccessPoints) -> None:
        """Begin a cycle with no match; of all ``jobs`` those that have come are in no queue yet."""
        present = dict(zip(map(id, jobs), jobs))
        for queue in self.by_owner.values():
            queue.begin()
        for key in self._known.keys() - present.keys():
            each = self._known.pop(key)
            self._count(each, each.frame, -1)
            if each.is_listed:
                self.by_owner[each.whose].remove(each.order)
        kinds: dict[tuple[object, ...], _KindOfJob] = {}
        come: list[_QueuedJob] = []
        alike = dict[tuple[str, int, bool, Optional[SharedAttributes]], list[_QueuedJob]]()
        for key, job in present.items():
            if key not in self._known:
                each = self._known[key] = self._queued(job, access, kinds)
                come.append(each)
                kind = each.whose[0], each.wanted, each.shown is not None, each.frame
                alike.setdefault(kind, []).append(each)
        for (*_, frame), those in alike.items():
            self._count(those[0], frame, len(those))
        self._come = come

    def queue(
        self, jobs: Sequence[Job], access: AccessPoints, likenesses: AutoclusterIndex
    ) -> None:
        """Put those that have come into the queues, all ``jobs`` where others are alike now."""
        if likenesses is not self._likenesses:
            self._queue_anew(jobs, access, likenesses)
            return
        for each in self._come:
            if not each.is_listed:
                continue
            queue = self.by_owner.get(each.whose)
            if queue is None:
                queue = self.by_owner[each.whose] = Queue(access.offers, self.by_job_prio)
            if each.shown is None:
                is_new = queue.keep_back(each.order, each.job)
            else:
                request = likenesses.request(each.shown)
                is_new = queue.put(each.order, each.shown, each.wanted, request)
            if not is_new:
                self._queue_anew(jobs, access, likenesses)
                return
        self._end()

    def _queued(
        self, job: Job, access: AccessPoints, kinds: dict[tuple[object, ...], _KindOfJob]
    ) -> _QueuedJob:
        values = _DECIDING(job)
        # 1, 1.0 and true are equal keys, and different ones here.
        key = (id(job.frame), access.name_of(job), *values, *map(type, values))
        kind = kinds.get(key)
        if kind is None:
            kind = kinds[key] = self._kind(job, access)
        self.live_on = self.live_on and kind.is_steady
        shown: Job | None = None
        if kind.shows_all:
            shown = job
        elif kind.wanted:
            shown = access.shown(job, kind.access)
        kept_back = shown is None and kind.wanted > 0 and not access.is_cooling_down(job)
        place = place_in_queue(job, kind.priorities)
        return _QueuedJob(job, shown, kept_back, kind.wanted, kind.whose, place)

    def _kind(self, job: Job, access: AccessPoints) -> _KindOfJob:
        schedd = access.of(job)
        is_steady = access.always_shows(job, schedd)
        wanted = job.wanted
        shows_all = is_steady and wanted > 0 and not job.parallel
        whose = (job.submitter, schedd.name)
        return _KindOfJob(schedd, wanted, whose, shows_all, is_steady, priorities_of(job))

    def _count(self, like: _QueuedJob, frame: SharedAttributes | None, number: int) -> None:
        """Count so many jobs that are ``like`` this one, which share ``frame``."""
        self._jobs[like.whose[0]] += number
        if frame is None:
            return
        frames = self._unseen
        if like.shown is not None:
            frames = self._frames
            self.wanted[like.whose[0]] += number * like.wanted
        frames[frame] += number
        if not frames[frame]:
            del frames[frame]

    def _queue_anew(
        self, jobs: Sequence[Job], access: AccessPoints, likenesses: AutoclusterIndex
    ) -> None:
        self._likenesses = likenesses
        self.by_owner = {}
        by_owner: dict[tuple[str, str], list[_QueuedJob]] = {}
        for job in jobs:
            each = self._known[id(job)]
            if each.is_listed:
                by_owner.setdefault(each.whose, []).append(each)
        for whose, queued in by_owner.items():
            queued.sort(key=attrgetter("order"))
            queue = self.by_owner[whose] = Queue(access.offers, self.by_job_prio)
            for each in queued:
                if each.shown is None:
                    queue.keep_back(each.order, each.job)
                else:
                    request = likenesses.request(each.shown)
                    queue.append(each.order, each.shown, each.wanted, request)
            places = {each.order for each in queued}
            self.live_on = self.live_on and len(places) == len(queued)
        self._end()

    def _end(self) -> None:
        self._come = ()
        self.by_owner = {
            whose: queue for whose, queue in self.by_owner.items() if not queue.is_empty
        }
        assert self._likenesses is not None
        self.live_on = self.live_on and not self._likenesses.is_full
