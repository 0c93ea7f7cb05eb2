"""Slots filled with claims until nothing more fits, and what is charged for the claims.

The busy weight of a slot is the weight that it has left plus the standing charges of its dynamic
slots. Where it rises above the weight of the empty slot, usage grows past what the negotiator
admitted: it admits by the match cost (src/condor_negotiator.V6/matchmaker.cpp, 25.14), while the
accountant charges the slot weight of the dynamic slot for as long as the claim lives
(Accountant.cpp:CheckMatches).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Callable, Optional

from htcq.capacity.shape import Shape
from htcq.claims.planned import Carved, Charges, carve
from htcq.policy.claim import deduct
from htcq.policy.consumption import NEGOTIATOR, Number
from htcq.units import DISK

#: Sums of weights closer than this are equal: reals lose a little.
CLOSE = 1e-6
#: Digits of weights: sums of binary fractions miss by less.
_DIGITS = 9
#: The largest error of sums and differences, as a part of the weight: some thousand roundings of
#: a double.
_LOST = 1e-12


@dataclass(frozen=True)
class Fill:
    """A slot after some jobs have come.

    ``running`` says how many of each shape run. ``match_cost`` and ``standing_charge`` are sums.
    ``min_weight`` and ``max_weight`` are the extremes of the busy weight from the empty slot to
    the last claim. ``max_factor`` is the largest quotient of standing charges and match costs
    that any number of the claims had, infinite where they cost nothing; 1 where nothing runs.
    """

    running: tuple[int, ...]
    match_cost: Number
    standing_charge: Number
    left: Mapping[str, Number]
    weight_left: Number
    min_weight: Number
    max_weight: Number
    max_factor: float = 1.0

    @property
    def factor(self) -> float:
        """Standing charges by match costs of all claims together."""
        return quotient(self.standing_charge, self.match_cost, self.max_weight)


def quotient(standing: Number, cost: Number, weight: Number = 0) -> float:
    """Return ``standing`` by ``cost``: 1 where both are nothing, infinite where only ``cost`` is.

    ``weight`` is that of the slot: a cost is the difference of two weights, and has no more
    digits than they have.
    """
    if abs(standing - cost) <= CLOSE + abs(weight) * _LOST:
        return 1.0
    if cost <= CLOSE:
        return math.inf
    return float(standing / cost)


#: Chooses the next shape by how many of each run and which still fit; None ends the filling.
Chooser = Callable[[Sequence[int], Sequence[bool]], Optional[int]]


class Filling:
    """One slot that takes claims."""

    def __init__(self, charges: Charges, shapes: Sequence[Shape], version: str = "") -> None:
        self._charges = charges
        self._asked = [shape.full() for shape in shapes]
        self._version = version
        self._standing_of: dict[tuple[tuple[str, int], ...], Number] = {}
        self.running = [0] * len(shapes)
        # A shape that is refused once is refused until the end: what is left only shrinks.
        self._fits = [not missing_asset(charges, asked) for asked in self._asked]
        self._left: Mapping[str, Number] = charges.total
        self._empty = self._weight = _number(charges.weight(charges.pslot(charges.total)))
        self._cost = self._standing = 0.0
        self._min = self._max = float(self._weight)
        self._max_factor = 0.0

    def place(self, index: int) -> bool:
        """Start one more job of a shape; False where the startd or the policy refuses it."""
        charges, placed = self._charges, sum(self.running)
        if closed(charges, placed):
            return False
        carved = carve(charges, self._left, self._asked[index], self._version, placed)
        if carved.refusal:
            return False
        after = _number(charges.weight(charges.pslot(carved.left, placed + 1)))
        self._cost += self._match_cost(carved, after)
        self._left, self._weight = carved.left, after
        self._standing += self._standing_charge(carved.amounts)
        self.running[index] += 1
        self._observe()
        return True

    def _match_cost(self, carved: Carved, after: Number) -> Number:
        """Return what the negotiator charges.

        It knows nothing of what the startd adds to the consumption.
        """
        charges = self._charges
        seen = deduct(self._left, carved.consumed)
        if charges.policy.splitting != NEGOTIATOR or seen.get(DISK) == carved.left.get(DISK):
            return self._weight - after
        return charges.charge(self._left, carved.consumed)

    def _standing_charge(self, amounts: Mapping[str, int]) -> Number:
        key = tuple(amounts.items())
        if key not in self._standing_of:
            self._standing_of[key] = self._charges.standing(amounts)
        return self._standing_of[key]

    def _observe(self) -> None:
        busy = self._weight + self._standing
        self._min, self._max = min(self._min, busy), max(self._max, busy)
        paid = self._cost
        if self._charges.policy.splitting != NEGOTIATOR:
            # One match pays for the whole slot, however the access point splits it.
            paid = self._empty
        self._max_factor = max(self._max_factor, quotient(self._standing, paid, self._empty))

    def run(self, choose: Chooser) -> Fill:
        """Place the shapes that ``choose`` returns until it returns None."""
        while True:
            index = choose(self.running, self._fits)
            if index is None:
                return self.result()
            self._fits[index] = self.place(index)

    def result(self) -> Fill:
        """Return the slot as it is now."""
        self._charges.pslot(self._charges.total)
        return Fill(
            running=tuple(self.running),
            match_cost=plain(self._cost),
            standing_charge=plain(self._standing),
            left=dict(self._left),
            weight_left=plain(self._weight),
            min_weight=plain(self._min),
            max_weight=plain(self._max),
            max_factor=self._max_factor or 1.0,
        )


def fill_alone(charges: Charges, shape: Shape, version: str = "") -> Fill:
    """Return the slot full of jobs of one shape."""
    return Filling(charges, [shape], version).run(_in_order([None]))


def fill_once(charges: Charges, shapes: Sequence[Shape], version: str = "") -> Fill:
    """Return the slot after all jobs of ``shapes`` came in order, as often as their counts say."""
    return Filling(charges, shapes, version).run(_in_order([shape.count for shape in shapes]))


def fill_in_order(charges: Charges, shapes: Sequence[Shape], version: str = "") -> Fill:
    """Return the slot full of jobs that come in the order and counts of ``shapes``, repeatedly."""
    filling = Filling(charges, shapes, version)
    running = -1
    while sum(filling.running) > running:
        running = sum(filling.running)
        limits = [before + shape.count for before, shape in zip(filling.running, shapes)]
        filling.run(_in_order(limits))
    return filling.result()


def fill_mixed(charges: Charges, shapes: Sequence[Shape], version: str = "") -> Fill:
    """Return the slot full of a mix of jobs.

    Of the shapes that fit, the one that is furthest behind its share comes next.
    """

    def choose(running: Sequence[int], fits: Sequence[bool]) -> int | None:
        fitting = [index for index, fit in enumerate(fits) if fit]
        if not fitting:
            return None
        return min(fitting, key=lambda index: running[index] / shapes[index].count)

    return Filling(charges, shapes, version).run(choose)


def _in_order(limits: Sequence[int | None]) -> Chooser:
    """Return a chooser of the first shape that fits and of which fewer than its limit run."""

    def choose(running: Sequence[int], fits: Sequence[bool]) -> int | None:
        for index, limit in enumerate(limits):
            if fits[index] and (limit is None or running[index] < limit):
                return index
        return None

    return choose


def missing_asset(charges: Charges, asked: Mapping[str, Number]) -> str:
    """Return the first requested asset that the slot does not have; empty where there is none."""
    for asset, amount in asked.items():
        if amount and asset not in charges.total:
            return asset
    return ""


def closed(charges: Charges, running: int) -> bool:
    """Return whether the startd takes no more claims.

    With scheduler splitting it counts those of a fixed model.
    """
    policy = charges.policy
    return bool(policy.start) and running >= policy.num_claims


def plain(number: float) -> Number:
    """Return a weight without the error of binary fractions; a whole one as an integer."""
    rounded = round(number, _DIGITS)
    if float(rounded).is_integer():
        return int(rounded)
    return rounded


def _number(weight: Number | None) -> Number:
    if weight is None:
        return 0
    return weight
