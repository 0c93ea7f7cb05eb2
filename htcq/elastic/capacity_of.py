"""What a negotiator's slots have, and how much of that is free where nothing is matched.

A partitionable slot has what it had at birth (TotalSlot<asset>), whoever has parts of it; a
dynamic slot counts only where the slot that it was carved from is not in sight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.classads import as_number
from htcq.elastic.charging import whole
from htcq.elastic.models import Models, gpus_by_model
from htcq.elastic.records import PARTS, WEIGHT
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Slot
from htcq.pool.slot_state import is_away
from htcq.pool.weights import Weights
from htcq.poolquota.supply import Supply
from htcq.quota.elastic.kinds import MARK
from htcq.units import BUILT_IN_ASSETS, CPUS, GPUS


@dataclass(frozen=True)
class PoolCapacity:
    """Capacity of all slots, and what is free on slots that match nobody (``unmatchable``).

    ``unit_weights`` is the slot weight, in parts, that comes with one unit of a dimension;
    ``unknown_models`` counts the GPUs whose model is not published, ``backfill`` the slots that
    offer what others offer too.
    """

    capacity: Mapping[str, int]
    unmatchable: Mapping[str, int]
    unit_weights: Mapping[str, float] = field(default_factory=dict)
    unknown_models: int = 0
    backfill: int = 0


def capacity_of(supply: Supply, models: Models) -> PoolCapacity:
    """Return the capacity of the slots that count for the pool's weight."""
    slots = list(supply.in_pool())
    children: dict[str, list[Slot]] = {}
    for slot in slots:
        if slot.type == DYNAMIC:
            children.setdefault(slot.parent, []).append(slot)
    names = {str(slot.name) for slot in slots if slot.type == PARTITIONABLE}
    capacity, unmatchable, weights = Counter[str](), Counter[str](), Counter[str]()
    unknown_models = backfill = 0
    in_motion = 0.0
    refuses = Weights("START")
    for slot in slots:
        if slot.type == DYNAMIC and slot.parent in names:
            continue
        carved: list[Slot] = []
        if slot.type == PARTITIONABLE:
            carved = children.get(str(slot.name), [])
        amounts, unknown = _amounts(slot, carved, models)
        unknown_models += unknown
        backfill += slot.frame.value("SlotBackfill") is True
        capacity.update(amounts)
        weight = float(supply.weight_in_pool(slot))
        weight += sum(float(supply.weight_in_pool(each)) for each in carved)
        moving = weight * _moving_part(slot, carved)
        in_motion += moving
        weight += moving
        weights.update(dict.fromkeys(amounts, round(weight * PARTS)))
        if not slot.claimed and _matches_nobody(slot, refuses):
            free_gpus = models.of(slot, int(as_number(slot.gpus) or 0)) or {}
            unmatchable.update({**whole(slot.left()), **free_gpus})
    unit_weights = {name: weights[name] / amount for name, amount in capacity.items()}
    pool_weight = round((float(supply.pool_weight) + in_motion) * PARTS)
    return PoolCapacity(
        {**capacity, WEIGHT: pool_weight},
        dict(unmatchable),
        {**unit_weights, WEIGHT: 1.0},
        unknown_models,
        backfill,
    )


def _moving_part(slot: Slot, carved: Sequence[Slot]) -> float:
    """Return what is missing of a partitionable slot, as a part of what is there.

    The ads of a slot and of those carved from it come one by one: while a claim begins or ends,
    its cpus are in none of them, or in two.
    """
    total = slot.total().get(CPUS) or 0
    there = sum(float(each.left().get(CPUS) or 0) for each in (slot, *carved))
    if slot.type != PARTITIONABLE or total <= 0 or there <= 0:
        return 0.0
    return float(total) / there - 1.0


def _amounts(slot: Slot, carved: Sequence[Slot], models: Models) -> tuple[dict[str, int], int]:
    """Return all amounts of a slot, and how many of its GPUs are of an unknown model."""
    amounts = whole(slot.left() if slot.type == DYNAMIC else slot.total())
    gpus, unknown = gpus_by_model(models, slot, amounts.get(GPUS, 0), carved)
    return {**amounts, **gpus}, unknown


def _matches_nobody(slot: Slot, refuses: Weights) -> bool:
    frame = slot.frame
    if slot.state == "Owner" or is_away(slot):
        return True
    return "start" in frame.texts and refuses.of(slot) is False


def usual_weight(room: Mapping[str, int], unit_weights: Mapping[str, float]) -> tuple[float, str]:
    """Return the usual slot weight of ``room``, in parts, and the dimension that limits it.

    GPUs and custom assets count only where nothing else is managed: most claims have none of them.
    """
    plain = [name for name in room if name in (*BUILT_IN_ASSETS, WEIGHT)]
    weights: list[tuple[float, str]] = []
    for name in plain or room:
        unit_weight = unit_weights.get(name, 0)
        if unit_weight > 0:
            weights.append((room[name] * unit_weight, name))
    return min(weights, default=(0.0, ""))


def managed_names(amounts: Iterable[str], managed: Iterable[str]) -> frozenset[str]:
    """Return those of ``amounts`` that are managed.

    These are the dimensions ``managed``, the assets that they are kinds of, and all kinds of those.
    """
    bases = {name.partition(MARK)[0] for name in managed}
    return frozenset(name for name in amounts if name.partition(MARK)[0] in bases)
