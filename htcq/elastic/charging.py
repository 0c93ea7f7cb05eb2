"""The amounts of a claim on a pool's slots, and what the accountant would charge for it.

The claim is the slot that the startd would carve, or a whole static slot; the charge is its weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.claims.claim import Claims, weight_of
from htcq.claims.startds import StartdTable
from htcq.classads import as_number, parsed
from htcq.elastic.models import Models
from htcq.elastic.possible_slots import PossibleSlots
from htcq.elastic.records import PARTS, WEIGHT
from htcq.policy.claim import accounted
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.poolquota.supply import Supply
from htcq.quota.elastic.kinds import MARK
from htcq.units import CPUS, GPUS


@dataclass(frozen=True)
class ClaimAmounts:
    """Whole amounts of one claim by dimension; ``weight`` is in parts.

    ``matched``: some slot could run the job. ``model`` is the model of GPU that it asks for: empty
    where any would do, None where no slot has it.
    """

    amounts: Mapping[str, int]
    matched: bool = True
    model: str | None = ""


class Charging:
    """Claims of autoclusters on the slot classes ``kinds``, those with the most weight first."""

    def __init__(
        self, kinds: Sequence[SlotClass], models: Models, supply: Supply, startds: StartdTable
    ) -> None:
        self.startds = startds
        self._claims = Claims(startds)
        self._supply, self._models = supply, models
        self._central = parsed(supply.central_text)
        self._known: dict[int, ClaimAmounts] = {}
        self._possible = PossibleSlots(self._claims, models)
        self._kinds = sorted(kinds, key=_heaviest_first)

    def of(self, jobs: Autocluster) -> ClaimAmounts:
        """Return the amounts of a claim of ``jobs`` on the slots that most of them would get."""
        key = id(jobs.frame)
        if key not in self._known:
            self._known[key] = self._charge(jobs)
        return self._known[key]

    def _charge(self, jobs: Autocluster) -> ClaimAmounts:
        kind = next((each for each in self._kinds if self._possible.suit(each, jobs)), None)
        likely = kind or next(iter(self._kinds), None)
        got: Mapping[str, Number] = {asset: amount or 0 for asset, amount in jobs.request.items()}
        if likely is None:
            weight: Number = got.get(CPUS) or 1
        else:
            got = self._claims.of(likely, jobs).got or got
            weight = self.weight(likely, got)
        amounts = whole({**got, WEIGHT: weight * PARTS})
        # Where no slots are known, nobody knows better.
        matched = kind is not None or not self._kinds
        if not amounts.get(GPUS):
            return ClaimAmounts(amounts, matched)
        model = self._models.asked(jobs, self._kinds)
        if model:
            amounts[model] = amounts[GPUS]
        return ClaimAmounts(amounts, matched, model)

    def has(self, kind: SlotClass, dimension: str) -> bool:
        """Return whether all slots of ``kind`` may have some of ``dimension``.

        Only a model of GPU can be missing.
        """
        if MARK not in dimension:
            return True
        for slot in kind.variants:
            models = {device.dimension for device in self._models.devices(slot)}
            if dimension not in models:
                return False
        return True

    def weight(self, kind: SlotClass, got: Mapping[str, Number]) -> Number:
        """Return the weight, while it lives, of a claim with the amounts ``got`` on ``kind``."""
        if not self._supply.weighted:
            return 1
        if self._supply.weighs_centrally(kind.first) and self._central is not None:
            return accounted(weight_of(kind, got, self._central))
        return self._claims.standing(kind, got)


def _heaviest_first(kind: SlotClass) -> tuple[float, str]:
    weight = float(accounted(kind.full_weight)) * kind.count
    return (-weight, min(str(each.name) for each in kind.slots))


def whole(amounts: Mapping[str, Number | None]) -> dict[str, int]:
    """Return amounts as whole numbers, rounded up; what is 0 or no number is left out."""
    found = {}
    for name, amount in amounts.items():
        number = as_number(amount or 0) or 0
        if number > 0:
            # A sum of weights in floating point must not become one part more.
            found[name] = math.ceil(round(number, 6))
    return found
