"""A partitionable slot as its startd knows it during a cycle, request after request.

Follows src/condor_startd.V6/command.cpp (request_claim) and ResAttributes.cpp
(publish_slot_dynamic), HTCondor 23.9 to 25.14.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.htcondor.releases import PREEMPTED_DEVICES
from htcq.policy.claim import Startd, whole
from htcq.pool.slot import Number, Slot
from htcq.simulate.cycle.dynamic_requirements import DYNAMIC_SLOTS
from htcq.units import GPUS


class StartdView:
    """A slot at its startd: its rest, the startd, and what each view sees."""

    __slots__ = ("left", "seen", "startd")

    def __init__(self, left: Mapping[str, Number], startd: Startd) -> None:
        self.left, self.startd = dict(left), startd
        self.seen: dict[int, int] = {}

    def take_back(self, slot: Slot) -> dict[str, Number]:
        """Take back what a dynamic slot has that is gone; return what of it comes too late.

        A startd before 24.9 finds its free devices anew when it makes or deletes a dynamic slot.
        """
        freed = {name: more or 0 for name, more in slot.left().items() if name in self.left}
        late = dict[str, Number]()
        if GPUS in freed and not PREEMPTED_DEVICES.holds(self.startd.version):
            late[GPUS] = freed.pop(GPUS)
        self.add(freed)
        if DYNAMIC_SLOTS in self.left:
            self.left[DYNAMIC_SLOTS] -= 1
        return late

    def add(self, freed: Mapping[str, Number]) -> None:
        """Add amounts to what is left."""
        for asset, amount in freed.items():
            if asset in self.left:
                self.left[asset] = whole(self.left[asset] + amount)
