"""Slots with all that was carved from them: do their ads add up to what they had at first?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, Slot

#: Seconds in which a startd has sent the ads of all its slots (UPDATE_INTERVAL is 300).
_UPDATES = 600.0


@dataclass
class Place:
    """A slot and its dynamic slots: ``ads`` are those of all. Without its ad the first of these."""

    slot: Slot
    ads: list[Slot] = field(default_factory=list)

    def may_change(self, now: float | None) -> bool:
        """Return whether ads of dynamic slots may still come, or go, at the moment ``now``."""
        number, since = as_number(self.slot.dynamic_slots), as_number(self.slot.split_since)
        if number == sum(each.type == DYNAMIC for each in self.ads):
            return False
        return number is None or now is None or since is None or now - since < _UPDATES


def places_of(slots: Iterable[Slot]) -> Iterable[Place]:
    """Return all ``slots`` by what they are part of."""
    places: dict[str, Place] = {}
    dynamic = []
    for slot in slots:
        if slot.type == DYNAMIC:
            dynamic.append(slot)
        else:
            places.setdefault(str(slot.name), Place(slot)).ads.append(slot)
    for slot in dynamic:
        name = slot.parent if slot.parent in places else str(slot.name)
        places.setdefault(name, Place(slot)).ads.append(slot)
    return places.values()
