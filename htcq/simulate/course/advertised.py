"""The ads of slots as their startds last sent them, and what these say of the other slots.

TotalSlots counts dynamic slots too; slotN_State and the like, and Child*, are those of the moment
at which the ad was sent. Seen with HTCondor 25.14.1 and 23.9.6.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from htcq.classads import as_number
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.quota.knobs import Knobs
from htcq.simulate.course.shown import names_any
from htcq.simulate.neighbours import Neighbours

_KNOB, _INTERVAL = "UPDATE_INTERVAL", 300


class Sent(NamedTuple):
    """The ad of a slot as its startd last sent it: the slot, what it said of others, and when."""

    slot: Slot
    others: Others
    at: float
    shown: Slot


class Others(NamedTuple):
    """What an ad says of the other slots: how many more there are, and texts of theirs."""

    more: int
    texts: tuple[tuple[str, str], ...] = ()


class Advertised:
    """Writes what their ads say of others into the slots of a pool, where any expression looks.

    A startd sends the ad of a slot when that changes or a claim on it is refused, and those of all
    its slots at each UPDATE_INTERVAL: until then another slot says how many there were before.
    Slots are the same objects as before as long as their number is the same.
    """

    def __init__(self, pool: Pool) -> None:
        #: Whether any expression looks at TotalSlots, and what of other attributes is named.
        self.is_named = names_any(pool, "TotalSlots")
        self.neighbours = Neighbours(pool)
        self._captured = Counter(slot.startd for slot in pool.slots or ())
        self._pool = pool
        self._intervals: dict[str, float] = {}
        self._sent: dict[str, Sent] = {}
        #: The slots on which a claim was refused since.
        self._refused = set[str]()

    def begin(self, slots: Iterable[Slot]) -> None:
        """Note what the ads of ``slots``, those of the captured pool, tell."""
        tuple(self.of(slots, 0.0))

    def refused(self, slot: Slot) -> None:
        """Note that a startd refused a claim: the slot was in the state Owner for a moment."""
        self._refused.add(str(slot.name))

    def of(self, slots: Iterable[Slot], now: float) -> Iterable[Slot]:
        """Return ``slots``, all of the pool, as their startds last sent them."""
        if not (self.is_named or self.neighbours.any):
            return slots
        every = tuple(slots)
        of_startds: dict[str, list[Slot]] = {}
        for slot in every:
            of_startds.setdefault(slot.startd, []).append(slot)
        return self._with(every, of_startds, now)

    def _with(
        self, slots: Iterable[Slot], of_startds: Mapping[str, Sequence[Slot]], now: float
    ) -> Iterator[Slot]:
        crossed = {name: self.neighbours.crossed(own) for name, own in of_startds.items()}
        before, self._sent = self._sent, {}
        for slot in slots:
            name, own = str(slot.name), of_startds[slot.startd]
            last = before.get(name)
            if last is None:
                # As it was captured, or as a startd sends it at first.
                sent = self._again(None, slot, self._others(slot, own, crossed), now)
            elif now - last.at >= self._interval(slot):
                sent = self._again(last, slot, self._others(slot, own, crossed), now)
            elif name in self._refused or _differ(last.slot, slot):
                sent = self._again(last, slot, self._others(slot, own, crossed), last.at)
            else:
                sent = self._again(last, slot, last.others, last.at)
            self._sent[name] = sent
            yield sent.shown
        self._refused.clear()

    def _others(
        self, slot: Slot, own: Sequence[Slot], crossed: Mapping[str, Mapping[str, str]]
    ) -> Others:
        texts = {**crossed[slot.startd], **self.neighbours.children(slot, own)}
        return Others(len(own) - self._captured[slot.startd], tuple(texts.items()))

    def _again(self, last: Sent | None, slot: Slot, others: Others, at: float) -> Sent:
        if last is not None and last.slot is slot and last.others == others:
            return last._replace(at=at)
        shown = _shown(slot, others.more) if self.is_named else slot
        return Sent(slot, others, at, self.neighbours.written(shown, dict(others.texts)))

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
