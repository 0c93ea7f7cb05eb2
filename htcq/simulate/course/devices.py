"""Which of a slot's GPUs a dynamic slot gets, and which are left in AvailableGPUs.

Follows src/condor_startd.V6/ResAttributes.cpp (AllocateDevId, publish_slot_dynamic) and
Resource.cpp (create_dslot), HTCondor 23.9 to 25.14: the first devices that suit RequireGPUs of the
job; of a slot with a consumption policy the first ones, whatever the job requires. AvailableGPUs
lists them in that order.
"""

from __future__ import annotations

from collections.abc import Sequence

from htcq.policy.claim import supports
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import Slot
from htcq.simulate.course.claims import Base
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.required_gpus import AVAILABLE, REQUIRED, suiting


class Devices:
    """Knows which devices suit which requests; every frame that it makes is made once and kept."""

    def __init__(self) -> None:
        self._expressions = Expressions()
        self._frames: dict[tuple[int, tuple[str, ...]], SharedAttributes] = {}
        self._roots: dict[int, SharedAttributes] = {}
        self._suit: dict[tuple[int, int, str], bool] = {}

    def move_in(self, base: Base) -> None:
        """Note what a captured slot has free."""
        base.devices = dict(enumerate(_listed(base.slot)))
        base.free = tuple(base.devices)

    def held(self, base: Base, slot: Slot) -> tuple[int, ...]:
        """Return the places of what a captured dynamic ``slot`` of ``base`` has.

        No ad tells them. They come before all that are free: the first ones are handed out first.
        """
        names = _listed(slot)
        if not all(name in base.slot.frame for name in names):
            return ()
        first = min(base.devices, default=0)
        places = tuple(range(first - len(names), first))
        base.devices.update(zip(places, names))
        return places

    def take(self, base: Base, request: Request, count: int) -> tuple[int, ...]:
        """Return the places of what a dynamic slot of ``base`` gets for ``request``.

        Fewer where no more suit.
        """
        suiting = [
            each for each in base.free if self._suits(base.slot, request, base.devices[each])
        ]
        taken = tuple(suiting[:count])
        if taken:
            self._leave(base, [each for each in base.free if each not in taken])
        return taken

    def give_back(self, base: Base, places: Sequence[int]) -> None:
        """Let ``base`` have free again what is at these ``places``."""
        if places:
            self._leave(base, sorted((*base.free, *places)))

    def of(self, base: Base, places: Sequence[int]) -> Slot:
        """Return the slot of ``base`` with no others in AvailableGPUs than those at ``places``.

        Where the ad does not list any, it stays so.
        """
        if AVAILABLE not in base.slot.frame:
            return base.slot
        return self._with_only(base, places)

    def _leave(self, base: Base, free: Sequence[int]) -> None:
        base.free, base.slot = free, self._with_only(base, free)

    def _with_only(self, base: Base, places: Sequence[int]) -> Slot:
        return self._listing(base.slot, tuple(base.devices[each] for each in places))

    def _listing(self, slot: Slot, names: tuple[str, ...]) -> Slot:
        root = self._roots.setdefault(id(slot.frame), slot.frame)
        key = (id(root), names)
        frame = self._frames.get(key)
        if frame is None:
            text = f"{{ {', '.join(names)} }}"
            frame = self._frames[key] = root.changed({AVAILABLE: text}, self._expressions)
            self._roots[id(frame)] = root
        return slot._replace(frame=frame)

    def _suits(self, slot: Slot, request: Request, name: str) -> bool:
        if REQUIRED not in request.frame:
            return True
        root = self._roots.setdefault(id(slot.frame), slot.frame)
        key = (id(root), id(request), name)
        if key not in self._suit:
            alone = self._listing(slot, (name,))
            self._suit[key] = supports(alone.ad()) or suiting(alone, request) == 1
        return self._suit[key]


def _listed(slot: Slot) -> tuple[str, ...]:
    """Return the devices that ``slot`` has and none of its dynamic slots."""
    return tuple(slot.frame.text(AVAILABLE).strip().strip("{}").replace(",", " ").split())
