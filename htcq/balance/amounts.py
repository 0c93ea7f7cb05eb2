"""What a part of a pool amounts to: the accountant's weight, cpus, memory and GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from htcq.pool.slot import Number, Slot
from htcq.poolquota.supply import Supply
from htcq.simulate.slots import Slots
from htcq.units import CPUS, GPUS, MEMORY, amount_of, show_number

#: Sums of fractions miss by less than this.
DUST = 1e-6
_ASSETS = (CPUS, MEMORY, GPUS)


class Amounts(NamedTuple):
    """Amounts in the pool's unit, in numbers, and in MB."""

    weight: Number = 0
    cpus: Number = 0
    memory_mb: Number = 0
    gpus: Number = 0

    def plus(self, other: Amounts) -> Amounts:
        """Return both together."""
        return Amounts(*(one + another for one, another in zip(self, other)))

    def minus(self, other: Amounts) -> Amounts:
        """Return what is left without ``other``."""
        return Amounts(*(one - another for one, another in zip(self, other)))

    def times(self, number: float) -> Amounts:
        """Return it so many times."""
        return Amounts(*(one * number for one in self))

    @property
    def in_words(self) -> str:
        """How many cores it is; without any how many GPUs, what it weighs, or how much memory."""
        memory_mb = 0 if self.weight else self.memory_mb
        for asset, amount in ((CPUS, self.cpus), (GPUS, self.gpus), (MEMORY, memory_mb)):
            if amount:
                return amount_of(asset, amount)
        return f"weight {show_number(self.weight)}"

    @property
    def is_nothing(self) -> bool:
        """Whether it is nothing but the dust of sums."""
        return all(abs(each) < DUST for each in self)


NOTHING = Amounts()


def total_of(parts: Iterable[Amounts]) -> Amounts:
    """Return ``parts`` together."""
    sums = NOTHING
    for each in parts:
        sums = sums.plus(each)
    return sums


class Weighed:
    """Amounts of the slots of ``supply``, with any amounts left."""

    def __init__(self, supply: Supply) -> None:
        self._supply, self._make = supply, Slots()

    def of(self, slot: Slot) -> Amounts:
        """Return what ``slot`` has, as its ad says."""
        return _amounts(self._supply.weight(slot), slot.left())

    def with_left(self, slot: Slot, left: Mapping[str, Number]) -> Amounts:
        """Return what ``slot`` would have with so much ``left``."""
        return _amounts(self._supply.weight(self._make.left(slot, left)), left)

    def rest(self, slot: Slot, left: Mapping[str, Number]) -> Amounts:
        """Return what is ``left`` of ``slot`` for jobs; nothing where nothing is left."""
        return self.with_left(slot, left) if any(left.values()) else NOTHING

    def at_birth(self, slot: Slot) -> Amounts:
        """Return what ``slot`` had when nothing was carved from it."""
        return self.with_left(slot, slot.whole())


def overdrawn(slot: Slot) -> Amounts:
    """Return how much more than it has a partitionable slot gave to dynamic slots.

    A startd gives each of these a core and a MB even where a consumption policy takes nothing; what
    is left is below 0 then.
    """
    left = slot.left()
    return Amounts(0, *(max(0, -(left.get(asset) or 0)) for asset in _ASSETS))


def _amounts(weight: Number, left: Mapping[str, Number | None]) -> Amounts:
    """Return the amounts of what is left; less than nothing is nothing."""
    return Amounts(weight, *(max(0, left.get(asset) or 0) for asset in _ASSETS))
