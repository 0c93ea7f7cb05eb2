"""The reach of a group: its largest usage above its quota.

Usage exceeds a quota where running claims are charged more than their match costs. A cycle admits
matches while the match costs fit below the group's limit (matchmaker.cpp:SubmitterLimitPermits,
HTCondor 25.14); from the next cycle on the accountant charges the claims' own weights
(Accountant.cpp:CheckMatches). Slots count as unused, and the claims that exceed their match cost
by most come first: the reach is possible, not certain.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from htcq.audit.charges import CLOSE, Charge
from htcq.audit.trials import fits
from htcq.classads import as_number
from htcq.policy.claim import accounted
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot_class import SlotClass

#: The largest number of steps in which the claims of one slot are followed.
_MAX_STEPS = 16


@dataclass(frozen=True)
class Step:
    """Some successive claims on one slot: their number and the sum of their match costs."""

    claims: int
    cost: float

    @property
    def claim_cost(self) -> float:
        """The match cost of one of them, on average."""
        return self.cost / self.claims


@dataclass(frozen=True)
class Filling:
    """Claims of one size that fill an unused slot of ``kind``.

    The steps with the least match cost of a claim come first.
    """

    kind: SlotClass
    charge: Charge
    steps: tuple[Step, ...]

    @property
    def standing(self) -> float:
        """The standing charge of one claim."""
        return float(self.charge.standing)

    @property
    def full_weight(self) -> float:
        """The weight of the unused slot."""
        return float(accounted(self.kind.full_weight))

    def dearness(self, index: int) -> float:
        """Return the match cost of a step in standing charges.

        Below 1 the claims of the step exceed their match cost.
        """
        return self.steps[index].claim_cost / self.standing


@dataclass(frozen=True)
class Demand:
    """Jobs of one group that fill slots in one way.

    ``count`` is the number of claims that they want, idle and running jobs together.
    """

    filling: Filling
    jobs: Autocluster
    count: int


@dataclass(frozen=True)
class Reach:
    """The largest usage of a group with ``quota``.

    ``worst`` are the jobs and slots that add most to the usage beyond match costs, with ``claims``
    claims whose match costs are ``spent``.
    """

    quota: float
    usage: float
    worst: Demand
    claims: int
    spent: float

    @property
    def factor(self) -> float:
        """The usage in quotas."""
        return self.usage / self.quota


def filling(kind: SlotClass, charge: Charge) -> Filling | None:
    """Return the filling of an unused slot of ``kind`` by claims such as that of ``charge``.

    None is returned where a weight is no number. The amounts of a claim must not depend on how
    full the slot is.
    """
    amounts = charge.trial.amounts
    many = fits(kind.total, amounts)
    size = math.ceil(many / _MAX_STEPS)
    before = as_number(kind.full_weight)
    steps: list[Step] = []
    done = 0
    for taken in (*range(size, many, size), many):
        left = {asset: whole - taken * amounts.get(asset, 0) for asset, whole in kind.total.items()}
        weight = as_number(kind.weight(left))
        if weight is None or before is None:
            return None
        steps.append(Step(taken - done, max(0.0, before - weight)))
        before, done = weight, taken
    return Filling(kind, charge, _cheapest_first(steps))


def _cheapest_first(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return ``steps`` in the order of their match cost of a claim, the least first.

    A step with a lower cost than those before it is joined with them: it cannot come without them.
    """
    joined: list[Step] = []
    for each in steps:
        step = each
        while joined and joined[-1].claim_cost > step.claim_cost:
            last = joined.pop()
            step = Step(last.claims + step.claims, last.cost + step.cost)
        joined.append(step)
    return tuple(joined)


def reach(
    quota: float, demands: Sequence[Demand], requested: float, pool_weight: float
) -> Reach | None:
    """Return the largest usage of a group with ``quota``; None where ``demands`` get no claim.

    ``requested`` is the weight of all its jobs by their schedds: jobs outside ``demands`` use the
    rest of the quota, as far as unused slots have weight for them. ``pool_weight`` is the weight
    of all slots while they are unused.
    """
    taking = _Taking(quota, demands)
    taking.run()
    if not taking.claims:
        return None
    charged = sum(
        claims * demands[place].filling.standing for place, claims in taking.claims.items()
    )
    others = min(taking.budget, requested - charged, pool_weight - taking.used_weight)
    worst = max(taking.claims, key=taking.excess)
    usage = charged + max(0.0, others)
    return Reach(quota, usage, demands[worst], taking.claims[worst], taking.spent[worst])


@dataclass
class _Taking:
    """The claims and match costs of a group so far, by the place of their demand."""

    budget: float
    demands: Sequence[Demand]
    claims: dict[int, int] = field(default_factory=dict)
    spent: dict[int, float] = field(default_factory=dict)
    used_weight: float = 0.0

    def excess(self, place: int) -> float:
        """Return the standing charges of the claims of one demand beyond their match costs."""
        return self.claims[place] * self.demands[place].filling.standing - self.spent[place]

    def run(self) -> None:
        """Take the claims that budget, jobs and slots allow, the cheapest first."""
        free = {id(each.filling.kind): each.filling.kind.count for each in self.demands}
        wanted = {id(each.jobs.frame): each.count for each in self.demands}
        # Dearness of a step, place of its demand, index of the step, and the number of slots on
        # which the step before was taken.
        queue = [(each.filling.dearness(0), place, 0, 0) for place, each in enumerate(self.demands)]
        heapq.heapify(queue)
        while queue:
            _, place, index, begun = heapq.heappop(queue)
            demand = self.demands[place]
            step = demand.filling.steps[index]
            kind, frame = id(demand.filling.kind), id(demand.jobs.frame)
            slots = begun
            if not index:
                slots = free[kind]
            whole, part = self._affordable(step, slots, wanted[frame])
            self._count(place, step, whole * step.claims + part)
            wanted[frame] -= whole * step.claims + part
            if not index:
                free[kind] -= whole + bool(part)
                self.used_weight += (whole + bool(part)) * demand.filling.full_weight
            if whole and index + 1 < len(demand.filling.steps):
                heapq.heappush(queue, (demand.filling.dearness(index + 1), place, index + 1, whole))

    def _affordable(self, step: Step, slots: int, wanted: int) -> tuple[int, int]:
        """Return the number of slots for the whole step, and that of claims on one more slot."""
        claims = min(wanted, slots * step.claims)
        if step.cost > CLOSE:
            claims = min(claims, int((self.budget + CLOSE) / step.claim_cost))
        return divmod(claims, step.claims)

    def _count(self, place: int, step: Step, claims: int) -> None:
        if claims:
            self.budget -= claims * step.claim_cost
            self.claims[place] = self.claims.get(place, 0) + claims
            self.spent[place] = self.spent.get(place, 0.0) + claims * step.claim_cost
