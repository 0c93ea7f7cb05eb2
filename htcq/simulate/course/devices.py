"""Which of a slot's GPUs a dynamic slot gets, and which are left in AvailableGPUs.

Follows src/condor_startd.V6/ResAttributes.cpp (AllocateDevId, publish_slot_dynamic), HTCondor
25.14: the first devices that suit RequireGPUs of the job. Devices are in the order of
AvailableGPUs, which for different devices in a snapshot is not that of the startd.
"""

from __future__ import annotations

from htcq.classads import Expr
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import Slot
from htcq.simulate.cycle.queues import Request

_AVAILABLE = "AvailableGPUs"
_SUITS = Expr("countMatches(MY.RequireGPUs, TARGET.AvailableGPUs)")


class Devices:
    """Knows which devices suit which requests; every frame that it makes is made once and kept."""

    def __init__(self) -> None:
        self._expressions = Expressions()
        self._frames: dict[tuple[int, tuple[str, ...]], SharedAttributes] = {}
        self._roots: dict[int, SharedAttributes] = {}
        self._suit: dict[tuple[int, int, str], bool] = {}

    def listed(self, slot: Slot) -> tuple[str, ...]:
        """Return the devices that ``slot`` has and none of its dynamic slots."""
        return tuple(slot.frame.text(_AVAILABLE).strip().strip("{}").replace(",", " ").split())

    def chosen(self, slot: Slot, request: Request, count: int) -> tuple[str, ...]:
        """Return the devices that a dynamic slot of ``slot`` gets for ``request``.

        Fewer where no more suit.
        """
        suiting = [name for name in self.listed(slot) if self._suits(slot, request, name)]
        return tuple(suiting[:count])

    def with_only(self, slot: Slot, names: tuple[str, ...]) -> Slot:
        """Return ``slot`` with ``names`` in AvailableGPUs, and no others."""
        root = self._roots.setdefault(id(slot.frame), slot.frame)
        key = (id(root), names)
        frame = self._frames.get(key)
        if frame is None:
            text = f"{{ {', '.join(names)} }}"
            frame = self._frames[key] = root.changed({_AVAILABLE: text}, self._expressions)
            self._roots[id(frame)] = root
        return slot._replace(frame=frame)

    def _suits(self, slot: Slot, request: Request, name: str) -> bool:
        if "RequireGPUs" not in request.frame:
            return True
        root = self._roots.setdefault(id(slot.frame), slot.frame)
        key = (id(root), id(request), name)
        if key not in self._suit:
            alone = self.with_only(slot, (name,))
            self._suit[key] = _SUITS.evaluate(request.first.ad(), alone.ad()) == 1
        return self._suit[key]
