"""Ailments of the negotiators of a pool, from the facts of one capture.

Follows HTCondor 25.14: matchmaker.cpp (a cycle each NEGOTIATOR_INTERVAL, at least
NEGOTIATOR_CYCLE_DELAY after the one before; accounting ads after each cycle, its own ad each
NEGOTIATOR_UPDATE_INTERVAL), collector_stats.cpp (updates that begin anew).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from htcq.pool import record as records
from htcq.pool.daemons import NEGOTIATOR
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.poolquota.ailment import INTERVALS, MIN_SECONDS, Ailment, ObservedPool, heard_of
from htcq.poolquota.negotiator_flaws import with_unusable
from htcq.quota.group_tree import build_tree
from htcq.units import show_span

ABSENT, SILENT, LATE, CRASH = (
    "negotiator-absent",
    "negotiator-silent",
    "negotiator-late",
    "negotiator-crash",
)
#: Of several negotiators one that the capture is not about.
OTHER_LATE = "other-negotiator-late"
#: Three intervals without a cycle are late, and not before so many seconds: the negotiator itself
#: keeps the time.
_MIN_CYCLE_SECONDS = 30.0
#: Restarts within the collector's window of statistics (STATISTICS_WINDOW_SECONDS, 20 minutes) that
#: no person makes.
_MIN_RESTARTS = 3
#: Where condor_had starts and stops the negotiator, its master has this knob
#: (src/condor_master.V6/masterDaemon.cpp).
_CONTROLLER = "MASTER_NEGOTIATOR_CONTROLLER"
NO_NEGOTIATOR = (
    "the collector has no ad of a negotiator: no negotiator runs, or its ads do not arrive"
)
#: What keeps cycles apart, with HTCondor's defaults in seconds.
_INTERVALS = {"NEGOTIATOR_INTERVAL": 60, "NEGOTIATOR_CYCLE_DELAY": 20}
_WITHIN = re.compile(r"no answer within ([0-9.]+) s")
#: What the capture asked of the negotiator.
_QUESTIONS = ("central configuration", "priorities")
_PERIODS, _DURATIONS, _ENDS, _STARTS = (
    re.compile(rf"lastnegotiationcycle{word}[0-9]+\Z")
    for word in ("period", "duration", "end", "time")
)


def negotiator(seen: ObservedPool) -> Iterator[Ailment]:
    """Yield what is wrong with the negotiators."""
    found: list[Ailment] = []
    records = seen.pool.negotiators
    if not records:
        found.append(Ailment(ABSENT, NO_NEGOTIATOR))
    others = {each.name for each in late_others(seen)}
    for record in records:
        if record.name not in others and _counts(record, seen.pool):
            found += _silent(record, seen)
            found += _late(record, seen)
    found += _restarts(seen)
    if found:
        found += _fatal_knobs(seen.pool)
    yield from found
    for record in late_others(seen):
        # Whether it answers for a part of the pool is not known here.
        yield from (Ailment(OTHER_LATE, each.text, False) for each in _late(record, seen))


def late_others(seen: ObservedPool) -> tuple[Record, ...]:
    """Return the negotiators that complete no cycles, beside the one that the capture is about.

    Where it names none they are those that do not work beside one that does.
    """
    records = seen.pool.negotiators
    if len(records) < 2:
        return ()
    late = [record for record in records if any(_late(record, seen))]
    if _is_named(seen.pool):
        return tuple(record for record in late if not _counts(record, seen.pool))
    return tuple(late) if len(late) < len(records) else ()


def _counts(record: Record, pool: Pool) -> bool:
    """Return whether ``record`` is the negotiator that the capture is about.

    Of several only that one's knobs are known.

    All count where none is named.
    """
    return pool.negotiator == record.name or not _is_named(pool)


def _is_named(pool: Pool) -> bool:
    return pool.negotiator in {each.name for each in pool.negotiators} - {""}


def _silent(record: Record, seen: ObservedPool) -> Iterator[Ailment]:
    pool = seen.pool
    if pool.negotiator != record.name:
        return
    why = seen.silence(_QUESTIONS)
    if not why:
        return
    within = _WITHIN.match(why)
    if within is not None and float(within.group(1)) <= _longest(record):
        # It answers nobody while it is in a cycle; whether that cycle is too long shows in the end
        # of the last one.
        return
    yield Ailment(SILENT, f"the negotiator {record.name} does not answer: {why}")


def _late(record: Record, seen: ObservedPool) -> Iterator[Ailment]:
    """Yield that the last cycle is too long ago.

    The negotiator's own ad comes rarely; its accounting ads come after each cycle. Where there
    are none of these, the time of its own ad counts, unless that is too old itself.
    """
    now, heard = seen.read_at(records.NEGOTIATOR, records.ACCOUNTING), heard_of(record)
    if now is None or heard is None:
        return
    longest = _longest(record)
    update = seen.seconds("NEGOTIATOR_UPDATE_INTERVAL", 300, NEGOTIATOR)
    cycles = _cycles(record, seen.pool)
    accounts = [each for each in seen.pool.accounting if each.text("NegotiatorName") == record.name]
    published = [each for each in map(heard_of, accounts) if each is not None]
    looked = heard
    if published or now - heard > max(INTERVALS * update, MIN_SECONDS) + longest:
        looked = now
    last = max([*cycles, *published], default=None)
    start = _on_the_collectors_clock(record, "DaemonStartTime")
    since = looked - max([each for each in (last, start) if each is not None], default=math.inf)
    interval, delay = (seen.seconds(*each, NEGOTIATOR) for each in _INTERVALS.items())
    periods = _numbers(record, _PERIODS)
    # With a changed interval the negotiator keeps the one that it read.
    spacing = max(interval, longest + delay, min(periods, default=0))
    if since <= max(INTERVALS * spacing, _MIN_CYCLE_SECONDS) + longest:
        return
    what, took = "no cycle", ""
    if last is None:
        what = "no cycle since its start"
    if longest:
        took = f", its longest recent cycle took {longest:.0f} s"
    text = (
        f"the negotiator {record.name} is late: {what} for {since:.0f} s, NEGOTIATOR_INTERVAL is "
        f"{interval:.0f} s{took}"
    )
    yield Ailment(LATE, text)


#: Seconds between two cycles that no site waits on purpose: ads live as long unless they are
#: renewed (CLASSAD_LIFETIME).
LONG_WAIT = 900
#: What is to do about it.
CYCLES_FAR_APART = "cycles-far-apart"


def wait_text(knob: str, seconds: float) -> str:
    """Return how long jobs wait for a cycle where a knob of its interval is so many seconds."""
    return f"{knob} = {seconds:g}: a job can wait {show_span(seconds)} for the next cycle"


def long_wait(pool: Pool) -> tuple[str, float] | None:
    """Return the knob that keeps cycles far apart, and its seconds; None where none does."""
    seen, found = ObservedPool(pool), []
    for knob, default in _INTERVALS.items():
        seconds = seen.seconds(knob, default, NEGOTIATOR)
        if seconds > LONG_WAIT:
            found.append((seconds, knob))
    return (max(found)[1], max(found)[0]) if found else None


def cycle_interval(seen: ObservedPool) -> float:
    """Return the seconds from the beginning of one cycle to that of the next, if it is short."""
    return max(1.0, *(seen.seconds(*each, NEGOTIATOR) for each in _INTERVALS.items()))


def _cycles(record: Record, pool: Pool) -> list[float]:
    """Return the begins and ends of the cycles in ``record``, by the collector's clock."""
    skew = _skew(record)
    return [each + skew for pattern in (_ENDS, _STARTS) for each in _numbers(record, pattern)]


def _on_the_collectors_clock(record: Record, name: str) -> float | None:
    own = record.number(name)
    if own is None:
        return None
    return float(own) + _skew(record)


def _skew(record: Record) -> float:
    """Return what must be added to the daemon's own times to have the collector's."""
    own, heard = record.number("MyCurrentTime"), heard_of(record)
    if own is None or heard is None:
        return 0.0
    return heard - float(own)


def _longest(record: Record) -> float:
    """Return how long the longest of the last cycles took."""
    return max(_numbers(record, _DURATIONS), default=0.0)


def _numbers(record: Record, pattern: re.Pattern[str]) -> list[float]:
    found = [record.number(name) for name in record.values if pattern.match(name)]
    return [float(each) for each in found if each is not None and each > 0]


def _restarts(seen: ObservedPool) -> Iterator[Ailment]:
    """Yield negotiators that restart too often, by the collector's count."""
    counts = [record.number("RecentUpdatesInitial_Negotiator") for record in seen.pool.collectors]
    restarts = max([each for each in counts if each is not None], default=0) - max(
        1, len(seen.pool.negotiators)
    )
    if restarts < _MIN_RESTARTS:
        return
    what = "the negotiator restarts again and again"
    logs = "NegotiatorLog and MasterLog"
    if seen.pool.central is not None and seen.pool.central.value(_CONTROLLER):
        # The collector counts the first ad on another machine like one after a crash.
        what = "negotiators start again and again, after crashes or as condor_had moves them"
        logs = "NegotiatorLog, MasterLog and HADLog of each central manager"
    counted = f"{restarts:g} times in the last 20 minutes, as the collector counted its first ads"
    yield Ailment(CRASH, f"{what}: {counted}; see {logs}")


def _fatal_knobs(pool: Pool) -> Iterator[Ailment]:
    """Yield the knobs at which the negotiator exits when it starts.

    Its master starts it for nothing.
    """
    if pool.central is None:
        return
    _, problems = build_tree(pool.central.texts())
    for problem in with_unusable(pool.central, problems):
        if problem.fatal:
            yield Ailment(CRASH, f"the negotiator crashes whenever it starts: {problem.message}")
