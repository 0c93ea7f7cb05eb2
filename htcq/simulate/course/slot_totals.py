"""TotalSlots as time goes by: a startd counts its dynamic slots, too.

Seen with HTCondor 25.14.1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from htcq.classads import as_number
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import SharedAttributes, frames_of
from htcq.pool.slot import Slot
from htcq.simulate.course.machines import machine_of

_NAMED = re.compile(r"\btotalslots\b", re.IGNORECASE)


class SlotTotals:
    """Writes TotalSlots into the slots of a pool, where any expression looks at it.

    Slots are the same objects as before as long as their number is the same.
    """

    def __init__(self, pool: Pool) -> None:
        jobs = [*(pool.jobs or ()), *(each.job for each in pool.arriving)]
        frames = frames_of(pool.slots or ()) | frames_of(jobs)
        knobs = [knob.value for knob in pool.central or ()]
        self._is_named = any(map(_names, frames)) or any(map(_NAMED.search, knobs))
        self._captured = Counter(map(machine_of, pool.slots or ()))
        self._written: dict[str, tuple[Slot, int, Slot]] = {}

    def of(self, slots: Iterable[Slot]) -> Iterable[Slot]:
        """Return ``slots``, all of the pool, with the number of slots that each machine has now."""
        if not self._is_named:
            return slots
        every = tuple(slots)
        now = Counter(map(machine_of, every))
        now.subtract(self._captured)
        return self._with(every, now)

    def _with(self, slots: Iterable[Slot], more: Counter[str]) -> Iterator[Slot]:
        before, self._written = self._written, {}
        for slot in slots:
            number, total = more[machine_of(slot)], as_number(slot.total_slots)
            if not number or total is None:
                yield slot
                continue
            name = str(slot.name)
            known = before.get(name)
            if known is None or known[0] is not slot or known[1] != number:
                known = (slot, number, slot._replace(total_slots=int(total) + number))
            self._written[name] = known
            yield known[2]


def _names(frame: SharedAttributes) -> bool:
    return any(map(_NAMED.search, frame.texts.values()))
