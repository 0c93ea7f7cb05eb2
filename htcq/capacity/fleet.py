"""Plan of a fleet: its kinds, the costs of jobs on each, and the weight of the pool.

A kind is planned on its smallest node; its empty weight is the sum over all its nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.capacity.fleet_node import FleetNode, kinds_of
from htcq.capacity.plan import JobPlan, SlotPlan, plan_slot
from htcq.capacity.shape import Shape
from htcq.capacity.typical import size_of, typical_of_fleet
from htcq.policy.consumption import Number
from htcq.units import CPUS, DISK, MEMORY


@dataclass(frozen=True)
class ChargeFactor:
    """Standing charges by match costs of some jobs on a kind.

    ``shape`` is the index of their shape, None for the mix.
    """

    factor: float
    shape: int | None
    kind: str


@dataclass(frozen=True)
class KindPlan:
    """Nodes of one kind and the plan of their slots.

    ``slots`` are those of one node, ``weight`` is that of all nodes while empty.
    """

    name: str
    nodes: tuple[str, ...]
    amounts: Mapping[str, int]
    slots: tuple[SlotPlan, ...]
    weight: Number

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    def job(self, index: int) -> JobPlan:
        """Return the plan of a shape on the first slot that takes it, else on the first."""
        for plan in self.slots:
            if plan.jobs[index].fits:
                return plan.jobs[index]
        return self.slots[0].jobs[index]

    def fits(self, index: int) -> int:
        """Return how many jobs of a shape run on all nodes of the kind."""
        return self.count * sum(plan.jobs[index].fits * plan.slot.type.count for plan in self.slots)

    def highest(self) -> Iterator[ChargeFactor]:
        """Yield the factors by which charges exceed match costs, for each shape and for the mix."""
        for plan in self.slots:
            for index, job in enumerate(plan.jobs):
                if job.fits:
                    yield ChargeFactor(job.fill.max_factor, index, self.name)
            for fill in (plan.mix, plan.in_order, plan.in_reverse):
                if any(fill.running):
                    yield ChargeFactor(fill.max_factor, None, self.name)

    def when_full(self) -> Iterator[ChargeFactor]:
        """Yield standing charges by match costs when the slots are full, for each shape alone."""
        for plan in self.slots:
            for index, job in enumerate(plan.jobs):
                if job.fits:
                    yield ChargeFactor(job.fill.factor, index, self.name)

    def busy(self) -> tuple[Number, Number]:
        """Return the least and the greatest busy weight of all nodes."""
        lowest: Number = 0
        highest: Number = 0
        for plan in self.slots:
            lowest += self._extreme(plan, min(fill.min_weight for fill in plan.fills))
            highest += self._extreme(plan, max(fill.max_weight for fill in plan.fills))
        return self.weight + lowest, self.weight + highest

    def _extreme(self, plan: SlotPlan, weight: Number) -> Number:
        """Return how much heavier than empty all slots of a type are when one has ``weight``."""
        return (weight - plan.weight) * plan.slot.type.count * self.count

    def stranded(self) -> dict[str, Number]:
        """Return what is left by asset when all nodes are full of the mix; cpus in cores."""
        left: dict[str, Number] = {}
        for plan in self.slots:
            policy = plan.slot.policy
            for asset, amount in plan.mix.left.items():
                if asset in policy.provides:
                    continue
                if asset == CPUS and policy.cpu_shares > 1:
                    amount /= policy.cpu_shares
                left[asset] = left.get(asset, 0) + amount * plan.slot.type.count * self.count
        return left

    def stranded_weight(self) -> Number:
        """Return the weight that is left when all nodes are full of the mix."""
        return self.count * sum(plan.mix.weight_left * plan.slot.type.count for plan in self.slots)

    def running(self) -> tuple[int, ...]:
        """Return how many jobs of each shape run when all nodes are full of the mix."""
        total = [0] * len(self.slots[0].jobs)
        for plan in self.slots:
            for index, number in enumerate(plan.mix.running):
                total[index] += number * plan.slot.type.count * self.count
        return tuple(total)


@dataclass(frozen=True)
class FleetPlan:
    """The kinds of a fleet and the jobs placed on them.

    ``left_out`` has the names of unusable nodes by the reason.
    """

    kinds: tuple[KindPlan, ...]
    shapes: tuple[Shape, ...]
    left_out: Mapping[str, Sequence[str]]

    @property
    def nodes(self) -> int:
        """How many nodes the kinds have."""
        return sum(kind.count for kind in self.kinds)

    @property
    def weight(self) -> Number:
        """The weight of the empty pool."""
        return sum(kind.weight for kind in self.kinds)

    def busy(self) -> tuple[Number, Number]:
        """Return the least and the greatest weight of the pool while it is busy."""
        ranges = [kind.busy() for kind in self.kinds]
        return sum(low for low, _ in ranges), sum(high for _, high in ranges)

    def fits(self, index: int) -> int:
        """Return how many jobs of a shape run on the whole fleet."""
        return sum(kind.fits(index) for kind in self.kinds)

    def worst(self) -> ChargeFactor | None:
        """Return where charges exceed match costs most; None where no shape fits anywhere."""
        found = [one for kind in self.kinds for one in kind.highest()]
        return max(found, key=lambda one: one.factor, default=None)

    def leakiest(self) -> ChargeFactor | None:
        """Return where full slots are charged least for what was matched.

        None where no shape fits anywhere.
        """
        found = [one for kind in self.kinds for one in kind.when_full()]
        return min(found, key=lambda one: one.factor, default=None)

    @property
    def model(self) -> str:
        """The models of all kinds with their settings, each once."""
        models = [plan.slot.counted.describe() for kind in self.kinds for plan in kind.slots]
        return "; ".join(dict.fromkeys(models))


def plan_fleet(
    nodes: Sequence[FleetNode],
    shapes: Sequence[Shape] = (),
    left_out: Mapping[str, Sequence[str]] | None = None,
) -> FleetPlan:
    """Return the plan of ``nodes``, at least one of them.

    Without ``shapes`` it is for typical ones.
    """
    kinds = kinds_of(nodes)
    chosen = tuple(shapes) or fleet_shapes(nodes)
    planned = [_planned(name, members, chosen) for name, members in kinds.items()]
    return FleetPlan(tuple(planned), chosen, left_out or {})


def fleet_shapes(nodes: Iterable[FleetNode]) -> tuple[Shape, ...]:
    """Return typical jobs of a fleet, chosen from the first slot of every node."""
    firsts = [node.slots[0] for node in nodes]
    return typical_of_fleet([size_of(slot.total, slot.policy.cpu_shares) for slot in firsts])


def _planned(name: str, members: Sequence[FleetNode], shapes: Sequence[Shape]) -> KindPlan:
    smallest = min(members, key=lambda node: (node.amounts[MEMORY], node.amounts[DISK]))
    version = smallest.node.condor_version
    return KindPlan(
        name=name,
        nodes=tuple(node.name for node in members),
        amounts=smallest.amounts,
        slots=tuple(plan_slot(slot, shapes, version) for slot in smallest.slots),
        weight=sum(node.weight() for node in members),
    )
