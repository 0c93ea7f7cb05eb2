"""Faults of the daemons of a pool, and the capture of a pool by the clock of its collector."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.classads import as_number
from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool, seconds_of
from htcq.pool.record import Record
from htcq.pool.slot import Slot
from htcq.quota.knobs import Knobs

#: A daemon is late after so many of its intervals, and not before so many seconds: a busy machine
#: may be slow.
INTERVALS, MIN_SECONDS = 3, 60.0
#: What the capture says of a daemon that is there no more or hangs; one that refuses to be read is
#: alive.
NO_ANSWER = re.compile(r"no answer|cannot connect|it is there, but|its process ended")
#: And of one that it did not ask: nothing is known of it.
NOT_ASKED = re.compile(r"no answer: not asked, (.+)")


@dataclass(frozen=True)
class Ailment:
    """One thing that is wrong with the pool's daemons: a permanent id, and a sentence with amounts.

    ``certain`` is False where it is not known whether anything is wrong. ``schedd`` is the access
    point whose jobs may be unknown for it.
    """

    id: str
    text: str
    certain: bool = True
    schedd: str = ""

    @property
    def severity(self) -> str:
        """The word for how bad it is: error, or warning where it is not certain."""
        if self.certain:
            return "error"
        return "warning"

    @property
    def sentence(self) -> str:
        """The ailment as messages have it: ``error: negotiator-late: …``."""
        return f"{self.severity}: {self.id}: {self.text}"


class ObservedPool:
    """The pool with its clock and the intervals that its daemons keep."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    @cached_property
    def slots(self) -> tuple[tuple[Slot, float], ...]:
        """The slots whose age is known, with when the collector heard of them.

        Offline ones are not heard of.
        """
        found = []
        for slot in self.pool.slots or ():
            heard = as_number(slot.last_heard)
            if heard is not None and slot.frame.value("Offline") is not True:
                found.append((slot, float(heard)))
        return tuple(found)

    @cached_property
    def newest(self) -> float | None:
        """When the collector heard of anything last."""
        records = (record for of_type in (self.pool.records or {}).values() for record in of_type)
        heard = [each for each in map(heard_of, records) if each is not None]
        heard += [each for _, each in self.slots]
        return max(heard, default=None)

    @cached_property
    def now(self) -> float | None:
        """The time of the capture."""
        taken = seconds_of(self.pool.taken_at)
        known = [each for each in (taken, self.newest) if each is not None]
        return max(known, default=None)

    def read_at(self, *types: str) -> float | None:
        """Return when ads of some types were read at the latest.

        Slots come last: an access point that does not answer may have kept the capture before.
        """
        taken = seconds_of(self.pool.taken_at)
        if taken is None:
            return self.now
        records = (each for name in types for each in (self.pool.records or {}).get(name, ()))
        heard = [each for each in map(heard_of, records) if each is not None]
        return max([taken, *heard])

    def seconds(
        self, name: str, default: float, subsystem: str, others: Iterable[Configuration] = ()
    ) -> float:
        """Return a knob of the daemons of a subsystem in seconds.

        It is the greatest known value, ``default`` where none is set.
        """
        configurations = list(others)
        if self.pool.central is not None:
            configurations.append(self.pool.central.of(subsystem))
        texts = {each.value(name) for each in configurations}
        known = [Knobs({name: text}).number(name, default, 0, math.inf) for text in texts]
        return max(known, default=default)

    def silence(self, whats: Sequence[str]) -> str:
        """Return why there was no answer to one of ``whats``; empty where there was one."""
        for what, why in self.pool.failed:
            if what in whats and NO_ANSWER.match(why):
                return why
        return ""


def heard_of(record: Record) -> float | None:
    """Return when the collector heard of ``record`` last; None where the ad does not say."""
    heard = record.number("LastHeardFrom")
    if heard is None:
        return None
    return float(heard)
