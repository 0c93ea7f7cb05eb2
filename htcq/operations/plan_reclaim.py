"""One observation of a pool for ``htcq elastic reclaim``, and the plan of reclaim."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.errors import PoolError
from htcq.operations.elastic_quotas import read_tree
from htcq.operations.health import told_ailments
from htcq.operations.pool_source import read
from htcq.store.reclaim_journal import ReclaimJournal

if TYPE_CHECKING:
    from htcq.elastic.reclaim.reclaim_fields import JobKey
    from htcq.elastic.reclaim.reclaim_history import ReclaimHistory
    from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
    from htcq.elastic.records import ElasticObservation
    from htcq.live.userprio import UserPriorities
    from htcq.operations.pool_source import Source
    from htcq.pool.pool import Pool
    from htcq.quota.elastic.declaration import ElasticQuotas
    from htcq.quota.elastic.group_runtime import ElasticOutcome
    from htcq.settings.elastic_write import WriteSettings
    from htcq.settings.reclaim import ReclaimLimits


@dataclass(frozen=True)
class ReclaimRequest:
    """The quotas of one negotiator, the limits of reclaim there, and its journal."""

    quotas: ElasticQuotas
    limits: ReclaimLimits
    gates: WriteSettings
    journal: ReclaimJournal


@dataclass(frozen=True)
class ObservedReclaim:
    """One observation of a pool and the plan of reclaim.

    ``places`` has, by slot, the slot that is there once it is free. ``refusals`` are the reasons
    why nothing may be done.
    """

    plan: ReclaimPlan
    pool: Pool
    observation: ElasticObservation
    history: ReclaimHistory
    places: Mapping[str, str]
    refusals: tuple[str, ...] = ()


def read_request(name: str, negotiator: str, journal: str | None) -> ReclaimRequest:
    """Return the request that the file of quotas ``name`` makes.

    ``journal``, if any, replaces the journal that the file names.

    Raises:
        InputError: the quotas cannot be read, are refused, or have several trees and ``negotiator``
            names none of them.
    """
    file, chosen = read_tree(name, negotiator)
    limits = file.reclaims[chosen]
    if journal:
        limits = replace(limits, journal=str(Path(journal).absolute()))
    return ReclaimRequest(
        file.trees[chosen], limits, file.writes[chosen], ReclaimJournal(Path(limits.journal))
    )


def plan_reclaim(source: Source, wanted: ReclaimRequest) -> ObservedReclaim:
    """Read the pool and return what would be taken back now.

    Raises:
        HtcqError: the pool or the journal cannot be read.
    """
    from htcq.elastic.observation import observe
    from htcq.elastic.reclaim import planner
    from htcq.elastic.reclaim.free_space import FreeSpaces
    from htcq.live.vacating import queues_of
    from htcq.quota.elastic.runtime import compute

    pool = read(source)
    told_ailments(pool)
    observation = observe(pool, wanted.quotas, source.negotiator)
    outcome = compute(wanted.quotas, observation.demand)
    events = wanted.journal.events()
    live = source.snapshot is None
    ends: Mapping[JobKey, float] = {}
    if live:
        ends = queues_of(pool.schedds, source.timeout).ends(wanted.limits.wall_time)
    refused = list(_refusals(source, wanted, pool, observation, outcome))
    ceilings: Mapping[str, int] = {}
    if live:
        try:
            there = priorities_of(source, pool, observation.negotiator).ceilings()
            ceilings = {who: each.ceiling for who, each in there.items()}
        except PoolError as error:
            refused.append(f"the ceilings of submitters are not known: {error}")
    planned = planner.plan_reclaim(
        outcome, observation, pool, wanted.limits, events, ends, ceilings
    )
    spaces = FreeSpaces(pool)
    places = {str(slot.name): spaces.place(str(slot.name)) for slot in pool.slots or ()}
    history = wanted.journal.history(observation.negotiator)
    return ObservedReclaim(planned, pool, observation, history, places, tuple(refused))


def _refusals(
    source: Source,
    wanted: ReclaimRequest,
    pool: Pool,
    observation: ElasticObservation,
    outcome: ElasticOutcome,
) -> Iterator[str]:
    """Yield why nothing may be done: incomplete data, old ads or clocks that differ."""
    from htcq.elastic.gates import ignored_faults, refusals, several
    from htcq.elastic.invariants import violations
    from htcq.elastic.journal import JournalState, PoolSeen
    from htcq.elastic.pool_health import health_of
    from htcq.live.reconfig import Negotiator
    from htcq.report.printable import tell

    ages = None
    if not source.snapshot:
        ages = Negotiator(source.pool, source.negotiator, source.timeout).slot_ages()
    sight = health_of(pool, source.negotiator, observation.pool_weight, ages)
    clock = time.time()
    if source.snapshot:
        clock = sight.taken_at or observation.taken_at
    # The slots say whose claims are taken back: no other schedd need be known.
    state = JournalState(seen=PoolSeen(0, 0, 0.0))
    for warning in ignored_faults(sight, state, wanted.gates, clock):
        tell(f"htcq: {warning}")
    refused = [
        *several(sight, source.negotiator),
        *refusals(sight, state, None, wanted.gates, clock),
    ]
    for each in refused:
        if each.hint:
            yield f"{each.message} ({each.hint})"
        else:
            yield each.message
    for wrong in violations(outcome):
        yield f"the computation contradicts itself: {wrong}"
    if pool.jobs is None:
        yield "the queues are not known"


def priorities_of(source: Source, pool: Pool, negotiator: str) -> UserPriorities:
    """Return the negotiator's record of submitters, and whether it lends ceilings."""
    from htcq.live.userprio import LEASES, UserPriorities
    from htcq.pool.versions import version

    named = [each for each in pool.negotiators if each.name == negotiator]
    found = named or list(pool.negotiators)
    leases = bool(found) and version(found[0].value("CondorVersion")) >= LEASES
    return UserPriorities(source.pool, source.negotiator, leases, source.timeout)
