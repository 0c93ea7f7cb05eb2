"""One look of ``htcq elastic reclaim``: the quotas, the pool, what the journal says, and the plan of all that."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.elastic_look import negotiator_of, operator, read_tree
from htcq.errors import PoolError
from htcq.operations.reclaim import Reclaimer
from htcq.store.reclaim_journal import ReclaimJournal

if TYPE_CHECKING:
    from htcq.elastic.reclaim.reclaim_history import Past
    from htcq.elastic.reclaim.results import ReclaimPlan
    from htcq.elastic.records import Observation
    from htcq.live.userprio import UserPriorities
    from htcq.pool.pool import Pool
    from htcq.quota.elastic.groups import Quotas
    from htcq.quota.elastic.results import Outcome
    from htcq.settings.elastic_write import WriteSettings
    from htcq.settings.reclaim import ReclaimLimits


@dataclass(frozen=True)
class Wanted:
    """The quotas of one negotiator, how much may be taken back there, and the journal of that."""

    quotas: Quotas
    limits: ReclaimLimits
    gates: WriteSettings
    journal: ReclaimJournal


@dataclass(frozen=True)
class Looked:
    """One look; ``refusals`` say why it must not be acted on, ``places`` where slots are."""

    plan: ReclaimPlan
    pool: Pool
    observation: Observation
    past: Past
    places: Mapping[str, str]
    refusals: tuple[str, ...] = ()


def wanted_of(arguments: argparse.Namespace) -> Wanted:
    """Return what the flags name.

    Raises:
        InputError: the quotas cannot be read, are refused, or are of several trees of which none is named.
    """
    file, chosen = read_tree(arguments)
    quotas, limits = file.trees[chosen], file.reclaims[chosen]
    if arguments.journal:
        limits = replace(limits, journal=str(Path(arguments.journal).absolute()))
    return Wanted(quotas, limits, file.writes[chosen], ReclaimJournal(Path(limits.journal)))


def look(arguments: argparse.Namespace, wanted: Wanted) -> Looked:
    """Look at the pool that the flags name, and plan.

    Raises:
        HtcqError: the pool or the journal cannot be read.
    """
    from htcq.cli.pool_options import sources
    from htcq.elastic.observation import observe
    from htcq.elastic.reclaim.free_space import Rooms
    from htcq.elastic.reclaim.plan import plan_reclaim
    from htcq.elastic.reclaim.reclaim_history import past_of
    from htcq.live.vacating import queues_of
    from htcq.operations.health import told_ailments
    from htcq.operations.pool_source import read
    from htcq.quota.elastic.runtime import compute

    pool = read(sources(arguments, negotiator=arguments.name)[0])
    told_ailments(pool)
    observation = observe(pool, wanted.quotas, arguments.name)
    outcome = compute(wanted.quotas, observation.demand)
    records = wanted.journal.records()
    live = not arguments.snapshot
    ends = queues_of(pool.schedds, arguments.timeout).ends(wanted.limits.wall_time) if live else {}
    refused = list(_refusals(arguments, wanted, pool, observation, outcome))
    ceilings: Mapping[str, int] = {}
    if live:
        try:
            there = priorities_of(arguments, pool, observation.negotiator).ceilings()
            ceilings = {who: each.ceiling for who, each in there.items()}
        except PoolError as error:
            refused.append(f"the ceilings of submitters are not known: {error}")
    plan = plan_reclaim(outcome, observation, pool, wanted.limits, records, ends, ceilings)
    rooms = Rooms(pool)
    places = {str(slot.name): rooms.place(str(slot.name)) for slot in pool.slots or ()}
    past = past_of(records, observation.negotiator)
    return Looked(plan, pool, observation, past, places, tuple(refused))


def _refusals(
    arguments: argparse.Namespace, wanted: Wanted, pool: Pool, observation: Observation, outcome: Outcome
) -> Iterator[str]:
    """Yield why nothing may be done: numbers of half a pool, of old ads, or of clocks that differ are wrong ones."""
    from htcq.elastic.gates import passed_over, refusals, several
    from htcq.elastic.invariants import violations
    from htcq.elastic.journal import Seen, State
    from htcq.elastic.pool_health import sight_of
    from htcq.report.printable import tell

    ages = None if arguments.snapshot else negotiator_of(arguments).slot_ages()
    sight = sight_of(pool, arguments.name, observation.pool_weight, ages)
    clock = (sight.taken_at or observation.taken_at) if arguments.snapshot else time.time()
    # Whose claims are taken back is told by the slots: no other schedd is waited for.
    state = State(seen=Seen(0, 0, 0.0))
    for told in passed_over(sight, state, wanted.gates, clock):
        tell(f"htcq: {told}")
    for each in (*several(sight, arguments.name), *refusals(sight, state, None, wanted.gates, clock)):
        yield f"{each.message} ({each.hint})" if each.hint else each.message
    for wrong in violations(outcome):
        yield f"the computation contradicts itself: {wrong}"
    if pool.jobs is None:
        yield "the queues are not known"


def priorities_of(arguments: argparse.Namespace, pool: Pool, negotiator: str) -> UserPriorities:
    """Return the negotiator's record of submitters, and whether it lends ceilings."""
    from htcq.live.userprio import LEASES, UserPriorities
    from htcq.pool.versions import version

    found = [each for each in pool.negotiators if each.name == negotiator] or list(pool.negotiators)
    leases = bool(found) and version(found[0].value("CondorVersion")) >= LEASES
    return UserPriorities(arguments.pool or None, arguments.name, leases, arguments.timeout)


def reclaimer_of(arguments: argparse.Namespace, wanted: Wanted, pool: Pool) -> Reclaimer:
    """Return what acts on ``pool``."""
    from htcq.live.vacating import queues_of
    from htcq.operations.ceilings import Ceilings
    from htcq.poolquota.published import Published

    negotiator = Published(pool, arguments.name or pool.negotiator).negotiator
    priorities = priorities_of(arguments, pool, negotiator)
    ceilings = Ceilings(wanted.journal, priorities, negotiator, wanted.limits.lease, operator())
    queues = queues_of(pool.schedds, arguments.timeout)
    return Reclaimer(wanted.journal, ceilings, queues, wanted.limits, negotiator, operator())
