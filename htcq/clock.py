"""Times of a clock that may have been wrong, and may be wrong now: what is believed of them.

Beside the time of a record stands how long the machine was up, and the id of its boot: no step of
the clock changes these (clock_gettime(2), random(4)). ``htcq.store.history_clock`` reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: A clock that is set right by fewer seconds has made no step.
SKEW = 60.0


@dataclass(frozen=True)
class Stamp:
    """When something was recorded: seconds since 1970, the boot, and the seconds since that.

    ``boot`` is empty where it is not known.
    """

    time: float
    boot: str = ""
    up: float = 0.0


@dataclass(frozen=True)
class Clock:
    """A look at this machine's clock; ``right`` is False where it is before htcq was installed."""

    now: float
    boot: str = ""
    up: float = 0.0
    right: bool = True

    def since(self, stamp: Stamp) -> float | None:
        """Return the seconds since ``stamp``, whatever the clock says; None in another boot."""
        if not stamp.boot or stamp.boot != self.boot or stamp.up > self.up:
            return None
        return self.up - stamp.up

    def stamped(self, time: float) -> Stamp:
        """Return the stamp of what is recorded now, and was seen at ``time`` by this clock.

        It has no boot where that was before this one, or after now.
        """
        up = self.up - (self.now - time)
        if not 0 <= up <= self.up + SKEW:
            return Stamp(time)
        return Stamp(time, self.boot, min(up, self.up))


def sane_times(stamps: Sequence[Stamp], clock: Clock) -> list[float]:
    """Return the times of records, the oldest first, as far as they can be believed.

    What was recorded since the machine was started has its time by that. A time after now was
    written by a clock that was ahead, or this one is behind: it becomes that of the next record
    that is not. A time before that of the record before it becomes that one. Less than ``SKEW`` is
    no difference.
    """
    found: list[float] = []
    following, most = clock.now, clock.now + SKEW
    for stamp in reversed(stamps):
        seconds = clock.since(stamp)
        if seconds is not None:
            following = clock.now - seconds
            if abs(stamp.time - following) <= SKEW:
                following = stamp.time
            most = following
        elif stamp.time <= clock.now + SKEW:
            following = min(stamp.time, most)
        found.append(following)
    latest = 0.0
    times = []
    for time in reversed(found):
        latest = max(latest, time)
        times.append(latest)
    return times
