"""From runtimes to HTCondor's quotas: one number in slot weight for each group of elastic quotas.

A leaf's quota is what its runtime is worth (htcq.elastic.weight_of_runtime). What is above is
the sum of what is below. A group with a finite max accepts no surplus, or it would exceed that
as soon as others ask for less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.elastic.lender_reserve import LeafQuota, LenderReserve, reserve_for_lenders
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation
from htcq.elastic.weight_of_runtime import ClaimShape, GroupJobs, runtime_weight, shapes_of
from htcq.quota.elastic.declaration import DEFAULT, SELF, SYSTEM, Amounts
from htcq.quota.elastic.group_runtime import GroupRuntime, Outcome


def targets(
    outcome: Outcome, observation: ElasticObservation, reserve: LenderReserve | None = None
) -> tuple[QuotaTarget, ...]:
    """Return what the quota of every group should become, parents before their children.

    The sum of the top-level quotas is never more than what the pool weighs without what jobs of
    no group hold. Quotas are whole numbers if all slots and claims weigh whole numbers.
    """
    jobs = jobs_by_group(observation)
    unit = _unit(observation, jobs)
    free = _free(observation)
    leaves = _leaves(outcome, observation, jobs, unit)
    _shrink(leaves, free, unit)
    reserve_for_lenders(leaves, outcome, free, unit, reserve or LenderReserve(), _typical(jobs))
    below = _sums(outcome, leaves)
    return tuple(
        _target(group, outcome, leaves, below)
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


def accepts_surplus(group: GroupRuntime, outcome: Outcome) -> bool:
    """Tell whether a group may have what others leave: its max is nowhere less than what there is."""
    return all(
        cap is None or cap >= outcome.total.get(name, 0)
        for name, cap in group.max.items()
        if name not in group.implied
    )


def _leaves(
    outcome: Outcome, observation: ElasticObservation, jobs: Mapping[str, GroupJobs], unit: int
) -> dict[str, LeafQuota]:
    found = {}
    for group in outcome.groups:
        if not group.leaf:
            continue
        owner = group.parent if group.name.endswith(f".{SELF}") else group.name
        own = jobs.get(owner, GroupJobs())
        now = runtime_weight(group.declared(group.runtime), own, observation.worth)
        least = runtime_weight(group.declared(group.scaled_min), own, observation.worth).parts
        typical = max((shape.weight for shape in own.shapes), default=0)
        parts, kept = now.parts // unit * unit, least // unit * unit
        found[group.name] = LeafQuota(group, parts, kept, now.binding, typical)
    return found


def _shrink(leaves: Mapping[str, LeafQuota], free: int, unit: int) -> None:
    """Make quotas fit into the pool, each by the same part: runtimes may be worth more where weights differ."""
    together = sum(leaf.parts for leaf in leaves.values())
    if together <= free:
        return
    rest = free // unit
    units = {name: leaf.parts // unit for name, leaf in leaves.items()}
    shares = {name: divmod(count * rest, sum(units.values())) for name, count in units.items()}
    left = rest - sum(share for share, _ in shares.values())
    order = sorted(shares, key=lambda name: (-shares[name][1], name))
    for place, name in enumerate(order):
        leaves[name].parts = (shares[name][0] + (place < left)) * unit


def _free(observation: ElasticObservation) -> int:
    """Return what the pool weighs, in parts, without the claims that are no group's."""
    outside = sum(
        claim.amounts.get(WEIGHT, 0)
        for claim in observation.claims
        if claim.group in (SYSTEM, DEFAULT)
    )
    return max(0, int(observation.pool_weight * PARTS) - outside)


def _unit(observation: ElasticObservation, jobs: Mapping[str, GroupJobs]) -> int:
    weights = [shape.weight for each in jobs.values() for shape in each.shapes]
    whole = float(observation.pool_weight).is_integer() and all(
        weight % PARTS == 0 for weight in weights
    )
    return PARTS if whole else 1


def _typical(jobs: Mapping[str, GroupJobs]) -> int:
    """Return the weight that nine of ten jobs of the pool do not exceed; that of 1 where there are none."""
    shapes: Sequence[ClaimShape] = sorted(
        (shape for each in jobs.values() for shape in each.shapes), key=lambda shape: shape.weight
    )
    wanted = sum(shape.count for shape in shapes) * 9
    seen = 0
    for shape in shapes:
        seen += shape.count
        if seen * 10 >= wanted:
            return shape.weight
    return PARTS


def _sums(outcome: Outcome, leaves: Mapping[str, LeafQuota]) -> dict[str, int]:
    below: dict[str, int] = {}
    for group in reversed(outcome.groups):
        own = leaves[group.name].parts if group.name in leaves else below.get(group.name, 0)
        below[group.name] = own
        if group.parent:
            below[group.parent] = below.get(group.parent, 0) + own
    return below


def _target(
    group: GroupRuntime, outcome: Outcome, leaves: Mapping[str, LeafQuota], below: Mapping[str, int]
) -> QuotaTarget:
    leaf = leaves.get(group.name)
    own = outcome.find(f"{group.name}.{SELF}") is not None
    line = [group, *outcome.above(group)]
    if leaf is None:
        # Jobs of its own would take the surplus; groups below it take it only where they may.
        accepts = not own or all(accepts_surplus(each, outcome) for each in line)
        return QuotaTarget(group.name, group.parent, False, below[group.name] / PARTS, accepts)
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
