"""What a negotiator's slots have, and how much of that is free where nothing is matched.

A partitionable slot has what it had at birth (TotalSlot<asset>), whoever has parts of it; a
dynamic slot counts only where the slot that it was carved from is not in sight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.classads import as_number
from htcq.elastic.charging import whole
from htcq.elastic.models import Models, cards_of
from htcq.elastic.records import PARTS, WEIGHT
from htcq.pool.costs import parent_name
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Slot
from htcq.pool.weights import Weights
from htcq.poolquota.supply import Supply
from htcq.quota.elastic.kinds import MARK
from htcq.units import BUILT_IN_ASSETS, GPUS

#: States in which a slot is matched with nobody (docs/admin-manual/ep-policy-configuration.rst,
#: 25.14).
_SHUT = ("Drained", "Owner")


@dataclass(frozen=True)
class PoolCapacity:
    """What there is: ``capacity`` of all slots, ``unmatchable`` what is free on slots that match nobody.

    ``worth`` is the slot weight, in parts, that comes with one unit of a dimension where there
    is any of it; ``untold`` counts the GPUs whose model is not published, ``backfill`` the slots
    that offer what others offer too.
    """

    capacity: Mapping[str, int]
    unmatchable: Mapping[str, int]
    worth: Mapping[str, float] = field(default_factory=dict)
    untold: int = 0
    backfill: int = 0


def room_of(supply: Supply, models: Models) -> PoolCapacity:
    """Return what the slots have that count for the pool's weight."""
    slots = list(supply.in_pool())
    children: dict[str, list[Slot]] = {}
    for slot in slots:
        if slot.type == DYNAMIC:
            children.setdefault(parent_name(slot), []).append(slot)
    names = {str(slot.name) for slot in slots if slot.type == PARTITIONABLE}
    sums, unmatchable, weighed = _Sums(), _Sums(), _Sums()
    untold = backfill = 0
    refuses = Weights("START")
    for slot in slots:
        if slot.type == DYNAMIC and parent_name(slot) in names:
            continue
        mine = children.get(str(slot.name), []) if slot.type == PARTITIONABLE else []
        amounts = whole(slot.total() if slot.type != DYNAMIC else slot.left())
        cards, missing = cards_of(models, slot, amounts.get(GPUS, 0), mine)
        amounts.update(cards)
        untold += missing
        backfill += slot.frame.value("SlotBackfill") is True
        sums.add(amounts)
        weight = float(supply.weight_in_pool(slot)) + sum(
            float(supply.weight_in_pool(each)) for each in mine
        )
        weighed.add({name: round(weight * PARTS) for name in amounts})
        if not slot.claimed and _shut(slot, refuses):
            unmatchable.add({**whole(slot.left()), **_free_cards(models, slot)})
    capacity = {**sums.amounts, WEIGHT: round(float(supply.pool_weight) * PARTS)}
    worth = {name: weighed.amounts[name] / amount for name, amount in sums.amounts.items()}
    return PoolCapacity(capacity, unmatchable.amounts, {**worth, WEIGHT: 1.0}, untold, backfill)


class _Sums:
    def __init__(self) -> None:
        self.amounts: dict[str, int] = {}

    def add(self, amounts: Mapping[str, int]) -> None:
        for name, amount in amounts.items():
            self.amounts[name] = self.amounts.get(name, 0) + amount


def _free_cards(models: Models, slot: Slot) -> Mapping[str, int]:
    return models.of(slot, int(as_number(slot.gpus) or 0)) or {}


def _shut(slot: Slot, refuses: Weights) -> bool:
    frame = slot.frame
    if slot.state in _SHUT or frame.value("Offline") is True or frame.value("Draining") is True:
        return True
    return "start" in frame.texts and refuses.of(slot) is False


def usual_worth(room: Mapping[str, int], worth: Mapping[str, float]) -> tuple[float, str]:
    """Return the slot weight, in parts, that ``room`` is usually worth, and the dimension that has least of it.

    GPUs and custom assets count only where nothing else is managed: most claims have none of them.
    """
    plain = [name for name in room if name in (*BUILT_IN_ASSETS, WEIGHT)]
    known: Sequence[str] = sorted(name for name in plain or room if worth.get(name, 0) > 0)
    most = {name: room[name] * worth[name] for name in known}
    binding = min(known, key=lambda name: (most[name], name), default="")
    return (most[binding], binding) if binding else (0.0, "")


def managed_names(amounts: Iterable[str], managed: Iterable[str]) -> frozenset[str]:
    """Return which of ``amounts`` are managed: those named, what these are kinds of, and all kinds of those."""
    bases = {name.partition(MARK)[0] for name in managed}
    return frozenset(name for name in amounts if name in bases or name.partition(MARK)[0] in bases)
