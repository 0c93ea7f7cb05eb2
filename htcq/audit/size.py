"""The size of some slots of a pool."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from htcq.classads import as_number
from htcq.policy.claim import accounted
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.weights import Weights


class Size(NamedTuple):
    """The size of some slots: the sum of their weights, and the cpus of their machines."""

    weight: Number
    cpus: Number


def size_of(slots: Iterable[Slot], weights: Weights) -> Size:
    """Return the size of ``slots``; cpus of dynamic slots count at their partitionable slot."""
    weight: Number = 0
    cpus: Number = 0
    #: The type of the slots of each frame.
    types: dict[int, str] = {}
    for slot in slots:
        weight += accounted(weights.of(slot))
        key = id(slot.frame)
        if key not in types:
            types[key] = slot.type
        if types[key] != DYNAMIC:
            cpus += max(0, as_number(slot.total_slot_cpus) or 0)
    return Size(weight, cpus)
