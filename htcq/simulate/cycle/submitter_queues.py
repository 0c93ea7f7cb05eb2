"""Who asks in a cycle, and for what: submitters with their queues, by group.

Follows obtainAdsFromCollector of src/condor_negotiator.V6/matchmaker.cpp and
hgq_prepare_for_matchmaking of GroupEntry.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import itemgetter

from htcq.classads import Value
from htcq.pool.job import PLACES, Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.reference_graph import ANY_NAME
from htcq.pool.shared_attributes import SharedAttributes, frames_of
from htcq.pool.slot import Slot
from htcq.pool.versions import version
from htcq.poolquota.access.access_points import AccessPoints, access_points_of
from htcq.poolquota.demand import looked_at
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.collector_order import CollectorOrder, CollectorTables
from htcq.simulate.cycle.group_negotiation import SubmitterQueue
from htcq.simulate.cycle.job_queues import (
    IDENTITIES,
    NOT_COMPARED,
    AutoclusterIndex,
    JobQueues,
    likeness,
)
from htcq.simulate.cycle.queues import Queue, Request
from htcq.simulate.cycle.significant import Significant

#: Attributes of a job that tell whose it is.
_OF_USERS = frozenset({"user", "owner", "accountinggroup", "acctgroup"})
#: The JobPrio of submitters whose access point lists none (INT_MIN).
_LEAST_PRIO = -(2**31)
_WHOLE = re.compile(r"[+-]?\d+")
#: Equal submitters have their turns by when they were last heard of, modulo this.
_SHUFFLE = 1009


class SubmitterQueues:
    """The submitters of a pool.

    ``order`` names those that come first in their lists at the beginning. ``named`` are words of
    expressions that are neither of jobs nor of slots; those ``of_negotiator`` are significant. Of
    ``before``, of an earlier moment of the pool or of one with other settings, jobs that are the
    same objects have the same requests; nothing of it is used again where access points have
    other configurations. ``tables`` are those of the collector.
    """

    def __init__(
        self,
        pool: Pool,
        quotas: PoolQuotas,
        order: Sequence[str] = (),
        named: Iterable[str] = (),
        before: SubmitterQueues | None = None,
        of_negotiator: Iterable[str] = (),
        tables: CollectorTables | None = None,
    ) -> None:
        self._quotas = quotas
        #: Whether the submitters stand as the collector handed them out.
        self.is_in_order = pool.in_order
        self._order = {name: place for place, name in enumerate(order)}
        earlier = None if before is None else before.access
        access = access_points_of(pool, quotas, earlier)
        self.access: AccessPoints = access
        tables = tables or CollectorTables()
        if tables.submitters is None:
            keys = [_key(each) for each in pool.submitters]
            tables.submitters = CollectorOrder(keys, pool.in_order)
        self._table: CollectorOrder = tables.submitters
        if before is not None and not access.configured_like(before.access):
            before = None
        self._queues = self._queued(pool, set(named), frozenset(of_negotiator), before)
        #: What each submitter asks for at each access point; those without a submitter ad ask in
        #: vain.
        self.queues: Mapping[tuple[str, str], Queue] = self._queues.by_owner
        #: How many slots the jobs of each submitter want.
        self.wanted: Mapping[str, int] = self._queues.wanted
        self.by_group = self._asking(
            looked_at(pool.submitters, quotas.knobs, quotas.negotiator_version), self.queues
        )
        #: All of them, whoever is through: turns take those out of the lists by group.
        self.every = tuple(self._all())
        #: Access points that have limits of projects.
        self.with_projects = tuple(access.with_projects())
        #: Submitters with idle jobs of which no job at all is known.
        known = self._queues.submitters
        idle = (each.submitter.name for each in self.every if each.submitter.idle)
        self.unknown = tuple(name for name in idle if name not in known)

    def _queued(
        self,
        pool: Pool,
        named: Iterable[str],
        of_negotiator: frozenset[str],
        before: SubmitterQueues | None,
    ) -> JobQueues:
        """Return the queues, those of ``before`` where they live on."""
        jobs, access = pool.jobs or (), self.access
        by_job_prio = Knobs(self._quotas.knobs).boolean("USE_GLOBAL_JOB_PRIOS", False)
        queues = JobQueues(by_job_prio)
        if (
            before is not None
            and before._live_on
            and access.is_steady
            and before._queues.by_job_prio == by_job_prio
        ):
            queues = before._queues
        queues.begin(jobs, access)
        #: What idle jobs share, those that are not offered now among them, and every word of that.
        self.frames = (*queues.frames, *queues.unseen)
        offered = words_of(queues.frames)
        self.words = offered | words_of(queues.unseen)
        of_slots = words_of(frames_of(pool.slots or ())) | of_negotiator
        compared = access.words() | offered | of_slots
        written = _negotiator_version(pool, self._quotas)
        told_apart_by = compared.intersection(PLACES)
        self._told_apart_by = (self._quotas.knobs, of_slots, told_apart_by, written)
        #: What a request shows of its jobs, and which jobs are alike.
        self.significant: Significant
        kept: AutoclusterIndex | None = None
        if before is not None and before._told_apart_by == self._told_apart_by:
            self.significant, kept = before.significant, before.likenesses
            self.significant.access = access
        else:
            knobs = Knobs(self._quotas.knobs)
            self.significant = Significant(knobs, of_slots, told_apart_by, access, written)
        words = compared.union(named)
        self.likenesses: AutoclusterIndex
        if kept is not None and before is not None and queues is before._queues:
            self.likenesses = kept
        else:
            seen = _seen_of_first(words)
            self.likenesses = AutoclusterIndex(self.significant.likeness, kept, seen)
        queues.queue(jobs, access, self.likenesses)
        self._live_on: bool = queues.live_on and words.isdisjoint((*IDENTITIES, ANY_NAME))
        return queues

    @property
    def jobs(self) -> Iterator[Job]:
        """The jobs that their schedds would start now, as the negotiator sees them."""
        return self._queues.jobs

    def waiting(self) -> Iterator[tuple[str, Request, int]]:
        """Yield the requests of each submitter, and how many jobs wait with them."""
        for (submitter, _), queue in self.queues.items():
            for run in queue.runs:
                # A job that wants several slots is there as often.
                yield submitter, run.request, len({id(job) for job in run.jobs})

    @cached_property
    def _runnable(self) -> Mapping[tuple[Value, Value, Value], Job]:
        return {(job.schedd, job.cluster, job.proc): job for job in self.jobs}

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
        first, here = len(self._order), list(records)
        places = self._table.places([_key(record) for record in here])
        given = [self._order.get(record.name, first) for record in here]
        for _, _, record in sorted(zip(given, places, here), key=itemgetter(0, 1)):
            submitter, schedd = known[record.name], record.text("ScheddName")
            queue = queues.get((record.name, schedd)) or queues.get((record.name, ""))
            idle = int(record.number("IdleJobs") or 0)
            jobs = Queue() if queue is None else queue
            place = self._order.get(record.name, first)
            asking = SubmitterQueue(
                submitter, idle, jobs, self.access[schedd], _heard(record), place
            )
            found[submitter.group] += self._by_job_prio(asking, record)
        if self._quotas.tree[ROOT].autoregroup:
            again = [
                each
                for group in self._quotas.groups
                if group.autoregroup
                for each in found[group.name]
            ]
            found[ROOT] = [*found[ROOT], *again]
        return found

    def _by_job_prio(self, asking: SubmitterQueue, record: Record) -> list[SubmitterQueue]:
        """Return the submitter once for each priority of its jobs, where the negotiator asks so.

        An access point that lists none is asked for all of its jobs, behind all others.
        """
        if not self._queues.by_job_prio:
            return [asking]
        listed = record.value("JobPrioArray")
        if not isinstance(listed, str):
            return [replace(asking, job_prio=_LEAST_PRIO)]
        found = []
        for text in listed.replace(",", " ").split():
            prio = _whole_number(text)
            found.append(replace(asking, job_prio=prio, job_prios=range(prio, prio + 1)))
        return found


def _whole_number(text: str) -> int:
    """Return what C's atoi makes of ``text``."""
    found = _WHOLE.match(text)
    return int(found[0]) if found is not None else 0


def _negotiator_version(pool: Pool, quotas: PoolQuotas) -> tuple[int, ...]:
    named = {record.name: record for record in pool.negotiators}
    negotiator = named.get(quotas.published.negotiator) or next(iter(named.values()), None)
    return () if negotiator is None else version(negotiator.value("CondorVersion"))


def _seen_of_first(words: set[str]) -> Iterable[str]:
    """Return the attributes of a job's own that expressions with ``words`` or schedds see."""
    if ANY_NAME in words:
        return PLACES
    return words.intersection(PLACES) | _OF_USERS


def likenesses_of(jobs: Iterable[Job], slots: Iterable[Slot]) -> AutoclusterIndex:
    """Return what tells these jobs apart to their own schedd.

    All that expressions of theirs and of slots look at.
    """
    words = words_of(frames_of(jobs)) | words_of(frames_of(slots))
    places = tuple(sorted(PLACES[name] for name in (words & PLACES.keys()) - NOT_COMPARED))
    return AutoclusterIndex(lambda job: likeness(job, job.frame, places))


def words_of(frames: Iterable[SharedAttributes]) -> set[str]:
    """Return every word of the expressions of ``frames``."""
    # Many frames share one set.
    return set[str]().union(*{frame.words() for frame in frames})


def _key(record: Record) -> str:
    """Return the key of a submitter's ad in the collector's table."""
    return f"{record.name}{record.text('ScheddName')}"


def _heard(record: Record) -> int:
    return int(record.number("LastHeardFrom") or 0) % _SHUFFLE
