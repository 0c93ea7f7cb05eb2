"""condor_defrag: which machines it drains at each of its polls, and which drains it ends.

Follows src/defrag/defrag.cpp (config, poll, poll_cancel), HTCondor 23.9 and 25.14: it shuffles the
slots before it sorts them by DEFRAG_RANK, so that of equal ones any may be drained. Its polls are
DEFRAG_INTERVAL apart from the last that an ad tells of. Times are in seconds since the capture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from htcq.classads import Expr, Value, as_number, holds, parsed
from htcq.pool.configuration import Configuration
from htcq.pool.defrag import defrag_value, runs_defrag
from htcq.pool.pool import Pool
from htcq.pool.slot import PARTITIONABLE, Slot, number_or
from htcq.quota.knobs import number_of
from htcq.simulate.course.claims import Claim
from htcq.simulate.course.draining import GRACEFUL
from htcq.simulate.course.runtimes import Dice
from htcq.units import counted

_HOUR, _DAY = 3600, 86400
#: How long a startd gives jobs to leave where nobody says (MachineMaxVacateTime, param_info.in).
_VACATE = 600.0
#: Its name where nobody gives it another one.
_NAME = "DEFRAG"
_BASE = "PartitionableSlot && Offline =!= true"
_COMPLETION = "ExpectedMachine{}DrainingCompletion"
_BADPUT = "ExpectedMachine{}DrainingBadput"


@dataclass(frozen=True)
class Rate:
    """How many machines are drained at each poll, at the first of an hour, and of a day."""

    per_poll: int
    per_hour: int
    per_day: int

    def at(self, before: float | None, now: float, interval: float) -> int:
        """Return how many are drained at ``now``; times are in seconds since 1970."""
        number = self.per_poll
        if before is not None:
            for each, period in ((self.per_hour, _HOUR), (self.per_day, _DAY)):
                if now // period != before // period:
                    number += _prorated(each, now % period, period, interval)
        return number


def rate_of(per_hour: float, interval: float) -> Rate:
    """Return the rate of DEFRAG_DRAINING_MACHINES_PER_HOUR at polls so far apart."""
    rate = per_hour / _HOUR * interval
    per_poll = math.floor(rate + 0.00001)
    error = (rate - per_poll) / interval * _HOUR
    of_hours = math.floor(error + 0.00001)
    return Rate(per_poll, of_hours, math.floor((error - of_hours) * 24 + 0.5))


def _prorated(number: int, elapsed: float, period: int, interval: float) -> int:
    answer = math.floor(number * ((period - elapsed) / period + interval / period) + 0.5)
    return min(number, max(0, answer))


@dataclass(frozen=True)
class Choice:
    """What a poll comes to: startds to drain, and drains to end."""

    drained: tuple[str, ...]
    cancelled: tuple[str, ...]


class Defrag:
    """The condor_defrag of ``pool``, which was captured at ``moment`` (seconds since 1970)."""

    def __init__(self, pool: Pool, central: Configuration, moment: float, dice: Dice) -> None:
        self._central, self._moment, self._dice = central, moment, dice
        self.interval = self._number("DEFRAG_INTERVAL", 600)
        self._per_hour = self._number("DEFRAG_DRAINING_MACHINES_PER_HOUR", 0)
        self._most_draining = self._number("DEFRAG_MAX_CONCURRENT_DRAINING", -1)
        self._most_whole = self._number("DEFRAG_MAX_WHOLE_MACHINES", -1)
        #: How jobs leave: graceful, quick or fast; and why, as ads say it.
        self.schedule = defrag_value(central, "DEFRAG_DRAINING_SCHEDULE").lower() or GRACEFUL
        self.reason = f"Defrag {_name(pool, central)}"
        by_me = f'(DrainReason is undefined || DrainReason == "{self.reason}")'
        whole = defrag_value(central, "DEFRAG_WHOLE_MACHINE_EXPR")
        self._whole = parsed(f"{whole} && {_BASE} && {by_me}")
        wanted = defrag_value(central, "DEFRAG_REQUIREMENTS")
        self._wanted = parsed(_and(f"{_BASE} && Draining =!= true", wanted))
        cancelled = defrag_value(central, "DEFRAG_CANCEL_REQUIREMENTS")
        self._draining = parsed(f"{_BASE} && Draining && {by_me}")
        self._cancelled = parsed(_and(f"{_BASE} && Draining && {by_me}", cancelled))
        self._cancels = bool(cancelled.strip())
        self._rank = parsed(defrag_value(central, "DEFRAG_RANK"))
        self._before = _last_poll(pool, moment)
        #: Choices among equals, in words.
        self.open: list[str] = []

    def _number(self, name: str, otherwise: float) -> float:
        found = number_of(defrag_value(self._central, name).strip())
        return otherwise if found is None else found

    @property
    def first(self) -> float:
        """When it polls next; inf where it never does."""
        if self.interval <= 0 or self._whole is None:
            return math.inf
        if self._before is None:
            return 1.0
        since = self._moment - self._before
        return max(1.0, math.ceil((since + 1e-9) / self.interval) * self.interval - since)

    def poll(self, slots: Iterable[Slot], claims: Sequence[Claim], now: float) -> Choice:
        """Return what it does now with the ``slots`` as the collector shows them."""
        at, before = self._moment + now, self._before
        self._before = at
        costs = _Costs(claims, self._moment, now)
        ads = [(slot, costs.added(slot)) for slot in slots if slot.type == PARTITIONABLE]
        draining, whole = (_startds(ads, each) for each in (self._draining, self._whole))
        cancelled = _startds(ads, self._cancelled) if self._cancels else set[str]()
        number = rate_of(self._per_hour, self.interval).at(before, at, self.interval)
        full = 0 <= self._most_draining <= len(draining) or 0 <= self._most_whole <= len(whole)
        if number <= 0 or self._per_hour <= 0 or full:
            return Choice((), tuple(sorted(cancelled)))
        ranked: dict[str, float] = {}
        for slot, added in self._shuffled(ads):
            if _is_true(self._wanted, slot, added) and slot.startd not in cancelled | whole:
                rank = 0.0 if self._rank is None else _ranked(self._rank, slot, added)
                ranked[slot.startd] = max(rank, ranked.get(slot.startd, -math.inf))
        chosen = sorted(ranked, key=lambda name: -ranked[name])
        self._note_equals([ranked[name] for name in chosen], number)
        return Choice(tuple(chosen[:number]), tuple(sorted(cancelled)))

    def _shuffled(
        self, ads: Sequence[tuple[Slot, dict[str, Value]]]
    ) -> Iterator[tuple[Slot, dict[str, Value]]]:
        left = list(ads)
        while left:
            yield left.pop(self._dice.randrange(len(left)) if len(left) > 1 else 0)

    def _note_equals(self, ranks: Sequence[float], number: int) -> None:
        if len(ranks) > number and ranks[number - 1] == ranks[number]:
            equals = ranks.count(ranks[number])
            self.open.append(
                f"condor_defrag has {counted(equals, 'machine')} of one DEFRAG_RANK and drains "
                f"{number - sum(rank > ranks[number] for rank in ranks)} of them: which is drawn"
            )


class _Costs:
    """What draining costs each startd, as its ads tell it (ResMgr.cpp: compute_draining_attrs).

    What no job has costs nothing. As ads are sent when claims come and go, they may be older.
    """

    def __init__(self, claims: Sequence[Claim], moment: float, now: float) -> None:
        self._claims: dict[str, list[Claim]] = {}
        for claim in claims:
            self._claims.setdefault(claim.slot.startd, []).append(claim)
        self._moment, self._now = moment, now

    def added(self, slot: Slot) -> dict[str, Value]:
        """Return the attributes of ``slot``."""
        quick = graceful = until = 0.0
        for claim in self._claims.get(slot.startd, ()):
            cpus = float(number_or(claim.slot.cpus, 0))
            ran = self._now - claim.runs_since if claim.runs else 0.0
            left = max(0.0, claim.retires_at - self._now)
            stays = max(left, _VACATE)
            graceful += cpus * (ran + stays)
            quick += cpus * (ran + _VACATE)
            until = max(until, stays)
        at = int(self._moment + self._now)
        return {
            _COMPLETION.format("Graceful"): at + int(until),
            _COMPLETION.format("Quick"): at + int(_VACATE if until else 0),
            _BADPUT.format("Graceful"): int(graceful),
            _BADPUT.format("Quick"): int(quick),
        }


def defrag_of(pool: Pool, moment: float | None, dice: Dice) -> Defrag | None:
    """Return the condor_defrag of the central manager of ``pool``; None where it runs none."""
    if pool.central is None or moment is None or not runs_defrag(pool.central):
        return None
    return Defrag(pool, pool.central, moment, dice)


def _and(one: str, other: str) -> str:
    return f"{one} && ({other})" if other.strip() else one


def _name(pool: Pool, central: Configuration) -> str:
    """Return the name of the daemon, by which it knows its own drains."""
    host = next((each.text("Machine") for each in pool.negotiators if each.text("Machine")), "")
    own = next((each.name for each in pool.defrags if each.name), "")
    own = own or defrag_value(central, "DEFRAG_NAME").strip() or _NAME
    return own if "@" in own else f"{own}@{host}"


def _last_poll(pool: Pool, moment: float) -> float | None:
    """Return when it last polled, as far as an ad tells, in seconds since 1970.

    That it did when it began, and when it drained a machine.
    """
    times = [as_number(slot.drained_at) for slot in pool.slots or ()]
    times += [each.number("DaemonStartTime") for each in pool.defrags]
    return max((float(each) for each in times if each is not None and each <= moment), default=None)


def _startds(ads: Iterable[tuple[Slot, dict[str, Value]]], condition: Expr | None) -> set[str]:
    return {slot.startd for slot, added in ads if _is_true(condition, slot, added)}


def _is_true(condition: Expr | None, slot: Slot, added: dict[str, Value]) -> bool:
    return condition is not None and holds(condition.evaluate(slot.ad(None, added)))


def _ranked(rank: Expr, slot: Slot, added: dict[str, Value]) -> float:
    return float(as_number(rank.evaluate(slot.ad(None, added))) or 0)
