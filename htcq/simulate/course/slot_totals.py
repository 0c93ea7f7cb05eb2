"""TotalSlots as time goes by: a startd counts its dynamic slots, too.

Seen with HTCondor 25.14.1 and 23.9.6.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from htcq.classads import as_number
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.quota.knobs import Knobs
from htcq.simulate.course.shown import names_any

_KNOB, _INTERVAL = "UPDATE_INTERVAL", 300


class Sent(NamedTuple):
    """The ad of a slot as its startd last sent it: the slot, how many more there were, and when."""

    slot: Slot
    more: int
    at: float
    shown: Slot


class SlotTotals:
    """Writes TotalSlots into the slots of a pool, where any expression looks at it.

    A startd sends the ad of a slot when that changes or a claim on it is refused, and those of all
    its slots at each UPDATE_INTERVAL: until then another slot says how many there were before.
    Slots are the same objects as before as long as their number is the same.
    """

    def __init__(self, pool: Pool) -> None:
        #: Whether any expression looks at it.
        self.is_named = names_any(pool, "TotalSlots")
        self._captured = Counter(slot.startd for slot in pool.slots or ())
        self._pool = pool
        self._intervals: dict[str, float] = {}
        self._sent: dict[str, Sent] = {}
        #: The slots on which a claim was refused since.
        self._refused = set[str]()

    def begin(self, slots: Iterable[Slot]) -> None:
        """Note what the ads of ``slots``, those of the captured pool, tell."""
        if self.is_named:
            tuple(self.of(slots, 0.0))

    def refused(self, slot: Slot) -> None:
        """Note that a startd refused a claim: the slot was in the state Owner for a moment."""
        self._refused.add(str(slot.name))

    def of(self, slots: Iterable[Slot], now: float) -> Iterable[Slot]:
        """Return ``slots``, all of the pool, with the number of slots that their ads tell now."""
        if not self.is_named:
            return slots
        every = tuple(slots)
        more = Counter(slot.startd for slot in every)
        more.subtract(self._captured)
        return self._with(every, more, now)

    def _with(self, slots: Iterable[Slot], more: Counter[str], now: float) -> Iterator[Slot]:
        before, self._sent = self._sent, {}
        for slot in slots:
            name, number = str(slot.name), more[slot.startd]
            last = before.get(name)
            if last is None:
                sent = Sent(slot, number, now, _shown(slot, number))
            elif now - last.at >= self._interval(slot):
                sent = _again(last, slot, number)._replace(at=now)
            elif name in self._refused or _differ(last.slot, slot):
                sent = _again(last, slot, number)
            else:
                sent = _again(last, slot, last.more)
            self._sent[name] = sent
            yield sent.shown
        self._refused.clear()

    def at(self, slot: Slot, number: int) -> Slot:
        """Return ``slot`` as its startd has it when there are that many of it."""
        return _shown(slot, number - self._captured[slot.startd])

    def _interval(self, slot: Slot) -> float:
        """Return UPDATE_INTERVAL of a startd, or else of the central manager, in seconds."""
        startd = slot.startd
        found = self._intervals.get(startd)
        if found is None:
            configuration = self._pool.startd_configuration(slot)
            text = "" if configuration is None else configuration.value(_KNOB)
            knobs = Knobs({_KNOB: text})
            found = self._intervals[startd] = knobs.number(_KNOB, _INTERVAL, 0, math.inf)
        return found


def _again(last: Sent, slot: Slot, more: int) -> Sent:
    if last.slot is slot and last.more == more:
        return last
    return Sent(slot, more, last.at, _shown(slot, more))


def _shown(slot: Slot, more: int) -> Slot:
    total = as_number(slot.total_slots)
    if not more or total is None:
        return slot
    return slot._replace(total_slots=int(total) + more)


def _differ(one: Slot, other: Slot) -> bool:
    """Return whether a slot has changed. The run time of its job does not count."""
    if one is other:
        return False
    same = other._replace(job_seconds=one.job_seconds, retirement_seconds=one.retirement_seconds)
    return one != same
