"""Ailments of a pool: what makes every answer about it doubtful, from the facts of one capture.

Follows HTCondor 25.14: matchmaker.cpp (a cycle each NEGOTIATOR_INTERVAL, at least
NEGOTIATOR_CYCLE_DELAY after the one before; accounting ads after each cycle, its own ad each
NEGOTIATOR_UPDATE_INTERVAL), collector_stats.cpp (updates that begin anew), collector_engine.cpp
(an ad without ClassAdLifetime lives CLASSAD_LIFETIME to twice as long). "Now" is the time of the
capture, or of the latest ad where the collector's clock is ahead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.classads import as_number
from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import Slot
from htcq.poolquota.published import seconds_of
from htcq.quota.group_tree import build_tree
from htcq.quota.knobs import Knobs

ABSENT, SILENT, LATE, CRASH = (
    "negotiator-absent",
    "negotiator-silent",
    "negotiator-late",
    "negotiator-crash",
)
SCHEDD_SILENT, STALE, ACCOUNTANT_LOG, UNREAD = (
    "schedd-silent",
    "stale-ads",
    "accountant-log",
    "collector-unread",
)

#: A daemon is late after so many of its intervals, and not before so many seconds: a busy machine
#: may be slow.
_INTERVALS, _MIN_SECONDS = 3, 60.0
#: The same for cycles, of which the negotiator itself keeps the time.
_MIN_CYCLE_SECONDS = 30.0
#: Ads of a pool that is alive are never older all together, whatever the intervals: two hours.
_MAX_AGE = 7200.0
#: Of all slots: fewer that are gone are what happens in a large pool every day.
_MAX_GONE = 0.1
#: Restarts within the collector's window of statistics (STATISTICS_WINDOW_SECONDS, 20 minutes) that
#: no person makes.
_MIN_RESTARTS = 3
#: The accountant compacts its log at MAX_ACCOUNTANT_DATABASE_SIZE, or at twice what is left then.
_MAX_LOG_RATIO, _MIN_LOG_BYTES = 10, 100_000_000
#: What the capture says of a daemon that is there no more or hangs; one that refuses to be read is
#: alive.
_NO_ANSWER = re.compile(r"no answer|cannot connect|it is there, but|its process ended")
_WITHIN = re.compile(r"no answer within ([0-9.]+) s")
#: What the capture asked of the negotiator, and of each schedd.
_OF_NEGOTIATOR = ("central configuration", "priorities")
_OF_SCHEDD = re.compile(r"(?:jobs|answer|configuration) of (.+)", re.DOTALL)
_PERIODS, _DURATIONS, _ENDS, _STARTS = (
    re.compile(rf"lastnegotiationcycle{word}[0-9]+\Z")
    for word in ("period", "duration", "end", "time")
)


@dataclass(frozen=True)
class Ailment:
    """One thing that is wrong with the pool's daemons: a permanent id, and a sentence with amounts.

    ``certain`` is False where it is not known whether anything is wrong.
    """

    id: str
    text: str
    certain: bool = True

    @property
    def severity(self) -> str:
        """The word for how bad it is: error, or warning where it is not certain."""
        return "error" if self.certain else "warning"

    @property
    def sentence(self) -> str:
        """The ailment as messages have it: ``error: negotiator-late: …``."""
        return f"{self.severity}: {self.id}: {self.text}"


def ailments(pool: Pool) -> tuple[Ailment, ...]:
    """Return what is wrong with the daemons of ``pool``, the negotiator first.

    It is empty where the pool is healthy.
    """
    if pool.records is None:
        why = "the ads of the collector are not known: whether the negotiator works cannot be told"
        return (Ailment(UNREAD, why, certain=False),)
    seen = _Seen(pool)
    found = [*_negotiator(seen), *_schedds(seen), *_ads(seen), *_accountant_log(pool)]
    return tuple(dict.fromkeys(found))


def negotiator_ailments(pool: Pool) -> tuple[Ailment, ...]:
    """Return what is wrong with the negotiators of ``pool``.

    It is empty where they work, or nothing is known of them.
    """
    return () if pool.records is None else tuple(dict.fromkeys(_negotiator(_Seen(pool))))


def health_json(found: Sequence[Ailment]) -> list[dict[str, str]]:
    """Return ``found`` as every JSON output has it."""
    return [{"id": each.id, "text": each.text} for each in found]


class _Seen:
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

    def seconds(self, name: str, default: float, *others: Configuration) -> float:
        """Return a knob in seconds.

        It is the greatest known value, ``default`` where none is set.
        """
        configurations = [each for each in (self.pool.central, *others) if each is not None]
        texts = {each.value(name) for each in configurations}
        known = [Knobs({name: text}).number(name, default, 0, math.inf) for text in texts]
        return max(known, default=default)

    def silence(self, whats: Sequence[str]) -> str:
        """Return why there was no answer to one of ``whats``; empty where there was one."""
        for what, why in self.pool.failed:
            if what in whats and _NO_ANSWER.match(why):
                return why
        return ""


def heard_of(record: Record) -> float | None:
    """Return when the collector heard of ``record`` last; None where the ad does not say."""
    heard = record.number("LastHeardFrom")
    return None if heard is None else float(heard)


# The negotiator
# --------------------------------------------------------------------------------------------------


def _negotiator(seen: _Seen) -> Iterator[Ailment]:
    found: list[Ailment] = []
    records = seen.pool.negotiators
    if not records:
        text = "there is no negotiator: the collector has no Negotiator ad, and nobody matches jobs"
        found.append(Ailment(ABSENT, text))
    counted = [record for record in records if _counts(record, seen.pool)]
    for record in counted:
        found += _silent(record, seen)
        found += _late(record, seen)
    found += _restarts(seen)
    if found:
        found += _fatal_knobs(seen.pool)
    yield from found


def _counts(record: Record, pool: Pool) -> bool:
    """Tell whether ``record`` is the negotiator that the capture is about.

    Of several only that one's knobs are known.

    All count where none is named.
    """
    return pool.negotiator in ("", record.name) or pool.negotiator not in {
        each.name for each in pool.negotiators
    }


def _silent(record: Record, seen: _Seen) -> Iterator[Ailment]:
    pool = seen.pool
    why = seen.silence(_OF_NEGOTIATOR) if pool.negotiator == record.name else ""
    if not why:
        return
    within = _WITHIN.match(why)
    if within is not None and float(within.group(1)) <= _longest(record):
        # It answers nobody while it is in a cycle; whether that ever ends is told by when the last
        # one ended.
        return
    yield Ailment(SILENT, f"the negotiator {record.name} does not answer: {why}")


def _late(record: Record, seen: _Seen) -> Iterator[Ailment]:
    """Yield that the last cycle is too long ago.

    The negotiator's own ad comes rarely; its accounting ads come after each cycle. Where there
    are none of these, the time of its own ad counts, unless that is too old itself.
    """
    now, heard = seen.now, heard_of(record)
    if now is None or heard is None:
        return
    longest = _longest(record)
    update = seen.seconds("NEGOTIATOR_UPDATE_INTERVAL", 300)
    cycles = _cycles(record, seen.pool)
    accounts = [
        heard_of(each)
        for each in seen.pool.accounting
        if each.text("NegotiatorName") == record.name
    ]
    published = [each for each in accounts if each is not None]
    old = now - heard > max(_INTERVALS * update, _MIN_SECONDS) + longest
    looked = now if published or old else heard
    last = max([*cycles, *published], default=None)
    start = _on_the_collectors_clock(record, "DaemonStartTime")
    since = looked - max([each for each in (last, start) if each is not None], default=math.inf)
    interval = seen.seconds("NEGOTIATOR_INTERVAL", 60)
    delay = seen.seconds("NEGOTIATOR_CYCLE_DELAY", 20)
    periods = _numbers(record, _PERIODS)
    # With a changed interval the negotiator keeps the one that it read.
    spacing = max(interval, longest + delay, min(periods, default=0))
    if since <= max(_INTERVALS * spacing, _MIN_CYCLE_SECONDS) + longest:
        return
    what = "no cycle" if last is not None else "no cycle since its start"
    took = f", its longest recent cycle took {longest:.0f} s" if longest else ""
    text = (
        f"the negotiator {record.name} is late: {what} for {since:.0f} s, NEGOTIATOR_INTERVAL is "
        f"{interval:.0f} s{took}"
    )
    yield Ailment(LATE, text)


def _cycles(record: Record, pool: Pool) -> list[float]:
    """Return when the cycles that ``record`` tells of began and ended, by the collector's clock."""
    skew = _skew(record)
    return [each + skew for pattern in (_ENDS, _STARTS) for each in _numbers(record, pattern)]


def _on_the_collectors_clock(record: Record, name: str) -> float | None:
    own = record.number(name)
    return None if own is None else float(own) + _skew(record)


def _skew(record: Record) -> float:
    """Return what must be added to the daemon's own times to have the collector's."""
    own, heard = record.number("MyCurrentTime"), heard_of(record)
    return 0.0 if own is None or heard is None else heard - float(own)


def _longest(record: Record) -> float:
    """Return how long the longest of the last cycles took."""
    return max(_numbers(record, _DURATIONS), default=0.0)


def _numbers(record: Record, pattern: re.Pattern[str]) -> list[float]:
    found = [record.number(name) for name in record.values if pattern.match(name)]
    return [float(each) for each in found if each is not None and each > 0]


def _restarts(seen: _Seen) -> Iterator[Ailment]:
    """Yield negotiators that restart too often, by the collector's count."""
    counts = [record.number("RecentUpdatesInitial_Negotiator") for record in seen.pool.collectors]
    restarts = max([each for each in counts if each is not None], default=0) - max(
        1, len(seen.pool.negotiators)
    )
    if restarts >= _MIN_RESTARTS:
        text = f"the negotiator restarts again and again: {restarts:g} times in the last 20 minutes"
        yield Ailment(
            CRASH,
            f"{text}, as the collector counted its first ads; see NegotiatorLog and MasterLog",
        )


def _fatal_knobs(pool: Pool) -> Iterator[Ailment]:
    """Yield the knobs of groups at which the negotiator exits when it starts.

    Its master starts it for nothing.
    """
    if pool.central is None:
        return
    knobs = {knob.name: knob.value for knob in pool.central}
    _, problems = build_tree(knobs)
    for problem in problems:
        if problem.fatal:
            yield Ailment(CRASH, f"the negotiator crashes whenever it starts: {problem.message}")


# The other daemons
# --------------------------------------------------------------------------------------------------


def _schedds(seen: _Seen) -> Iterator[Ailment]:
    """Yield the schedds that do not answer.

    Those that flock from another pool are that pool's matter.
    """
    silent: dict[str, str] = {}
    for what, why in seen.pool.failed:
        named = _OF_SCHEDD.match(what)
        if named is not None and _NO_ANSWER.match(why):
            silent.setdefault(named.group(1), why)
    foreign = foreign_schedds(seen.pool)
    interval = seen.seconds("SCHEDD_INTERVAL", 300, *seen.pool.access.values())
    for record in seen.pool.schedds:
        if record.name in foreign:
            continue
        heard = heard_of(record)
        age = 0.0 if seen.now is None or heard is None else seen.now - heard
        if record.name in silent:
            text = (
                f"the schedd {record.name} does not answer: {silent[record.name]}; its jobs are "
                "not known"
            )
            yield Ailment(SCHEDD_SILENT, text)
        elif age > max(_INTERVALS * interval, _MIN_SECONDS):
            text = (
                f"the schedd {record.name} is silent: its ad is {age:.0f} s old, SCHEDD_INTERVAL "
                f"is {interval:.0f} s"
            )
            yield Ailment(SCHEDD_SILENT, text)


def foreign_schedds(pool: Pool) -> frozenset[str]:
    """Return the schedds that say that they belong to another pool's collector.

    None where no schedd says that it belongs to this one: then the schedds call it by a name
    that is not known here.
    """
    known = {
        _host(each.text(name)) for each in pool.collectors for name in ("Machine", "MyAddress")
    }
    known.add(_host(pool.source))
    if pool.central is not None:
        for knob in ("COLLECTOR_HOST", "CONDOR_HOST"):
            known |= {_host(each) for each in pool.central.value(knob).split(",")}
    known.discard("")
    hosts = {
        record.name: {_host(each) for each in record.text("CollectorHost").split(",")}
        for record in pool.schedds
    }
    if not any(each & known for each in hosts.values()):
        return frozenset()
    return frozenset(name for name, each in hosts.items() if each != {""} and not each & known)


def _host(address: str) -> str:
    """Return the host in ``cm.example.net:9618``, ``<127.0.0.1:9618?addrs=...>`` or ``cm``."""
    plain = address.strip().strip("<>").partition("?")[0]
    return plain.rpartition(":")[0].lower() if ":" in plain else plain.lower()


def _ads(seen: _Seen) -> Iterator[Ailment]:
    now, newest = seen.now, seen.newest
    if now is None or newest is None:
        return
    if now - newest > _MAX_AGE:
        text = (
            f"all ads of the collector are old: the newest came {now - newest:.0f} s before the "
            "capture"
        )
        yield Ailment(STALE, f"{text}, or the clocks of the collector and of the capture differ")
        return
    interval = seen.seconds("UPDATE_INTERVAL", 300, *seen.pool.execute.values())
    limit = max(_INTERVALS * interval, _MIN_SECONDS)
    gone = [
        (now - heard, slot) for slot, heard in seen.slots if now - heard > _lifetime(slot, limit)
    ]
    if len(gone) <= _MAX_GONE * len(seen.slots):
        return
    age, oldest = max(gone, key=lambda each: each[0])
    yield Ailment(
        STALE,
        f"{len(gone)} of {len(seen.slots)} slots are only ads: their machines sent nothing for "
        f"more than {limit:.0f} s "
        f"(UPDATE_INTERVAL is {interval:.0f} s); the oldest, {oldest.name}, for {age:.0f} s",
    )


def _lifetime(slot: Slot, limit: float) -> float:
    """Return how old the ad of ``slot`` may be.

    A machine that is heard of rarely says so in ClassAdLifetime.
    """
    own = as_number(slot.frame.value("ClassAdLifetime"))
    return limit if own is None else max(limit, float(own))


def _accountant_log(pool: Pool) -> Iterator[Ailment]:
    log = pool.accountant_log
    if log is None or log.bytes <= max(_MIN_LOG_BYTES, _MAX_LOG_RATIO * log.limit):
        return
    text = (
        f"the accountant's log has {log.bytes} bytes, MAX_ACCOUNTANT_DATABASE_SIZE is {log.limit}"
    )
    yield Ailment(
        ACCOUNTANT_LOG,
        f"{text}: it grows without bound (a bug of HTCondor 25.11.0, fixed in 25.11.1)",
    )
