"""From runtimes to HTCondor's quotas: one number in slot weight for each group of elastic quotas.

A quota is a limit, not a reservation: HTCondor hands out free slots, to the group with the lowest
part of its quota in use first, and quotas may add up to more than the pool
(NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION; src/condor_negotiator.V6/GroupEntry.cpp, 25.14). So

1. every group always has the weight of its declared min, also what it lends at the moment: its jobs
   need not wait until the next step;
2. a group that asks for more has the weight of its runtime, which leaves to all others what they
   ask for of their mins;
3. a group that asks for no more than its runtime has besides what is nobody's runtime, up to its
   max: jobs to come need not wait for the next step either;
4. no group accepts surplus, so that its quota, and that of every group above it, is its limit
   (GroupEntry::strict_enforce_quota).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.capacity_of import usual_weight
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation
from htcq.elastic.weight_of_runtime import GroupJobs, runtime_weight, shapes_of
from htcq.quota.elastic.declaration import DEFAULT, SELF, SYSTEM, Amounts, ElasticGroup, least
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.share import ShareClaim, split_hamilton
from htcq.quota.group_tree import MAX_QUOTA


@dataclass
class _Weights:
    """The weights of one group in parts: of its runtime, its min, its max, and its quota.

    ``capped``: its max is below the pool in some dimension.
    """

    group: GroupRuntime
    runtime: int
    least: int
    most: int
    capped: bool
    binding: str = ""
    quota: int = 0


def targets(outcome: ElasticOutcome, observation: ElasticObservation) -> tuple[QuotaTarget, ...]:
    """Return the target of every group's quota, parents before their children.

    Quotas are whole numbers if all slots and claims weigh whole numbers.
    """
    jobs = jobs_by_group(observation)
    unit = unit_of(observation, jobs)
    free = _free(observation)
    weights = _weights(outcome, observation, jobs, unit)
    leaves = [each for each in weights.values() if each.group.leaf]
    _shrink(leaves, free, unit)
    pool = _whole_pool(observation) // unit * unit
    _add_up(weights, pool)
    _scale_mins(weights, pool, unit)
    _offer(weights, outcome, free)
    return tuple(
        _target(each, weights, observation, jobs)
        for each in weights.values()
        if not each.group.name.endswith(f".{SELF}")
    )


def jobs_by_group(observation: ElasticObservation) -> Mapping[str, GroupJobs]:
    """Return the claims and idle jobs of every group that has any."""
    running: dict[str, list[tuple[Amounts, int]]] = {}
    idle: dict[str, list[tuple[Amounts, int]]] = {}
    for claim in observation.claims:
        running.setdefault(claim.group, []).append((claim.amounts, 1))
    for each in observation.idle:
        idle.setdefault(each.group, []).append((each.amounts, each.count))
    return {
        group: GroupJobs(shapes_of(running.get(group, ())), shapes_of(idle.get(group, ())))
        for group in sorted({*running, *idle})
    }


def capped(group: GroupRuntime, outcome: ElasticOutcome) -> bool:
    """Return whether a max of the group is below the total."""
    for name, cap in group.declared_max.items():
        if cap is not None and cap < outcome.total.get(name, 0):
            return True
    return False


def _weights(
    outcome: ElasticOutcome,
    observation: ElasticObservation,
    jobs: Mapping[str, GroupJobs],
    unit: int,
) -> dict[str, _Weights]:
    """Return the weights of all groups by name, with the runtimes of the leaves."""
    found = {}
    pool = _whole_pool(observation) // unit * unit
    for group in outcome.groups:
        mine = jobs_of(group, jobs)
        most = {}
        for name, cap in group.declared_max.items():
            there = outcome.total.get(name, 0)
            most[name] = least(there, cap)
        usual = observation.unit_weights
        runtime = runtime_weight(group.declared(group.runtime), mine, usual)
        guaranteed = group.declared(group.min)
        positive = {name: amount for name, amount in guaranteed.items() if amount > 0}
        floor = 0
        if positive:
            floor = min(pool, runtime_weight(positive, mine, usual).parts // unit * unit)
        cap = min(pool, max(floor, runtime_weight(most, mine, usual).parts // unit * unit))
        found[group.name] = _Weights(
            group, min(cap, runtime.parts // unit * unit), floor, cap,
            capped(group, outcome), runtime.binding,
        )  # fmt: skip
    return found


def min_weight(group: ElasticGroup, usual: Mapping[str, float], unit: int) -> int:
    """Return the weight of the declared min, in parts, whatever jobs the group has.

    A dimension of which a group is guaranteed nothing does not limit its use of the others.
    """
    guaranteed = {name: amount for name, amount in group.min.items() if amount > 0}
    if not guaranteed:
        return 0
    return int(usual_weight(guaranteed, usual)[0]) // unit * unit


def jobs_of(group: GroupRuntime, jobs: Mapping[str, GroupJobs]) -> GroupJobs:
    """Return the jobs of a group and of those below it; ``jobs`` are by declared group."""
    name = group.name
    if name.endswith(f".{SELF}"):
        return jobs.get(group.parent, GroupJobs())
    if group.leaf:
        return jobs.get(name, GroupJobs())
    below = [each for key, each in jobs.items() if f"{key}.".startswith(f"{name}.")]
    running = shapes_of((shape.amounts, shape.count) for each in below for shape in each.running)
    idle = shapes_of((shape.amounts, shape.count) for each in below for shape in each.idle)
    return GroupJobs(running, idle)


def _shrink(leaves: Sequence[_Weights], free: int, unit: int) -> None:
    """Reduce all runtimes by the same part until they fit into the pool.

    Runtimes may weigh more than the pool where the weights of claims differ.
    """
    fitting = _fitting({each.group.name: each.runtime for each in leaves}, free, unit)
    for each in leaves:
        each.runtime = fitting[each.group.name]


def _fitting(amounts: Mapping[str, int], there: int, unit: int) -> dict[str, int]:
    """Return ``amounts``, all reduced by the same part where they do not fit into ``there``."""
    together = sum(amounts.values())
    if together <= there:
        return dict(amounts)
    claims = [ShareClaim(name, 0, amount, amount) for name, amount in amounts.items()]
    shares = split_hamilton(there // unit, claims, together)
    return {claim.name: share * unit for claim, (share, _) in zip(claims, shares)}


def _add_up(weights: Mapping[str, _Weights], pool: int) -> None:
    """Set the runtime and the min of every parent to at least the sum of its children's."""
    sums: dict[str, tuple[int, int]] = {}
    for each in reversed(list(weights.values())):
        if each.group.name in sums:
            runtime, mins = sums[each.group.name]
            each.least = min(pool, max(each.least, mins))
            each.most = max(each.most, each.least)
            if not each.group.lends or each.group.group.max_lent:
                runtime = max(runtime, min(each.runtime, each.least))
            each.runtime = min(each.most, runtime)
        above = sums.get(each.group.parent, (0, 0))
        sums[each.group.parent] = (above[0] + each.runtime, above[1] + each.least)


def _scale_mins(weights: Mapping[str, _Weights], pool: int, unit: int) -> None:
    """Reduce the mins of siblings by the same part where the group above them has less."""
    below: dict[str, dict[str, int]] = {}
    for each in weights.values():
        below.setdefault(each.group.parent, {})[each.group.name] = each.least
    for each in weights.values():
        parent = each.group.parent
        there = pool
        if parent:
            there = weights[parent].least
        each.least = _fitting(below[parent], there, unit)[each.group.name]


def _offer(weights: Mapping[str, _Weights], outcome: ElasticOutcome, free: int) -> None:
    """Set the quotas, from the root to the leaves."""
    taken: dict[str, int] = {}
    for each in weights.values():
        parent = each.group.parent
        taken[parent] = taken.get(parent, 0) + each.runtime
    for each in weights.values():
        above = free
        limit = each.most
        if each.group.parent:
            above = weights[each.group.parent].quota
            limit = min(limit, above)
        wanted = each.runtime
        if not hungry(each.group):
            wanted += max(0, above - taken[each.group.parent])
        each.quota = min(limit, max(each.least, wanted))


def hungry(group: GroupRuntime) -> bool:
    """Return whether a group asks for more than its runtime, up to its max."""
    limited = group.declared(group.limited)
    return any(limited[name] > amount for name, amount in group.declared(group.runtime).items())


def _free(observation: ElasticObservation) -> int:
    """Return what the pool weighs, in parts, without the claims that are no group's."""
    outside = 0
    for claim in observation.claims:
        if claim.group in (SYSTEM, DEFAULT):
            outside += claim.amounts.get(WEIGHT, 0)
    return max(0, _whole_pool(observation) - outside)


def _whole_pool(observation: ElasticObservation) -> int:
    """Return what the pool weighs, in parts; no more than a quota can be."""
    return int(min(observation.pool_weight, MAX_QUOTA) * PARTS)


def unit_of(observation: ElasticObservation, jobs: Mapping[str, GroupJobs]) -> int:
    """Return the unit of quotas, in parts: whole slot weights if all weights are whole."""
    if not float(observation.pool_weight).is_integer():
        return 1
    for each in jobs.values():
        if any(shape.weight % PARTS for shape in each.shapes):
            return 1
    return PARTS


def _target(
    each: _Weights,
    weights: Mapping[str, _Weights],
    observation: ElasticObservation,
    jobs: Mapping[str, GroupJobs],
) -> QuotaTarget:
    group = each.group
    own = weights.get(f"{group.name}.{SELF}", each)
    used = round(observation.weights.get(group.name, 0.0) * PARTS)
    most = None
    if each.capped:
        most = each.most / PARTS
    waits = bool(jobs.get(group.name, GroupJobs()).idle)
    binding = ""
    if group.leaf:
        binding = each.binding
    return QuotaTarget(
        group=group.name,
        parent=group.parent,
        leaf=group.leaf,
        quota=each.quota / PARTS,
        accept_surplus=False,
        headroom=max(0, each.quota - each.runtime) / PARTS,
        binding=binding,
        runtime=each.runtime / PARTS,
        least=each.least / PARTS,
        most=most,
        hungry=hungry(group),
        in_need=waits and own.group.leaf and used < own.runtime,
    )
