"""The slots of a pool, by one query or, in a large pool, by queries of some machines each.

The bindings hold all ads of an answer at once, some 12 KB a slot: half a million slots in one
answer would take 6 GB beside the collector that has them. Each part is written and freed before
more than a few others are there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from htcq.classads import spelled
from htcq.live import ads
from htcq.live.asked_startds import AskedStartds
from htcq.live.bindings import reason
from htcq.live.captured import SlotParts
from htcq.live.deadline import Task, TaskOutcome
from htcq.live.rounds import Rounds
from htcq.pool.files import COLLECTOR_ADS, SLOTS

#: Slots of one part, if no machine has more: some 240 MB in the bindings.
SLOTS_OF_A_PART = 20_000
#: The number of queries at the same time. The collector forks for each, and tests all slots.
_AT_A_TIME = 2
#: A pool of so many parts or fewer is asked at once: its slots are of one moment then.
_AT_ONCE = 2
#: Slots are what takes long, nothing is asked after them, and without them nothing can be said.
_TIME = 1 / 2
#: Meets every slot.
_ALL = "true"
#: A slot without a plain name of its machine belongs to the first part.
_MACHINE = '(isString(Machine) ? Machine : "")'
#: So much of the slots may come or go during a capture.
_TOLERANCE = 0.01


class SlotQueries:
    """Asks the collector of ``pool`` for its slots.

    The collector's own count, HostsTotal, is not used: an ad without State ends its counting
    (src/condor_collector.V6/collector.cpp, sendCollectorAd, 25.14).
    """

    def __init__(self, pool: str | None, rounds: Rounds) -> None:
        self._pool, self._rounds = pool, rounds
        self._constraints: Sequence[str] = (_ALL,)
        self._before = 0
        self._began = time.monotonic()
        #: How the slots were captured, once they are; None: by one query.
        self.parts: SlotParts | None = None

    @property
    def counting(self) -> Task:
        """The query that has to be answered first: how many slots each machine has."""
        return Task("number of slots", ads.query_machines, (self._pool,))

    def counted(self, outcome: TaskOutcome) -> None:
        """Take its answer."""
        self._began = time.monotonic()
        machines = self._numbers(outcome)
        self._before = sum(machines.values())
        if self._before > _AT_ONCE * SLOTS_OF_A_PART:
            self._constraints = disjoint(machines, SLOTS_OF_A_PART)

    def expressions(self) -> ads.Written:
        """Return what the expressions of all slots name, and the assets that slots hand out."""
        tasks = [
            Task("slot expressions", ads.query_slot_expressions, (self._pool, part))
            for part in self._constraints
        ]
        outcomes = self._rounds.ask(tasks, at_a_time=_AT_A_TIME)
        found = [self._rounds.taken(outcome) for outcome in outcomes]
        return ads.Written(
            sum(each.count for each in found),
            named=frozenset[str]().union(*(each.named for each in found)),
            assets=frozenset[str]().union(*(each.assets for each in found)),
        )

    def written(self, projection: Sequence[str]) -> tuple[dict[str, str], ...]:
        """Write the ads of all slots, and return the locations of startds to ask for more."""
        tasks = [
            Task(
                SLOTS,
                ads.query_slots,
                (self._pool, part, projection, self._rounds.part(COLLECTOR_ADS)),
            )
            for part in self._constraints
        ]
        outcomes = self._rounds.ask(tasks, _TIME, _AT_A_TIME)
        asked, count = AskedStartds(), 0
        for outcome in outcomes:
            if outcome.done:
                written = self._rounds.taken(outcome)
                asked.add(written.asked)
                count += written.count
        failed = [reason(each.why, each.complaint) for each in outcomes if not each.done]
        if failed:
            some = f"{len(failed)} of {len(tasks)} parts: " if len(tasks) > 1 else ""
            self._rounds.failed.append((SLOTS, f"{some}{failed[0]}"))
        if len(tasks) > 1:
            before, after = self._before, self._after()
            seconds = round(time.monotonic() - self._began, 1)
            self.parts = SlotParts(len(tasks), seconds, before, after)
            if not failed and count < min(before, after) * (1 - _TOLERANCE):
                self._rounds.failed.append((SLOTS, f"only {count}; {self.parts.sentence}"))
        return asked.locations()

    def _after(self) -> int:
        return sum(self._numbers(self._rounds.ask([self.counting])[0]).values())

    def _numbers(self, outcome: TaskOutcome) -> Mapping[str, int]:
        if outcome.done:
            machines: Mapping[str, int] = outcome.value
            return machines
        self._rounds.failed.append((outcome.what, reason(outcome.why, outcome.complaint)))
        return {}


def disjoint(machines: Mapping[str, int], size: int) -> list[str]:
    """Return constraints. Each slot meets exactly one; at most ``size`` slots meet the same.

    ``machines`` says how many slots each machine has. All slots of a machine meet the same
    constraint, and if a machine has more than ``size`` slots, that one is met by more.
    ClassAds compare texts without their case (strcasecmp, classad/operators.cpp, 25.14).
    """
    bounds, held = list[str](), 0
    for name in sorted(machines, key=_in_their_order):
        if held + machines[name] > size and held and name.isascii():
            bounds.append(spelled(name))
            held = 0
        held += machines[name]
    if not bounds:
        return [_ALL]
    first, last = f"{_MACHINE} < {bounds[0]}", f"{_MACHINE} >= {bounds[-1]}"
    between = [
        f"{_MACHINE} >= {low} && {_MACHINE} < {high}" for low, high in zip(bounds, bounds[1:])
    ]
    return [first, *between, last]


def _in_their_order(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape").lower()
