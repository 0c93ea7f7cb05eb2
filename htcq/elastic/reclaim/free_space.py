"""Where idle jobs would find room, as the pool is and with some claims ended: slot by slot, with the real expressions.

A partitionable slot gets back what the claims that end had of it, their cards included: the
amounts, and the names in AvailableGPUs (src/condor_startd.V6/ResAttributes.cpp, HTCondor 25.14).
What else might keep the negotiator from a match is not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from htcq.classads import holds
from htcq.pool.autocluster import Autocluster
from htcq.pool.matching import Mismatch, wall
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot
from htcq.pool.slot_class import SlotClass, requested
from htcq.simulate.course.slots import Slots

_AVAILABLE = "availablegpus"
_CLOSED = ("Offline", "Draining")


class FreeSpace:
    """One place with what is left of it."""

    def __init__(self, slot: Slot, left: dict[str, Number]) -> None:
        self.slot, self.left = slot, left
        self._kind = SlotClass((slot,))

    def take(self, jobs: Autocluster) -> bool:
        """Let one of ``jobs`` run there; tell whether it can."""
        kind, left = self._kind, self.left
        if not _enough(jobs.request, left) or wall(kind, jobs, left)[0] is not Mismatch.NONE:
            return False
        if kind.type != PARTITIONABLE:
            self.left = dict.fromkeys(left, 0)
            return True
        taken = (
            kind.consumed(jobs.ad(), left) if kind.supports_policy else requested(jobs.ad(), left)
        )
        self.left = {asset: amount - (taken.get(asset) or 0) for asset, amount in left.items()}
        return True


class FreeSpaces:
    """The slots of a pool by place: a partitionable slot with its dynamic ones, or a static slot alone."""

    def __init__(self, pool: Pool) -> None:
        self._slots = {str(slot.name): slot for slot in pool.slots or ()}
        self._make, self._expressions = Slots(), Expressions()
        self._frames: dict[tuple[int, tuple[str, ...]], SharedAttributes] = {}

    def slot(self, name: str) -> Slot | None:
        """Return the slot of that name; None where there is none."""
        return self._slots.get(name)

    def place(self, name: str) -> str:
        """Return the place of the slot ``name``: the partitionable slot that it was carved from, else itself."""
        slot = self._slots.get(name)
        if slot is None or slot.type != DYNAMIC:
            return name
        first, at, machine = name.partition("@")
        return f"{first.rpartition('_')[0]}{at}{machine}"

    def free(self) -> tuple[str, ...]:
        """Return the places that could take a job as they are, by name."""
        return tuple(
            sorted(
                name for name, slot in self._slots.items() if self._open(slot) and not _held(slot)
            )
        )

    def known(self, place: str) -> bool:
        """Tell whether there is such a place, and jobs may come to it."""
        slot = self._slots.get(place)
        return slot is not None and self._open(slot)

    def _open(self, slot: Slot) -> bool:
        return slot.type != DYNAMIC and not any(holds(slot.frame.value(name)) for name in _CLOSED)

    def fit(self, place: str, ended: Iterable[str], jobs: Iterable[Autocluster]) -> bool:
        """Tell whether one of each of ``jobs``, in their order, runs at ``place`` when the slots ``ended`` are free."""
        room = self.room(place, ended)
        return room is not None and all(room.take(each) for each in jobs)

    def room(self, place: str, ended: Iterable[str] = ()) -> FreeSpace | None:
        """Return the room at ``place`` when the slots ``ended`` are free; None where no job may come to it."""
        slot, gone = self._slots.get(place), tuple(ended)
        if slot is None or not self._open(slot):
            return None
        if slot.type != PARTITIONABLE:
            if _held(slot) and place not in gone:
                return None
            slot = self._make.unclaimed(slot)
            return FreeSpace(slot, _amounts(slot))
        left = _amounts(slot)
        freed = [self._slots[name] for name in gone if name in self._slots]
        for each in freed:
            for asset, amount in _amounts(each).items():
                left[asset] = left.get(asset, 0) + amount
        return FreeSpace(slot._replace(frame=self._with_cards(slot, freed)), left)

    def freed(self, place: str, ended: Iterable[str]) -> Slot | None:
        """Return the slot that is at ``place`` when the slots ``ended`` are free; None where no job may come to it."""
        room = self.room(place, ended)
        return None if room is None else self._make.left(room.slot, room.left)

    def _with_cards(self, slot: Slot, gone: Sequence[Slot]) -> SharedAttributes:
        """Return the frame of ``slot`` with the cards of ``gone`` among those that are available.

        Names of devices count within one frame alone, so that these cards have names of their own.
        """
        frame = slot.frame
        cards = [text for each in gone for text in _cards(each.frame)]
        if not cards or _AVAILABLE not in frame:
            return frame
        key = (id(frame), tuple(cards))
        found = self._frames.get(key)
        if found is None:
            names = [f"GPUs_Freed{number}" for number in range(1, len(cards) + 1)]
            together = f"{{ {', '.join([*_listed(frame), *names])} }}".encode()
            lines = [
                (name, together if name.lower() == _AVAILABLE.encode() else text)
                for name, text in frame.lines
            ]
            lines += [(name.encode(), text.encode()) for name, text in zip(names, cards)]
            found = self._frames[key] = SharedAttributes(tuple(lines), self._expressions)
        return found


def _listed(frame: SharedAttributes) -> list[str]:
    """Return the names in AvailableGPUs."""
    return [
        name
        for name in frame.text(_AVAILABLE).strip().strip("{}").replace(",", " ").split()
        if name
    ]


def _cards(frame: SharedAttributes) -> list[str]:
    """Return the ads of the cards that a dynamic slot has."""
    return [text for text in (frame.text(name) for name in _listed(frame)) if text]


def _held(slot: Slot) -> bool:
    return slot.type != PARTITIONABLE and (slot.claimed or slot.state != "Unclaimed")


def _enough(request: Mapping[str, Number | None], left: Mapping[str, Number]) -> bool:
    return all(
        amount is None or asset not in left or amount <= left[asset]
        for asset, amount in request.items()
    )


def _amounts(slot: Slot) -> dict[str, Number]:
    return {asset: amount if amount is not None else 0 for asset, amount in slot.left().items()}
