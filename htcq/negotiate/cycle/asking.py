"""Who asks in a cycle, and for what: submitters with their queues, by group.

Follows obtainAdsFromCollector of src/condor_negotiator.V6/matchmaker.cpp and hgq_prepare_for_matchmaking of
GroupEntry.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from htcq.negotiate.cycle.pie import Asking
from htcq.negotiate.cycle.queues import Likenesses, Queue, queues_of
from htcq.negotiate.demand import looked_at
from htcq.negotiate.groups import PoolQuotas
from htcq.pool.frame import Frame
from htcq.pool.job import PLACES, Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import Slot
from htcq.pool.versions import version
from htcq.quota.knobs import Knobs
from htcq.quota.tree import ROOT

#: Equal submitters have their turns by when they were last heard of, modulo this.
_SHUFFLE = 1009
#: The first version that offers only so many jobs of a submitter at a time, the knob that switches it off, and what
#: MAX_CONCURRENT_UPLOADS is by default: a fifth of it is the limit.
_LIMITS_SUBMITTERS, _LIMITED, _UPLOADS = (25, 11), "SCHEDD_ENABLE_PER_USER_MATCH_LIMITS", 100
_NO_LIMIT = 2**31 - 1
#: The first version whose schedd evaluates the concurrency limits of a job before it compares them with a match's.
_EVALUATES_LIMITS = (24, 7)
#: What tells jobs apart that are alike: looking at it makes no two jobs different for a match.
_NAMES = frozenset({"clusterid", "procid", "globaljobid", "autoclusterid"})


class Askers:
    """The submitters of a pool; ``order`` names those that come first in their lists at the beginning."""

    def __init__(self, pool: Pool, quotas: PoolQuotas, order: Sequence[str] = ()) -> None:
        self._quotas = quotas
        self._order = {name: place for place, name in enumerate(order)}
        self.jobs = tuple(job for job in pool.jobs or () if job.wanted)
        self.frames = _frames_of(job.frame for job in self.jobs)
        #: Every word of the expressions of its jobs.
        self.words = _words(self.frames)
        self._offered = {record.name: most_offered(pool, record) for record in pool.schedds}
        versions = ((record.name, version(record.value("CondorVersion"))) for record in pool.schedds)
        self._literal = {name for name, written in versions if () < written < _EVALUATES_LIMITS}
        queues = queues_of(self.jobs, likenesses_of(self.jobs, pool.slots or ()))
        self.by_group = self._asking(looked_at(pool.submitters, quotas.knobs), queues)
        #: Submitters with idle jobs of which no job is known.
        self.unknown = tuple(each.submitter.name for each in self._all() if each.submitter.idle and not len(each.queue))

    def _all(self) -> Iterable[Asking]:
        return {id(each): each for asking in self.by_group.values() for each in asking}.values()

    def _asking(self, records: Iterable[Record], queues: Mapping[tuple[str, str], Queue]) -> Mapping[str, list[Asking]]:
        known = {each.name: each for each in self._quotas.submitters}
        found: dict[str, list[Asking]] = {group.name: [] for group in self._quotas.tree.groups}
        first = len(self._order)
        for record in sorted(records, key=lambda each: self._order.get(each.name, first)):
            submitter, schedd = known[record.name], record.text("ScheddName")
            queue = queues.get((record.name, schedd)) or queues.get((record.name, ""))
            idle = int(record.number("IdleJobs") or 0)
            jobs = Queue((), Likenesses(())) if queue is None else queue
            literal = schedd in self._literal
            asking = Asking(submitter, idle, jobs, self._offered.get(schedd), _heard(record), schedd, literal)
            found[submitter.group].append(asking)
        if self._quotas.tree[ROOT].autoregroup:
            again = [each for group in self._quotas.groups if group.autoregroup for each in found[group.name]]
            found[ROOT] = [*found[ROOT], *again]
        return found


def likenesses_of(jobs: Iterable[Job], slots: Iterable[Slot]) -> Likenesses:
    """Return what tells these jobs apart: that to which any expression of theirs or of the slots looks."""
    words = _words(_frames_of(job.frame for job in jobs)) | _words(_frames_of(slot.frame for slot in slots))
    return Likenesses((words & PLACES.keys()) - _NAMES)


def _words(frames: Iterable[Frame]) -> set[str]:
    return set[str]().union(*(frame.words() for frame in frames))


def most_offered(pool: Pool, schedd: Record) -> int | None:
    """Return how many jobs of one submitter a schedd offers in one talk; None where it offers all.

    From 25.11 on it is as many as one submitter may transfer at once, whatever is transferred (schedd.cpp:negotiate).
    """
    configuration = pool.access.get(schedd.name, pool.central)
    knobs = Knobs({} if configuration is None else {knob.name: knob.value for knob in configuration})
    limits = []
    if version(schedd.value("CondorVersion")) >= _LIMITS_SUBMITTERS and knobs.boolean(_LIMITED, True):
        uploads = int(knobs.number("MAX_CONCURRENT_UPLOADS", _UPLOADS, 0, _NO_LIMIT))
        each = int(knobs.number("MAX_CONCURRENT_UPLOADS_PER_USER", uploads // 5, 0, _NO_LIMIT))
        limits += [each] if each > 0 else []
    most, running = (schedd.number(name) for name in ("MaxJobsRunning", "TotalRunningJobs"))
    if most is not None and most > 0:
        limits.append(max(0, int(most) - int(running or 0)))
    return min(limits, default=None)


def _heard(record: Record) -> int:
    return int(record.number("LastHeardFrom") or 0) % _SHUFFLE


def _frames_of(frames: Iterable[Frame]) -> tuple[Frame, ...]:
    return tuple({id(frame): frame for frame in frames}.values())
