"""From runtimes to HTCondor's quotas: one number in slot weight for each group of elastic quotas.

HTCondor gives a group a whole turn: it may take all that its quota allows before the next group is
asked (src/condor_negotiator.V6/GroupEntry.cpp, 25.14). A quota above the min is therefore no
guarantee for the others. So

1. a quota is the weight of the declared min, with a part of what is nobody's min up to the
   runtime, and groups accept surplus: within a cycle HTCondor itself keeps the mins of all that
   ask, and lends what is left, by quota;
2. HTCondor knows no limit of surplus: a group can pass its max by all that is free. If what is
   nobody's min suffices, such a group has its max as its quota and accepts no surplus. If it does
   not suffice, the group accepts surplus until it has its max: how far it can pass it is stated.
   While a group does not lend what is left of its min, those beside it accept no surplus either:
   they divide what is nobody's min;
3. while a group uses more than it would be allocated if all came, surplus that is allocated is not
   there, and the first group that is asked takes what is missing to another. Quotas are the mins
   then, and a group that would so be matched beyond its min, in a cycle of those that are tried,
   accepts no surplus until the next step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.elastic.capacity_of import usual_weight
from htcq.elastic.guaranteed_quotas import (
    GroupWeights,
    fitting,
    hungry,
    keep_max,
    levels_of,
)
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation
from htcq.elastic.step_simulation import demands_of
from htcq.elastic.waiting_groups import keep_mins
from htcq.elastic.weight_of_runtime import GroupJobs, runtime_weight, shapes_of
from htcq.quota.elastic.declaration import DEFAULT, SELF, SYSTEM, Amounts, ElasticGroup, least
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.scaling import mins_in_order
from htcq.quota.group_tree import MAX_QUOTA


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
    found = demands_of(observation)
    keep_max(weights, outcome, free, unit, found)
    return keep_mins(weights, lambda: _all_targets(weights, observation, jobs), found)


def _all_targets(
    weights: Mapping[str, GroupWeights],
    observation: ElasticObservation,
    jobs: Mapping[str, GroupJobs],
) -> tuple[QuotaTarget, ...]:
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
) -> dict[str, GroupWeights]:
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
        found[group.name] = GroupWeights(
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


def _shrink(leaves: Sequence[GroupWeights], free: int, unit: int) -> None:
    """Reduce all runtimes by the same part until they fit into the pool.

    Runtimes may weigh more than the pool where the weights of claims differ.
    """
    smaller = fitting({each.group.name: each.runtime for each in leaves}, free, unit)
    for each in leaves:
        each.runtime = smaller[each.group.name]


def _add_up(weights: Mapping[str, GroupWeights], pool: int) -> None:
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


def _scale_mins(weights: Mapping[str, GroupWeights], pool: int, unit: int) -> None:
    """Reduce the mins of siblings where the group above them has less.

    Those of a higher priority come first, and those of the same lose the same part.
    """

    def shrink(mins: Mapping[str, int], there: int) -> dict[str, int]:
        return fitting(mins, there, unit)

    for parent, siblings in levels_of(weights).items():
        there = pool
        if parent:
            there = weights[parent].least
        mins = {each.group.name: each.least for each in siblings}
        priorities = {each.group.name: each.group.group.priority for each in siblings}
        effective = mins_in_order(there, mins, priorities, shrink)
        for each in siblings:
            each.guaranteed, each.least = each.least, effective[each.group.name]


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
    each: GroupWeights,
    weights: Mapping[str, GroupWeights],
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
        accept_surplus=not each.held,
        held=each.held,
        headroom=max(0, each.quota - each.runtime) / PARTS,
        binding=binding,
        runtime=each.runtime / PARTS,
        least=each.least / PARTS,
        guaranteed=each.guaranteed / PARTS,
        priority=group.group.priority,
        most=most,
        hungry=hungry(group),
        in_need=waits and own.group.leaf and used < own.runtime,
    )
