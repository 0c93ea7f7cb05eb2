"""Free space for idle jobs, now and with some claims ended, computed with the real expressions.

A partitionable slot gets back what the ended claims had of it, GPUs included: the amounts, and the
names in AvailableGPUs (src/condor_startd.V6/ResAttributes.cpp, HTCondor 25.14). Whatever else might
keep the negotiator from a match is not considered here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from htcq.claims.matching import Mismatch, wall
from htcq.claims.startds import StartdTable, carve
from htcq.policy.claim import Startd
from htcq.pool.autocluster import Autocluster
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.slot_state import is_away
from htcq.simulate.slots import Slots

_AVAILABLE = "availablegpus"


class FreeSpace:
    """What is left of one place: a partitionable or a static slot."""

    def __init__(self, slot: Slot, left: dict[str, Number], startd: Startd) -> None:
        self.slot, self.left, self._startd = slot, left, startd
        self._slot_class = SlotClass((slot,))

    def take(self, jobs: Autocluster) -> bool:
        """Let one of ``jobs`` run there; return whether it can."""
        slot_class, left = self._slot_class, self.left
        if not _enough(jobs.request, left):
            return False
        mismatch, _ = wall(slot_class, jobs, left)
        if mismatch is not Mismatch.NONE:
            return False
        if slot_class.type != PARTITIONABLE:
            self.left = dict.fromkeys(left, 0)
            return True
        way = carve(slot_class, jobs, self._startd, left)
        if way.refusal:
            return False
        self.left = {asset: amount - (way.bag.get(asset) or 0) for asset, amount in left.items()}
        return True

    def take_all(self, jobs: Iterable[Autocluster]) -> bool:
        """Let one of each of ``jobs`` run there, in their order; return whether all can."""
        return all(self.take(each) for each in jobs)


class FreeSpaces:
    """The slots of a pool by place.

    A place is a partitionable slot with its dynamic ones, or a static slot.
    """

    def __init__(self, pool: Pool) -> None:
        self._slots = {str(slot.name): slot for slot in pool.slots or ()}
        self._make, self._expressions = Slots(), Expressions()
        self._startds = StartdTable(pool.execute)
        self._frames: dict[tuple[int, tuple[str, ...]], SharedAttributes] = {}

    def slot(self, name: str) -> Slot | None:
        """Return the slot of that name; None where there is none."""
        return self._slots.get(name)

    def place(self, name: str) -> str:
        """Return the place of slot ``name``: the slot that it was carved from, or itself."""
        slot = self._slots.get(name)
        return name if slot is None else slot.parent

    def free(self) -> tuple[str, ...]:
        """Return the names of the places that could take a job now, sorted."""
        found = []
        for name, slot in self._slots.items():
            if self._open(slot) and not _held(slot):
                found.append(name)
        return tuple(sorted(found))

    def known(self, place: str) -> bool:
        """Return whether there is such a place, and it accepts jobs."""
        slot = self._slots.get(place)
        return slot is not None and self._open(slot)

    def _open(self, slot: Slot) -> bool:
        if slot.type == DYNAMIC:
            return False
        return not is_away(slot)

    def fit(self, place: str, ended: Iterable[str], jobs: Iterable[Autocluster]) -> bool:
        """Return whether ``jobs`` fit at ``place`` once the slots ``ended`` are free."""
        space = self.space(place, ended)
        return space is not None and space.take_all(jobs)

    def space(self, place: str, ended: Iterable[str] = ()) -> FreeSpace | None:
        """Return the space at ``place`` once the slots ``ended`` are free.

        None where the place accepts no job.
        """
        slot = self._slots.get(place)
        gone = tuple(ended)
        if slot is None or not self._open(slot):
            return None
        startd = self._startds.of(slot)
        if slot.type != PARTITIONABLE:
            if _held(slot) and place not in gone:
                return None
            slot = self._make.unclaimed(slot)
            return FreeSpace(slot, _amounts(slot), startd)
        left = _amounts(slot)
        freed = [self._slots[name] for name in gone if name in self._slots]
        for each in freed:
            for asset, amount in _amounts(each).items():
                left[asset] = left.get(asset, 0) + amount
        return FreeSpace(slot._replace(frame=self._with_cards(slot, freed)), left, startd)

    def freed(self, place: str, ended: Iterable[str]) -> Slot | None:
        """Return the slot at ``place`` once the slots ``ended`` are free.

        None where the place accepts no job.
        """
        space = self.space(place, ended)
        if space is None:
            return None
        return self._make.left(space.slot, space.left)

    def _with_cards(self, slot: Slot, gone: Sequence[Slot]) -> SharedAttributes:
        """Return the frame of ``slot`` with the GPUs of ``gone`` among the available ones.

        Device names count within one frame only, so these GPUs get names of their own.
        """
        frame = slot.frame
        cards: list[str] = []
        for each in gone:
            cards += _cards(each.frame)
        if not cards or _AVAILABLE not in frame:
            return frame
        key = (id(frame), tuple(cards))
        found = self._frames.get(key)
        if found is None:
            names = [f"GPUs_Freed{number}" for number in range(1, len(cards) + 1)]
            together = f"{{ {', '.join([*_listed(frame), *names])} }}".encode()
            lines = []
            for name, text in frame.lines:
                if name.lower() == _AVAILABLE.encode():
                    lines.append((name, together))
                else:
                    lines.append((name, text))
            for own_name, card in zip(names, cards):
                lines.append((own_name.encode(), card.encode()))
            found = self._frames[key] = SharedAttributes(tuple(lines), self._expressions)
        return found


def _listed(frame: SharedAttributes) -> list[str]:
    """Return the names in AvailableGPUs."""
    names = frame.text(_AVAILABLE).strip().strip("{}")
    return names.replace(",", " ").split()


def _cards(frame: SharedAttributes) -> list[str]:
    """Return the ads of the GPUs that a dynamic slot has."""
    texts = map(frame.text, _listed(frame))
    return [text for text in texts if text]


def _held(slot: Slot) -> bool:
    if slot.type == PARTITIONABLE:
        return False
    return slot.claimed or slot.state != "Unclaimed"


def _enough(request: Mapping[str, Number | None], left: Mapping[str, Number]) -> bool:
    for asset, amount in request.items():
        if amount is not None and asset in left and amount > left[asset]:
            return False
    return True


def _amounts(slot: Slot) -> dict[str, Number]:
    return {asset: 0 if amount is None else amount for asset, amount in slot.left().items()}
