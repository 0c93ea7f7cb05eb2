"""For what slots of a pool are given to no job: their own states, and what only the pool tells.

That is which machines send nothing any more, and whether condor_rooster wakes those that sleep. It
wakes an offline machine for which ROOSTER_UNHIBERNATE holds, by default Unhibernate of its ad,
which holds from the first match on (src/condor_power/rooster.cpp, ResMgr.cpp, HTCondor 25.13).
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.classads import literal
from htcq.pool.daemons import DAEMON_LIST, listed_daemons
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.pool.slot_causes import STALE
from htcq.pool.slot_state import HIBERNATING, OFFLINE, closings_of
from htcq.poolquota.ailment import ObservedPool
from htcq.poolquota.health import stale_slots

_ROOSTER, _UNHIBERNATE = "ROOSTER", "Unhibernate"


def silent_slots(pool: Pool) -> frozenset[str]:
    """Return the names of the slots whose machines send nothing any more."""
    return frozenset(str(slot.name) for slot in stale_slots(pool))


class Closings:
    """For what each slot of ``pool`` is given to no job when it was captured."""

    def __init__(self, pool: Pool) -> None:
        self._now, self._silent = ObservedPool(pool).now, silent_slots(pool)
        known = (pool.central, *pool.access.values(), *pool.execute.values())
        self._wakes = any(
            _ROOSTER in listed_daemons(each.value(DAEMON_LIST))
            for each in known
            if each is not None
        )

    def of(self, slot: Slot) -> Iterator[str]:
        """Yield the causes, the one that ends last first."""
        if str(slot.name) in self._silent:
            yield STALE
        for each in closings_of(slot, self._now):
            yield HIBERNATING if each == OFFLINE and self._is_woken(slot) else each

    def first(self, slot: Slot) -> str:
        """Return the first of them; empty where there is none."""
        return next(self.of(slot), "")

    def _is_woken(self, slot: Slot) -> bool:
        if not self._wakes or slot.frame.value("Offline") is not True:
            return False
        return _UNHIBERNATE not in slot.frame or literal(slot.frame.text(_UNHIBERNATE)) is not False
