"""The scarce asset for a mix of jobs on a fleet, and weights that follow scarcity.

The largest part t of the mix that could run at once, if nodes had no walls and jobs could be
divided, is a linear program: maximise t subject to t * asked(a) <= there(a) for every asset a.
Its dual has one price for each asset, and only an asset that binds, that with the largest
asked(a) / there(a), has a price above 0: its shadow price (bid price in revenue management: what
one more unit would be worth). Prices of 0 would give the other assets away, so each asset that
is asked for keeps a floor here. The result is a bound: real jobs are whole, and real nodes have
walls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from htcq.capacity.prices import rounded_price
from htcq.capacity.shape import Shape
from htcq.policy.consumption import Number
from htcq.units import CPUS, DISK

#: The part of the pool's weight that every asset keeps which is asked for and not scarce.
FLOOR = Fraction(1, 10)
#: Assets within this factor of the scarcest share what the floors leave.
_EQUALLY_SCARCE = 0.95


@dataclass(frozen=True)
class AssetDemand:
    """What all jobs of a mix ask of one asset, and what the fleet has; cpus in cores."""

    asset: str
    asked: Number
    there: Number

    @property
    def ratio(self) -> float:
        """What is asked by what is there; above 1 the jobs cannot all run at once."""
        return self.asked / self.there


@dataclass(frozen=True)
class Scarcity:
    """Assets with the scarcest first.

    ``prices`` are weights of one HTCondor unit that show which one is scarce.

    ``unfit`` is how many jobs fit on no node, empty as it may be; they are not counted.
    """

    demands: tuple[AssetDemand, ...]
    prices: Mapping[str, Fraction]
    unfit: int = 0

    @property
    def scarcest(self) -> AssetDemand:
        """The asset that binds first as more of the mix runs."""
        return self.demands[0]


def scarcity(nodes: Sequence[Mapping[str, int]], shapes: Iterable[Shape]) -> Scarcity | None:
    """Return which asset is scarce for jobs of ``shapes`` on ``nodes``.

    None where none of them fits anywhere.

    ``nodes`` have amounts in HTCondor's units, cpus in cores.
    """
    there = _sum(nodes)
    sizes = [dict(size) for size in {tuple(sorted(node.items())) for node in nodes}]
    asked: dict[str, Number] = {}
    unfit = 0
    for shape in shapes:
        full = shape.full()
        if not any(_fits(full, size) for size in sizes):
            unfit += shape.count
            continue
        for asset, amount in full.items():
            asked[asset] = asked.get(asset, 0) + amount * shape.count
    demands = [
        AssetDemand(asset, amount, there[asset]) for asset, amount in asked.items() if amount
    ]
    if not demands:
        return None
    demands.sort(key=lambda demand: -demand.ratio)
    return Scarcity(tuple(demands), _prices(demands, there[CPUS]), unfit)


def _sum(nodes: Iterable[Mapping[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in nodes:
        for asset, amount in node.items():
            found[asset] = found.get(asset, 0) + amount
    return found


def _fits(asked: Mapping[str, Number], size: Mapping[str, int]) -> bool:
    return all(amount <= size.get(asset, 0) for asset, amount in asked.items())


def _prices(demands: Sequence[AssetDemand], cores: int) -> dict[str, Fraction]:
    """Return weights by which the pool weighs what it has in cores.

    Disk has one only where it is scarce: its free space changes all the time, and weights must
    not.
    """
    scarce, kept = [], []
    for demand in demands:
        if demand.ratio >= _EQUALLY_SCARCE * demands[0].ratio:
            scarce.append(demand.asset)
        elif demand.asset != DISK:
            kept.append(demand.asset)
    floor = min(FLOOR, Fraction(1, 2 * max(1, len(kept))))
    rest = (1 - floor * len(kept)) / len(scarce)
    parts = {**dict.fromkeys(kept, floor), **dict.fromkeys(scarce, rest)}
    prices = {}
    for demand in demands:
        part = parts.get(demand.asset)
        if part:
            price = part * cores / Fraction(demand.there)
            prices[demand.asset] = rounded_price(demand.asset, price)
    return prices
