"""Runtime of every group of a tree: what it may use now, in all dimensions.

Follows pkg/scheduler/plugins/elasticquota/core/group_quota_manager.go and
runtime_quota_calculator.go of koordinator-sh/koordinator, commit a7a1b76. Unlike there, the
whole tree is computed at once, whatever it was before; no runtime exceeds a max; a dimension
of which there is nothing counts as 0; and where mins had to shrink, usage that is guaranteed is
all that is kept beyond them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.quota.elastic.cards import Cards
from htcq.quota.elastic.computed_group import ComputedGroup
from htcq.quota.elastic.declaration import Amounts, ElasticDemand, ElasticQuotas, Options, least
from htcq.quota.elastic.elastic_tree import build_tree
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.kinds import Family
from htcq.quota.elastic.rollup import plant, roll_up
from htcq.quota.elastic.scaling import scaled_mins
from htcq.quota.elastic.share import RuntimeSharing, ShareClaim, share


def compute(quotas: ElasticQuotas, demand: ElasticDemand) -> ElasticOutcome:
    """Return the runtime of every group, and how it came about.

    Groups in a cycle, or below a group that does not exist, are left out: validation refuses them.
    Demand of groups that do not exist is ignored.
    """
    quotas = quotas.of(demand.total)
    nodes = plant(quotas, build_tree(quotas.groups), demand)
    total = demand.effective_total
    found = roll_up(nodes, total, quotas.options.guarantee_usage)
    work = _Work(quotas.options, found)
    top = [node for node in nodes if node.parent is None]
    work.level("", total, top)
    for node in nodes:
        if node.children:
            work.level(node.name, node.runtime, node.children)
    undistributed = dict(total)
    for node in top:
        for name, amount in node.runtime.items():
            if name in undistributed:
                undistributed[name] -= amount
    return ElasticOutcome(
        dict(demand.total),
        total,
        undistributed,
        tuple(map(_runtime_of, nodes)),
        work.sharings,
        quotas.options,
    )


def compute_all(
    trees: Mapping[str, ElasticQuotas], demands: Mapping[str, ElasticDemand]
) -> dict[str, ElasticOutcome]:
    """Return the outcome of several trees, one for each negotiator.

    Each has its own total and demand.
    """
    outcomes = {}
    for name in sorted(trees):
        outcomes[name] = compute(trees[name], demands.get(name, ElasticDemand()))
    return outcomes


class _Work:
    """Computation of a tree from the root to the leaves.

    ``sharings`` are by the name of the group and the dimension.
    """

    def __init__(self, options: Options, found: Sequence[Family]) -> None:
        self.options, self.families = options, found
        self.kinds = {kind for family in found for kind in family.kinds}
        self.sharings: dict[tuple[str, str], RuntimeSharing] = {}

    def level(self, name: str, there: Amounts, children: Sequence[ComputedGroup]) -> None:
        """Share what is there among siblings, in every dimension that any of them has."""
        dimensions = sorted({each for child in children for each in child.max})
        for dimension in dimensions:
            self._floors(dimension, there.get(dimension, 0), children)
        based = {family.base: family for family in self.families}
        for dimension in dimensions:
            claimants = [child for child in children if dimension in child.max]
            if dimension in based:
                self._share_family(name, based[dimension], there, claimants)
            elif dimension not in self.kinds:
                runtime, self.sharings[name, dimension] = self._share(dimension, there, claimants)
                for child in claimants:
                    child.runtime[dimension] = runtime[child.name]

    def _floors(self, dimension: str, there: int, children: Sequence[ComputedGroup]) -> None:
        claimants = [child for child in children if dimension in child.max]
        mins: Mapping[str, int] = {child.name: child.min[dimension] for child in claimants}
        if sum(mins.values()) > there:
            fixed = {child.name for child in claimants if not child.scalable}
            priorities = {child.name: child.group.priority for child in claimants}
            mins = scaled_mins(there, mins, fixed, priorities)
        for child in claimants:
            declared = child.min[dimension]
            scaled = child.scaled_min[dimension] = mins[child.name]
            kept = child.guaranteed.get(dimension, 0)
            if self.options.guarantee_usage and scaled < declared:
                kept = max(child.used[dimension], child.guarantee.get(dimension, 0))
            child.floor[dimension] = least(max(scaled, kept), child.max[dimension])

    def _share(
        self,
        dimension: str,
        there: Amounts,
        children: Sequence[ComputedGroup],
        most: Mapping[str, int] | None = None,
    ) -> tuple[dict[str, int], RuntimeSharing]:
        claims = []
        for child in children:
            floor, limited = child.floor[dimension], child.limited[dimension]
            if most is not None and child.name in most:
                floor, limited = min(floor, most[child.name]), min(limited, most[child.name])
            claims.append(
                ShareClaim(child.name, floor, limited, child.weight[dimension], child.lends)
            )
        return share(there.get(dimension, 0), claims, self.options.rounding)

    def _share_family(
        self, name: str, family: Family, there: Amounts, children: Sequence[ComputedGroup]
    ) -> None:
        """Share cards, then their kinds; cards of no kind that a group may have go to others.

        What has found nobody then is nobody's: a group is held to the kinds that it found, once
        for each kind and more.
        """
        most: dict[str, int] = {}
        for _ in range(len(family.kinds) + 2):
            runtime, sharing = self._share(family.base, there, children, most)
            cards = Cards(family, there, children, runtime)
            cards.place(self.options.rounding)
            stuck = {each: left for each, left in cards.left.items() if left > 0}
            if not stuck or sharing.left < 0:
                break
            most.update((each, runtime[each] - left) for each, left in stuck.items())
        self.sharings[name, family.base] = sharing
        for kind, of_kind in cards.sharings.items():
            self.sharings[name, kind] = of_kind
        for child in children:
            child.runtime[family.base] = runtime[child.name] - cards.left[child.name]
            for kind in family.kinds:
                child.runtime[kind] = cards.placed[child.name][kind]


def _runtime_of(node: ComputedGroup) -> GroupRuntime:
    return GroupRuntime(
        group=node.group,
        leaf=not node.children,
        lends=node.lends,
        min=node.min,
        max=node.max,
        weight=node.weight,
        child_request=node.child_request,
        request=node.request,
        limited=node.limited,
        used=node.used,
        allocated=node.allocated,
        guaranteed=node.guaranteed,
        scaled_min=node.scaled_min,
        floor=node.floor,
        runtime=node.runtime,
        implied=node.implied,
    )
