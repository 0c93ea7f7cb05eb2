"""The moment before which whatever waits has waited through three completed cycles.

So many cycles are no accident. A negotiator publishes three by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from htcq.classads import Value, as_number
from htcq.pool.completed_cycles import CompletedCycle, completed_cycles
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.pool.slot_state import utc
from htcq.poolquota.ailment import ObservedPool

CYCLES = 3
#: Without statistics of cycles, so many seconds: three cycles at HTCondor's default interval.
_SECONDS = 180.0


def last_cycles(pool: Pool) -> Sequence[CompletedCycle]:
    """Return the last three completed cycles, the newest first; fewer where no more are known."""
    return completed_cycles(pool)[:CYCLES]


def settled_before(pool: Pool) -> float | None:
    """Return a moment since which three cycles have begun, in seconds since 1970.

    The negotiator's ad is some cycles old where these are short: of its last three cycles the
    length is taken, and that they go on. None without any time.
    """
    cycles, now = last_cycles(pool), ObservedPool(pool).now
    if len(cycles) == CYCLES:
        first, last = cycles[-1].begin, cycles[0].begin
        seconds = CYCLES * (last - first) / (CYCLES - 1)
        return first if now is None else max(first, now - seconds)
    return None if now is None else now - _SECONDS


def captured_at(pool: Pool, moment: float) -> float:
    """Return the time of the capture; ``moment``, since which three cycles have begun, without."""
    return ObservedPool(pool).now or moment


def since_first(values: Iterable[Value]) -> str:
    """Return `` since`` and the first of some times; empty where none is known."""
    times = [time for time in map(as_number, values) if time]
    return f" since {utc(min(times))}" if times else ""


def is_over(moment: float, *values: Value) -> bool:
    """Return whether the last of some times is before ``moment``; not where none is known."""
    times = [as_number(value) for value in values]
    return max((time for time in times if time is not None), default=moment) < moment


def in_use(slot: Slot, moment: float | None) -> bool:
    """Return whether a job has run in a slot since before ``moment``, or nobody says since when."""
    if not (slot.claimed and slot.activity == "Busy"):
        return False
    since = as_number(slot.activity_since)
    return moment is None or since is None or since < moment
