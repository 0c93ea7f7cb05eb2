"""What a claim of a job would hold of a pool's slots, and what the accountant would charge for it.

The claim that the startd would carve, or the whole of a static slot; then the weight of what
results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.classads import as_number, parsed
from htcq.elastic.models import Models
from htcq.elastic.records import PARTS, WEIGHT
from htcq.policy.claim import accounted
from htcq.pool.autocluster import Autocluster
from htcq.pool.matching import Mismatch, wall
from htcq.pool.slot import PARTITIONABLE, Number
from htcq.pool.slot_class import SlotClass
from htcq.pool.startds import StartdTable, carve
from htcq.poolquota.supply import Supply
from htcq.quota.elastic.kinds import MARK
from htcq.units import CPUS, GPUS


@dataclass(frozen=True)
class ClaimAmounts:
    """What one claim holds: whole amounts by dimension, ``weight`` in parts.

    ``matched`` tells whether any slot is there that the job could have. ``model`` is the model
    of GPU that it asks for: empty where any would do, None where no slot has such.
    """

    amounts: Mapping[str, int]
    matched: bool = True
    model: str | None = ""


class Charging:
    """The claims of autoclusters on ``kinds`` of slots of ``startds``, those of most weight first."""

    def __init__(
        self, kinds: Sequence[SlotClass], models: Models, supply: Supply, startds: StartdTable
    ) -> None:
        self.startds = startds
        self._supply, self._models = supply, models
        self._central = parsed(supply.central_text)
        self._known: dict[int, ClaimAmounts] = {}
        self._variants: dict[int, tuple[SlotClass, ...]] = {}
        self._kinds = sorted(
            kinds,
            key=lambda kind: (
                -float(accounted(kind.full_weight)) * kind.count,
                min(str(each.name) for each in kind.slots),
            ),
        )

    def of(self, jobs: Autocluster) -> ClaimAmounts:
        """Return what a claim of ``jobs`` takes of the slots that most of them would get."""
        key = id(jobs.frame)
        if key not in self._known:
            self._known[key] = self._charge(jobs)
        return self._known[key]

    def _charge(self, jobs: Autocluster) -> ClaimAmounts:
        kind = next((each for each in self._kinds if self._suits(each, jobs)), None)
        likely = kind or next(iter(self._kinds), None)
        if likely is None:
            got: Mapping[str, Number] = {
                asset: amount or 0 for asset, amount in jobs.request.items()
            }
            weight: Number = got.get(CPUS) or 1
        else:
            got = carve(likely, jobs, self.startds.of(likely.first), judged=False).got
            got = got or {asset: amount or 0 for asset, amount in jobs.request.items()}
            weight = self.weight(likely, got)
        amounts = whole({**got, WEIGHT: weight * PARTS})
        if not amounts.get(GPUS):
            return ClaimAmounts(amounts, kind is not None)
        model = self._models.asked(jobs, self._kinds)
        if model:
            amounts[model] = amounts[GPUS]
        return ClaimAmounts(amounts, kind is not None, model)

    def _suits(self, kind: SlotClass, jobs: Autocluster) -> bool:
        """Tell whether any slot of ``kind`` matches ``jobs``; they have one policy, but not one START."""
        if id(kind) not in self._variants:
            self._variants[id(kind)] = tuple(SlotClass((slot,)) for slot in kind.variants)
        return any(wall(one, jobs)[0] is Mismatch.NONE for one in self._variants[id(kind)])

    def has(self, kind: SlotClass, dimension: str) -> bool:
        """Tell whether all slots of ``kind`` may have some of a model of GPU; of what is no model they may."""
        return MARK not in dimension or all(
            any(device.dimension == dimension for device in self._models.devices(slot))
            for slot in kind.variants
        )

    def weight(self, kind: SlotClass, got: Mapping[str, Number]) -> Number:
        """Return what a claim that got so much of a slot of ``kind`` weighs while it lives."""
        if not self._supply.weighted:
            return 1
        central = self._central if self._supply.weighs_centrally(kind.first) else None
        if kind.type != PARTITIONABLE:
            return accounted(
                kind.full_weight if central is None else central.evaluate(kind.ad(kind.total))
            )
        if central is not None:
            return accounted(central.evaluate(kind.dynamic_ad(got)))
        return accounted(kind.standing_weight(got))


def whole(amounts: Mapping[str, Number | None]) -> dict[str, int]:
    """Return amounts as whole numbers, rounded up; what is 0 or no number is left out."""
    numbers = ((name, as_number(amount or 0) or 0) for name, amount in amounts.items())
    # A sum of weights in floating point must not become one part more.
    return {name: math.ceil(round(number, 6)) for name, number in numbers if number > 0}
