"""From runtimes to HTCondor's quotas: one number in slot weight for each group of elastic quotas.

A leaf's quota is the weight of its runtime (htcq.elastic.weight_of_runtime). The quota of a parent
group is the sum of its children's. A group with a finite max accepts no surplus: otherwise it would
exceed the max as soon as others ask for less.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.elastic.lender_reserve import LeafQuota, LenderReserve, reserve_for_lenders
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation
from htcq.elastic.weight_of_runtime import ClaimShape, GroupJobs, runtime_weight, shapes_of
from htcq.quota.elastic.declaration import DEFAULT, SELF, SYSTEM, Amounts
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime


def targets(
    outcome: ElasticOutcome, observation: ElasticObservation, reserve: LenderReserve | None = None
) -> tuple[QuotaTarget, ...]:
    """Return the target of every group's quota, parents before their children.

    The top-level quotas add up to at most the weight of the pool, less the claims of jobs without
    a group. Quotas are whole numbers if all slots and claims weigh whole numbers.
    """
    jobs = jobs_by_group(observation)
    unit = _unit(observation, jobs)
    free = _free(observation)
    leaves = _leaves(outcome, observation, jobs, unit)
    _shrink(leaves, free, unit)
    reserve_for_lenders(leaves, outcome, free, unit, reserve or LenderReserve(), _typical(jobs))
    sums = _sums(outcome, leaves)
    return tuple(
        _target(group, outcome, leaves, sums)
        for group in outcome.groups
        if not group.name.endswith(f".{SELF}")
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


def accepts_surplus(group: GroupRuntime, outcome: ElasticOutcome) -> bool:
    """Tell whether a group may use what others leave: no max of it is below the total."""
    for name, cap in group.max.items():
        if name in group.implied or cap is None:
            continue
        if cap < outcome.total.get(name, 0):
            return False
    return True


def _leaves(
    outcome: ElasticOutcome,
    observation: ElasticObservation,
    jobs: Mapping[str, GroupJobs],
    unit: int,
) -> dict[str, LeafQuota]:
    found = {}
    for group in outcome.groups:
        if not group.leaf:
            continue
        owner = group.name
        if group.name.endswith(f".{SELF}"):
            owner = group.parent
        own = jobs.get(owner, GroupJobs())
        unit_weights = observation.unit_weights
        runtime = runtime_weight(group.declared(group.runtime), own, unit_weights)
        scaled_min = runtime_weight(group.declared(group.scaled_min), own, unit_weights)
        typical = max((shape.weight for shape in own.shapes), default=0)
        parts = runtime.parts // unit * unit
        least = scaled_min.parts // unit * unit
        found[group.name] = LeafQuota(group, parts, least, runtime.binding, typical)
    return found


def _shrink(leaves: Mapping[str, LeafQuota], free: int, unit: int) -> None:
    """Reduce all quotas by the same part until they fit into the pool.

    Runtimes may weigh more than the pool where the weights of claims differ.
    """
    together = sum(leaf.parts for leaf in leaves.values())
    if together <= free:
        return
    # Largest remainders: each leaf gets its whole share, the largest remainders one unit more.
    units = {name: leaf.parts // unit for name, leaf in leaves.items()}
    all_units = sum(units.values())
    left = free // unit
    remainders = []
    for name, count in units.items():
        share, remainder = divmod(count * (free // unit), all_units)
        leaves[name].parts = share * unit
        left -= share
        remainders.append((-remainder, name))
    for _, name in sorted(remainders)[:left]:
        leaves[name].parts += unit


def _free(observation: ElasticObservation) -> int:
    """Return what the pool weighs, in parts, without the claims that are no group's."""
    outside = 0
    for claim in observation.claims:
        if claim.group in (SYSTEM, DEFAULT):
            outside += claim.amounts.get(WEIGHT, 0)
    return max(0, int(observation.pool_weight * PARTS) - outside)


def _unit(observation: ElasticObservation, jobs: Mapping[str, GroupJobs]) -> int:
    """Return the unit of quotas, in parts: whole slot weights if all weights are whole."""
    if not float(observation.pool_weight).is_integer():
        return 1
    for each in jobs.values():
        if any(shape.weight % PARTS for shape in each.shapes):
            return 1
    return PARTS


def _typical(jobs: Mapping[str, GroupJobs]) -> int:
    """Return the weight that nine of ten jobs of the pool do not exceed; 1 without jobs."""
    shapes: list[ClaimShape] = []
    for each in jobs.values():
        shapes += each.shapes
    shapes.sort(key=lambda shape: shape.weight)
    wanted = sum(shape.count for shape in shapes) * 9
    seen = 0
    for shape in shapes:
        seen += shape.count
        if seen * 10 >= wanted:
            return shape.weight
    return PARTS


def _sums(outcome: ElasticOutcome, leaves: Mapping[str, LeafQuota]) -> dict[str, int]:
    """Return the quota of every group in parts: that of a leaf, or the sum of its children's."""
    sums: dict[str, int] = {}
    for group in reversed(outcome.groups):
        if group.name in leaves:
            sums[group.name] = leaves[group.name].parts
        own = sums.setdefault(group.name, 0)
        if group.parent:
            sums[group.parent] = sums.get(group.parent, 0) + own
    return sums


def _target(
    group: GroupRuntime,
    outcome: ElasticOutcome,
    leaves: Mapping[str, LeafQuota],
    sums: Mapping[str, int],
) -> QuotaTarget:
    leaf = leaves.get(group.name)
    own = outcome.find(f"{group.name}.{SELF}") is not None
    line = [group, *outcome.above(group)]
    if leaf is None:
        # Jobs of its own would take the surplus; groups below it take it only where they may.
        accepts = not own or all(accepts_surplus(each, outcome) for each in line)
        return QuotaTarget(group.name, group.parent, False, sums[group.name] / PARTS, accepts)
    return QuotaTarget(
        group=group.name,
        parent=group.parent,
        leaf=True,
        quota=leaf.parts / PARTS,
        accept_surplus=all(accepts_surplus(each, outcome) for each in line),
        headroom=leaf.headroom / PARTS,
        binding=leaf.binding,
        given=leaf.given / PARTS,
    )
