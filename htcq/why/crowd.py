"""Slots that share all expressions and differ only in amounts.

A request divides them into few parts, not one by one.

Where a comparison holds for the least and for the largest amount, it holds for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from htcq.classads import holds
from htcq.pool.slot import Number
from htcq.simulate.cycle.cached_expressions import CachedExpression
from htcq.simulate.cycle.conditions import Compared, Conditions
from htcq.simulate.cycle.offer_groups import OfferGroup
from htcq.units import GPUS
from htcq.why.alike import Alike
from htcq.why.slot_walls import Left, left_on

#: Which state of slots counts: with no job on them, or when the cycle began.
When = Callable[[Alike], OfferGroup]


def unused(alike: Alike) -> OfferGroup:
    """Return the state of slots with no job on them."""
    return alike.unused


def at_first(alike: Alike) -> OfferGroup:
    """Return the state of slots when the cycle began."""
    return alike.first


class Crowd:
    """Slots of one frame that are offered alike.

    ``one`` of them answers for all where they are equal to a request.
    """

    def __init__(self, members: Sequence[Alike]) -> None:
        self.members = members
        self.one = members[0]
        self.count = sum(each.count for each in members)
        self._ranges: dict[tuple[When, str], tuple[Number, Number]] = {}
        self._left: dict[When, tuple[Left, ...]] = {}

    def left(self, when: When) -> tuple[Left, ...]:
        """Return what they have of each asset."""
        found = self._left.get(when)
        if found is None:
            found = self._left[when] = left_on(
                (when(each).amounts, each.count) for each in self.members
            )
        return found

    def parts(self, when: When, conditions: Conditions) -> list[Crowd]:
        """Return the parts of the crowd in each of which the same of ``conditions`` hold."""
        parts = self.compared(when, conditions.compared)
        for look in conditions.looks:
            if not look.constant:
                parts = [part for each in parts for part in each._looked(when, look)]
        return parts

    def _looked(self, when: When, look: CachedExpression) -> list[Crowd]:
        return self.by(lambda alike: holds(look.of(when(alike).slot, when(alike).amounts)))

    def compared(self, when: When, compared: Iterable[Compared]) -> list[Crowd]:
        """Return the parts of the crowd in each of which the same comparisons hold."""
        parts = [self]
        for asset, compare, number in compared:
            parts = [
                part for each in parts for part in each._compared(when, asset, compare, number)
            ]
        return parts

    def _compared(
        self, when: When, asset: str, compare: Callable[[Number, Number], bool], number: Number
    ) -> list[Crowd]:
        least, largest = self._range(when, asset)
        if compare(least, number) == compare(largest, number):
            return [self]
        return self.by(lambda alike: compare(when(alike).amounts[asset], number))

    def _range(self, when: When, asset: str) -> tuple[Number, Number]:
        found = self._ranges.get((when, asset))
        if found is None:
            amounts = [when(each).amounts[asset] for each in self.members]
            found = self._ranges[when, asset] = min(amounts), max(amounts)
        return found

    def by(self, key: Callable[[Alike], object]) -> list[Crowd]:
        """Return the parts of the crowd with equal keys."""
        parts: dict[object, list[Alike]] = {}
        for each in self.members:
            parts.setdefault(key(each), []).append(each)
        if len(parts) == 1:
            return [self]
        return [Crowd(members) for members in parts.values()]


def crowds(slots: Iterable[Alike]) -> list[Crowd]:
    """Return ``slots`` by what they share, each crowd in their order."""
    found: dict[tuple[object, ...], list[Alike]] = {}
    for each in slots:
        state = each.first
        shared = (id(state.slot.frame), state.kind.supports_policy, id(state.weight))
        offered = (state.held, each.withheld, each.offer.claimer, uses_devices(each))
        found.setdefault((*shared, *offered), []).append(each)
    return [Crowd(members) for members in found.values()]


def uses_devices(alike: Alike) -> bool:
    """Tell whether jobs have some of the devices of slots."""
    return alike.unused.amounts.get(GPUS, 0) > alike.first.amounts.get(GPUS, 0)
