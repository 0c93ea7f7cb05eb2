"""What a pool looks like to elastic quotas at one moment: demand and use by group and dimension, claim by claim.

What is used is what claimed slots have, and what is asked for besides is what the claims of idle
jobs would have: so a group that is given all it asks for can start all of its jobs. Jobs of the
scheduler, grid and local universes and slots that the negotiator does not see are nobody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from htcq.elastic.capacity_of import PoolCapacity, managed_names, room_of
from htcq.elastic.charging import Charging
from htcq.elastic.claimed import claims_of
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.idle_jobs import IdleJobsFound, waiting_of
from htcq.elastic.models import Models
from htcq.elastic.records import PARTS as PARTS
from htcq.elastic.records import WEIGHT as WEIGHT
from htcq.elastic.records import ElasticObservation as ElasticObservation
from htcq.elastic.records import GroupClaim as GroupClaim
from htcq.elastic.records import IdleJobs as IdleJobs
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC
from htcq.pool.slot_class import slot_classes
from htcq.pool.startds import StartdTable
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.published import seconds_of
from htcq.quota.elastic.declaration import DEFAULT, SYSTEM, Amounts, ElasticDemand, ElasticQuotas
from htcq.quota.group_tree import ROOT as CONDOR_ROOT


def observe(pool: Pool, quotas: ElasticQuotas, negotiator: str = "") -> ElasticObservation:
    """Return what ``pool`` looks like to the groups of ``quotas``; ``negotiator`` names one if there are several.

    Never raises for what a pool lacks: ``problems`` tells of it.
    """
    weights = Weights()
    condor = PoolQuotas(pool, weights, negotiator or pool.negotiator)
    supply = condor.supply
    named = {name for group in quotas.groups for name in (*group.max, *group.min, *group.weight)}
    ordered = sorted(supply.slots, key=lambda slot: str(slot.name))
    models, belonging = Models(named, ordered), GroupMembership(quotas.groups)
    room = room_of(supply, models)
    claims = tuple(claims_of(supply, pool.jobs or (), belonging, models))
    kinds = slot_classes(slot for slot in ordered if slot.type != DYNAMIC)
    charging = Charging(kinds, models, supply, StartdTable(pool.execute))
    waiting = waiting_of(pool, condor, belonging, charging)
    used = _sums((claim.group, claim.amounts, 1) for claim in claims)
    names = managed_names(
        {*room.capacity, *named, *(each for sums in used.values() for each in sums)}, named
    )
    wanted = _sums([*((each.group, each.amounts, 1) for each in claims),
                    *((each.group, each.amounts, each.count) for each in waiting.idle)])  # fmt: skip
    outside = (SYSTEM, DEFAULT)
    taken = seconds_of(pool.taken_at)
    return ElasticObservation(
        taken_at=taken if taken is not None else condor.published.moment or 0.0,
        negotiator=condor.published.negotiator,
        demand=ElasticDemand(
            total={name: room.capacity.get(name, 0) for name in sorted(names)},
            request={
                group: _of(sums, names) for group, sums in wanted.items() if group not in outside
            },
            used={group: _of(sums, names) for group, sums in used.items() if group not in outside},
            system_used=_of(used.get(SYSTEM, {}), names),
            default_used=_of(used.get(DEFAULT, {}), names),
        ),
        pool_weight=float(supply.pool_weight),
        claims=claims,
        idle=waiting.idle,
        configured=_configured(condor, belonging),
        weights={
            group: sums.get(WEIGHT, 0) / PARTS
            for group, sums in used.items()
            if group not in outside
        },
        problems=(
            *_problems(pool, condor.published.doubts(()), room, waiting, belonging, claims),
            *_escaping(condor, belonging),
        ),
        capacity=room.capacity,
        unmatchable=room.unmatchable,
        worth=room.worth,
    )


def _sums(parts: Iterable[tuple[str, Amounts, int]]) -> dict[str, dict[str, int]]:
    """Return the sums by group, groups and dimensions by name."""
    found: dict[str, dict[str, int]] = {}
    for group, amounts, count in parts:
        into = found.setdefault(group, {})
        for name, amount in amounts.items():
            into[name] = into.get(name, 0) + amount * count
    return {group: dict(sorted(found[group].items())) for group in sorted(found)}


def _of(amounts: Mapping[str, int], names: frozenset[str]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if name in names}


def _configured(condor: PoolQuotas, belonging: GroupMembership) -> dict[str, float]:
    """Return the quotas of today, by the declared spelling of names that are declared."""
    return {
        belonging.declared(group.name) or group.name: group.config_quota
        if group.static
        else condor.quota(group.name).quota
        for group in condor.groups
        if group.configured
    }


def _problems(
    pool: Pool,
    doubts: Iterable[str],
    room: PoolCapacity,
    waiting: IdleJobsFound,
    belonging: GroupMembership,
    claims: Iterable[GroupClaim],
) -> Iterator[str]:
    yield from pool.incomplete
    yield from doubts
    if pool.slots is None:
        yield "no slots are known: nothing can be shared"
    if room.untold:
        yield f"{room.untold} GPUs have a model that no ad shows: they count as gpus only"
    if room.backfill:
        yield (
            f"{room.backfill} backfill slots offer what other slots offer too: HTCondor counts "
            "both, and so does htcq"
        )
    yield from waiting.problems
    yield from belonging.problems
    if pool.jobs is not None:
        nameless = sum(not claim.job for claim in claims)
        if nameless:
            yield f"{nameless} claimed slots have no job in the queues that were read"


def _escaping(condor: PoolQuotas, belonging: GroupMembership) -> Iterator[str]:
    """Yield which groups may take what is left of the pool after all turns, whatever their quotas."""
    if condor.tree[CONDOR_ROOT].autoregroup:
        names = [
            group.name
            for group in condor.groups
            if group.autoregroup and belonging.declared(group.name)
        ]
        if names:
            told = ", ".join(names)
            yield (
                f"GROUP_AUTOREGROUP is on for {told}: no quota limits their use of the rest of "
                "the pool"
            )
