"""How many slots the dedicated scheduler of an access point may ask for.

It asks for the slots of a parallel job all at once or not at all: only where those that it holds
and those that it could get suffice (computeSchedule). A partitionable slot counts once for each
free core (duplicate_partitionable_res), a dynamic one only where it holds it itself. Follows
src/condor_schedd.V6/dedicated_scheduler.cpp, HTCondor 25.13.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Slot

_SCHEDULER = "DedicatedScheduler"


class Obtainable(NamedTuple):
    """How many nodes of a parallel job: with the slots of now, and with no job on any of them."""

    now: int
    empty: int


class DedicatedSlots:
    """The ``slots`` that are dedicated to schedulers of access points."""

    def __init__(self, slots: Iterable[Slot]) -> None:
        self._slots = slots

    def of(self, scheduler: str) -> Obtainable:
        """Return how many nodes the scheduler of that name could get at most."""
        name = scheduler.lower()
        return Obtainable(self._counts[0][name], self._counts[1][name])

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        now, empty = Counter[str](), Counter[str]()
        for slot in self._slots:
            scheduler = slot.frame.value(_SCHEDULER)
            if not isinstance(scheduler, str):
                continue
            scheduler = scheduler.lower()
            if slot.type == PARTITIONABLE:
                now[scheduler] += int(as_number(slot.cpus) or 0)
                empty[scheduler] += int(as_number(slot.total_slot_cpus) or 0)
                continue
            is_own = slot.customer.lower() == scheduler
            is_busy = is_own and slot.activity != "Idle"
            if is_own or slot.type != DYNAMIC:
                now[scheduler] += not is_busy
            if slot.type != DYNAMIC:
                empty[scheduler] += 1
        return now, empty
