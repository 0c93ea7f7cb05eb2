"""What the Recent counters of a schedd say, and over which time (schedd_stats.cpp, 25.14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.expected.unmet import Observed
from htcq.pool.record import Record
from htcq.units import show_span

_WINDOW = "RecentStatsLifetime"


def lately(schedd: Record) -> str:
    """Return over which time a schedd counts: ``in the last 20 min``; where none is known so."""
    window = schedd.number(_WINDOW)
    return f"in the last {show_span(window)}" if window else "lately"


def counters(schedd: Record, names: Iterable[str]) -> Iterator[Observed]:
    """Yield what a schedd has counted under these names."""
    for name in names:
        count = schedd.number(name)
        if count is not None:
            yield Observed(name, f"{count:.0f}")
