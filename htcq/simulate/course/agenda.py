"""What is to happen at which time, in order; of one time what was noted first.

Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

Act = Callable[[], None]


class Agenda:
    """Acts by their times."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Act]] = []
        self._numbers = count()

    def note(self, at: float, act: Act) -> None:
        """Let ``act`` be called at that time."""
        heapq.heappush(self._due, (at, next(self._numbers), act))

    def next(self, until: float) -> tuple[float, Act] | None:
        """Return the next act that is due not later than ``until``, and when; None: none is."""
        if not self._due or self._due[0][0] > until:
            return None
        at, _, act = heapq.heappop(self._due)
        return at, act
