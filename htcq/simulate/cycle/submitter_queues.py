"""Who asks in a cycle, and for what: submitters with their queues, by group.

Follows obtainAdsFromCollector of src/condor_negotiator.V6/matchmaker.cpp and
hgq_prepare_for_matchmaking of GroupEntry.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from htcq.pool.job import PLACES, Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Slot
from htcq.pool.versions import version
from htcq.poolquota.access.access_points import AccessPoints, access_points_of
from htcq.poolquota.demand import looked_at
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.group_negotiation import SubmitterQueue
from htcq.simulate.cycle.queues import (
    IDENTITIES,
    AutoclusterIndex,
    Queue,
    Request,
    likeness,
    queues_of,
)
from htcq.simulate.cycle.significant import Significant

#: Equal submitters have their turns by when they were last heard of, modulo this.
_SHUFFLE = 1009


class SubmitterQueues:
    """The submitters of a pool.

    ``order`` names those that come first in their lists at the beginning.
    """

    def __init__(self, pool: Pool, quotas: PoolQuotas, order: Sequence[str] = ()) -> None:
        self._quotas = quotas
        self._order = {name: place for place, name in enumerate(order)}
        self.access = access = access_points_of(pool, quotas)
        self.jobs = tuple(access.runnable(pool.jobs or ()))
        self._runnable = {(job.schedd, job.cluster, job.proc): job for job in self.jobs}
        self.frames = _frames_of(job.frame for job in self.jobs)
        #: Every word of the expressions of its jobs.
        self.words = words_of(self.frames)
        #: What a request shows of its jobs.
        self.significant = _significant(pool, quotas, access, self.words)
        self.likenesses = AutoclusterIndex(self.significant.likeness)
        #: What each submitter asks for at each access point; those without a submitter ad ask in
        #: vain.
        self.queues = queues_of(self.jobs, self.likenesses, access)
        self.by_group = self._asking(
            looked_at(pool.submitters, quotas.knobs, quotas.negotiator_version), self.queues
        )
        #: All of them, whoever is through: turns take those out of the lists by group.
        self.every = tuple(self._all())
        #: Access points that have limits of projects.
        self.with_projects = tuple(access.with_projects())
        #: Submitters with idle jobs of which no job at all is known.
        known = {job.submitter for job in pool.jobs or ()}
        idle = (each.submitter.name for each in self.every if each.submitter.idle)
        self.unknown = tuple(name for name in idle if name not in known)

    def request_of(self, job: Job) -> Request:
        """Return what stands for jobs like ``job``, which need not be runnable."""
        # A runnable job may ask for more of a slot than its ad says.
        return self.likenesses.request(self._runnable.get((job.schedd, job.cluster, job.proc), job))

    def _all(self) -> Iterable[SubmitterQueue]:
        return {id(each): each for asking in self.by_group.values() for each in asking}.values()

    def _asking(
        self, records: Iterable[Record], queues: Mapping[tuple[str, str], Queue]
    ) -> Mapping[str, list[SubmitterQueue]]:
        known = {each.name: each for each in self._quotas.submitters}
        found: dict[str, list[SubmitterQueue]] = {
            group.name: [] for group in self._quotas.tree.groups
        }
        first = len(self._order)
        for record in sorted(records, key=lambda each: self._order.get(each.name, first)):
            submitter, schedd = known[record.name], record.text("ScheddName")
            queue = queues.get((record.name, schedd)) or queues.get((record.name, ""))
            idle = int(record.number("IdleJobs") or 0)
            jobs = Queue((), self.likenesses) if queue is None else queue
            asking = SubmitterQueue(submitter, idle, jobs, self.access[schedd], _heard(record))
            found[submitter.group].append(asking)
        if self._quotas.tree[ROOT].autoregroup:
            again = [
                each
                for group in self._quotas.groups
                if group.autoregroup
                for each in found[group.name]
            ]
            found[ROOT] = [*found[ROOT], *again]
        return found


def _significant(
    pool: Pool, quotas: PoolQuotas, access: AccessPoints, words: set[str]
) -> Significant:
    named = {record.name: record for record in pool.negotiators}
    negotiator = named.get(quotas.published.negotiator) or next(iter(named.values()), None)
    known = () if negotiator is None else version(negotiator.value("CondorVersion"))
    of_slots = words_of(_frames_of(slot.frame for slot in pool.slots or ()))
    return Significant(
        Knobs(quotas.knobs), of_slots, access.words() | words | of_slots, access, known
    )


def likenesses_of(jobs: Iterable[Job], slots: Iterable[Slot]) -> AutoclusterIndex:
    """Return what tells these jobs apart to their own schedd.

    All that expressions of theirs and of slots look at.
    """
    words = words_of(_frames_of(job.frame for job in jobs)) | words_of(
        _frames_of(slot.frame for slot in slots)
    )
    places = tuple(sorted(PLACES[name] for name in (words & PLACES.keys()) - IDENTITIES))
    return AutoclusterIndex(lambda job: likeness(job, job.frame, places))


def words_of(frames: Iterable[SharedAttributes]) -> set[str]:
    """Return every word of the expressions of ``frames``."""
    return set[str]().union(*(frame.words() for frame in frames))


def _heard(record: Record) -> int:
    return int(record.number("LastHeardFrom") or 0) % _SHUFFLE


def _frames_of(frames: Iterable[SharedAttributes]) -> tuple[SharedAttributes, ...]:
    return tuple({id(frame): frame for frame in frames}.values())
