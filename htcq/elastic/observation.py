"""Observation of a pool for elastic quotas: demand and usage by group and dimension.

Usage is what claimed slots have. The request adds what the claims of idle jobs would have, so that
a group whose request is granted can start all of its jobs. Jobs of the scheduler, grid and local
universes do not count, nor do slots that the negotiator does not see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from htcq.claims.startds import StartdTable
from htcq.elastic.capacity_of import PoolCapacity, capacity_of, managed_names
from htcq.elastic.charging import Charging
from htcq.elastic.claimed import claims_of
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.idle_jobs import (
    IdleJobsFound,
    idle_jobs_of,
    of_silent_schedds,
    silent_schedds,
)
from htcq.elastic.models import Models
from htcq.elastic.records import PARTS as PARTS
from htcq.elastic.records import WEIGHT as WEIGHT
from htcq.elastic.records import ElasticObservation as ElasticObservation
from htcq.elastic.records import GroupClaim as GroupClaim
from htcq.elastic.records import IdleJobs as IdleJobs
from htcq.elastic.usage_check import usage_of
from htcq.pool.pool import Pool, seconds_of
from htcq.pool.slot import DYNAMIC
from htcq.pool.slot_class import SlotClass, slot_classes
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.elastic.declaration import DEFAULT, SYSTEM, Amounts, ElasticDemand, ElasticQuotas
from htcq.quota.group_tree import ROOT as CONDOR_ROOT


def observe(pool: Pool, quotas: ElasticQuotas, negotiator: str = "") -> ElasticObservation:
    """Return the observation of ``pool`` for the groups of ``quotas``.

    ``negotiator`` selects one of several.

    Missing data raises no error: it is in ``problems``.
    """
    weights = Weights()
    condor = PoolQuotas(pool, weights, negotiator or pool.negotiator)
    supply = condor.supply
    named = set[str]().union(*(group.names() for group in quotas.groups))
    ordered = sorted(supply.slots, key=lambda slot: str(slot.name))
    models = Models(named, ordered)
    membership = GroupMembership(quotas.groups)
    capacity = capacity_of(supply, models)
    silent = silent_schedds(pool)
    claims = tuple(claims_of(supply, pool.jobs or (), membership, models, silent))
    kinds = slot_classes(slot for slot in ordered if slot.type != DYNAMIC)
    charging = Charging(kinds, models, supply, StartdTable(pool.execute))
    waiting = idle_jobs_of(pool, condor, membership, charging)
    unseen = of_silent_schedds(pool, condor, membership, claims)
    waiting = IdleJobsFound((*waiting.idle, *unseen.idle), (*waiting.problems, *unseen.problems))
    running = [(claim.group, claim.amounts, 1) for claim in claims]
    idle = [(each.group, each.amounts, each.count) for each in waiting.idle]
    used = _sums(running)
    taken_at = seconds_of(pool.taken_at)
    if taken_at is None:
        taken_at = condor.published.moment or 0.0
    return ElasticObservation(
        taken_at=taken_at,
        negotiator=condor.published.negotiator,
        demand=_demand(capacity, named, used, _sums(running + idle)),
        pool_weight=capacity.capacity[WEIGHT] / PARTS,
        claims=claims,
        idle=waiting.idle,
        configured=_configured(condor, membership),
        weights={group: sums.get(WEIGHT, 0) / PARTS for group, sums in _declared(used).items()},
        problems=(
            *_problems(pool, condor.published.doubts(()), capacity, waiting, membership, claims),
            *_unlimited_groups(condor, membership),
        ),
        capacity=capacity.capacity,
        unmatchable=capacity.unmatchable,
        unit_weights=capacity.unit_weights,
        usage=usage_of(pool, negotiator, condor),
        heaviest=_heaviest(kinds, condor.settings.use_slot_weights),
        settings=condor.settings,
    )


def _heaviest(kinds: Iterable[SlotClass], weighed: bool) -> tuple[str, float]:
    """Return the heaviest slot without a consumption policy, and what it weighs unclaimed."""
    found = ("", 0.0)
    for kind in kinds:
        if kind.supports_policy:
            continue
        weight = float(kind.plain_weight()) if weighed else 1.0
        if weight > found[1]:
            found = (str(kind.first.name), weight)
    return found


def _demand(
    capacity: PoolCapacity,
    named: Collection[str],
    used: Mapping[str, Amounts],
    requested: Mapping[str, Amounts],
) -> ElasticDemand:
    """Return the demand in the managed dimensions; ``named`` are those that the quotas name."""
    present = {*capacity.capacity, *named}
    for sums in used.values():
        present.update(sums)
    names = managed_names(present, named)
    return ElasticDemand(
        total={name: capacity.capacity.get(name, 0) for name in sorted(names)},
        request={group: _of(sums, names) for group, sums in _declared(requested).items()},
        used={group: _of(sums, names) for group, sums in _declared(used).items()},
        system_used=_of(used.get(SYSTEM, {}), names),
        default_used=_of(used.get(DEFAULT, {}), names),
    )


def _declared(sums: Mapping[str, Amounts]) -> dict[str, Amounts]:
    """Return the sums of declared groups."""
    return {group: amounts for group, amounts in sums.items() if group not in (SYSTEM, DEFAULT)}


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


def _configured(condor: PoolQuotas, membership: GroupMembership) -> dict[str, float]:
    """Return the present quotas, by the declared spelling of names."""
    quotas = {}
    for group in condor.groups:
        if not group.configured:
            continue
        name = membership.declared(group.name) or group.name
        if group.static:
            quotas[name] = group.config_quota
        else:
            quotas[name] = condor.quota(group.name).quota
    return quotas


def _problems(
    pool: Pool,
    warnings: Iterable[str],
    capacity: PoolCapacity,
    waiting: IdleJobsFound,
    membership: GroupMembership,
    claims: Iterable[GroupClaim],
) -> Iterator[str]:
    yield from pool.incomplete
    yield from warnings
    if pool.slots is None:
        yield "no slots are known: nothing can be shared"
    if capacity.unknown_models:
        gpus = capacity.unknown_models
        yield f"{gpus} GPUs have a model that no ad shows: they count as gpus only"
    if capacity.backfill:
        yield (
            f"{capacity.backfill} backfill slots offer what other slots offer too: HTCondor counts "
            "both, and so does htcq"
        )
    yield from waiting.problems
    yield from membership.problems
    if pool.jobs is not None:
        nameless = sum(not claim.queued for claim in claims)
        if nameless:
            yield f"{nameless} claimed slots have no job in the queues that were read"


def _unlimited_groups(condor: PoolQuotas, membership: GroupMembership) -> Iterator[str]:
    """Yield, as a sentence, the groups that may use the rest of the pool despite their quotas."""
    if not condor.tree[CONDOR_ROOT].autoregroup:
        return
    names = [
        group.name
        for group in condor.groups
        if group.autoregroup and membership.declared(group.name)
    ]
    if names:
        yield (
            f"GROUP_AUTOREGROUP is on for {', '.join(names)}: no quota limits their use of the "
            "rest of the pool"
        )
