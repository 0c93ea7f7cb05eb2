"""Whether any slot of a pool could ever run a job: each slot as if nobody had a part of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.claims.claim import Claims
from htcq.claims.matching import fits
from htcq.elastic.models import Models
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import PLACES, Slot
from htcq.pool.slot_class import SlotClass
from htcq.simulate.slots import Slots
from htcq.units import BUILT_IN_ASSETS, GPUS

_AVAILABLE = "AvailableGPUs"
#: Own attributes of slots in which equal slots differ, other than by amounts, in lower case.
_OWN = frozenset(PLACES) - {name for asset in (*BUILT_IN_ASSETS, GPUS) for name in (
    asset, f"total{asset}", f"totalslot{asset}",
)}  # fmt: skip
_IDENTITY = frozenset({"name", "machine", "slotid"})
#: So many single slots are tried for the jobs of one submitter: whoever has many jobs that match
#: nothing must not hold up the others.
_MOST_TRIALS = 200_000


class PossibleSlots:
    """The slots of a pool, which may be tried one by one where jobs or slots name single slots."""

    def __init__(self, claims: Claims, models: Models) -> None:
        self._claims, self._models, self._make = claims, models, Slots()
        self._variants: dict[int, tuple[SlotClass, ...]] = {}
        self._single: dict[int, tuple[SlotClass, ...]] = {}
        self._trials = Counter[str]()

    def suit(self, kind: SlotClass, jobs: Autocluster) -> bool:
        """Return whether any slot of ``kind`` could run one of ``jobs``.

        The slots have one policy, but not one START.
        """
        if id(kind) not in self._variants:
            self._variants[id(kind)] = tuple(map(self._free, kind.variants))
        if any(self._claims.fits(one, jobs) for one in self._variants[id(kind)]):
            return True
        return _names_slots(kind, jobs) and any(self._trial(one, jobs) for one in self._all(kind))

    def _all(self, kind: SlotClass) -> tuple[SlotClass, ...]:
        if id(kind) not in self._single:
            self._single[id(kind)] = tuple(map(self._free, kind.slots))
        return self._single[id(kind)]

    def _trial(self, one: SlotClass, jobs: Autocluster) -> bool:
        who = jobs.first.submitter
        if self._trials[who] >= _MOST_TRIALS:
            return False
        self._trials[who] += 1
        return fits(one, jobs, one.total, self._claims.taken(one, jobs))

    def _free(self, slot: Slot) -> SlotClass:
        """Return the slot as it is when nothing runs there; its amounts are those at birth."""
        devices = tuple(self._devices(slot))
        if devices and _AVAILABLE in slot.frame:
            slot = self._make.changed(slot, {_AVAILABLE: f"{{ {', '.join(devices)} }}"})
        return SlotClass((self._make.unclaimed(slot),))

    def _devices(self, slot: Slot) -> Iterator[str]:
        """Yield the attributes of its GPUs, one for each."""
        for device in self._models.devices(slot):
            if device.attribute:
                count = device.count
                if count is None:
                    count = int(slot.whole().get(GPUS, 0))
                yield from [device.attribute] * count


def _names_slots(kind: SlotClass, jobs: Autocluster) -> bool:
    """Return whether it may depend on the single slot of ``kind`` if it takes one of ``jobs``."""
    named = jobs.frame.references()
    if (named.own | named.target) & _OWN:
        return True
    return any(slot.frame.references().own & _IDENTITY for slot in kind.variants)
