"""Usage against the quota as one line of characters: how full the quota was, in even parts of a stretch of time."""

from __future__ import annotations

from collections.abc import Sequence

from htcq.drift.quota_state import SLACK
from htcq.drift.windows import Point

#: From nothing to the whole quota, then more than that. What nobody saw is blank.
BLOCKS, MARKS = "▁▂▃▄▅▆▇█▲", "_.:-=+*#^"
_UNSEEN = " "


def spark(points: Sequence[Point], since: float, until: float, width: int, blocks: bool) -> str:
    """Return ``width`` characters for the time from ``since`` to ``until``, in Unicode's blocks or in ASCII.

    Without a quota the most that was used is the measure.
    """
    most = max((point.max_usage for point in points), default=0.0)
    characters, part = BLOCKS if blocks else MARKS, (until - since) / width
    cells: list[list[tuple[float, Point]]] = [[] for _ in range(width)]
    for point in points:
        first, last = int((point.since - since) / part), int((point.until - since) / part)
        for number in range(max(0, first), min(last, width - 1) + 1):
            shared = min(point.until, since + (number + 1) * part) - max(
                point.since, since + number * part
            )
            # A single look stands for no time, and is seen all the same.
            if shared > 0 or point.since == point.until:
                cells[number].append((shared or 1.0, point))
    return "".join(_character(cell, most, characters) for cell in cells)


def _character(cell: Sequence[tuple[float, Point]], most: float, characters: str) -> str:
    weight = sum(each for each, _ in cell)
    if not weight:
        return _UNSEEN
    usage = sum(each * point.usage for each, point in cell) / weight
    quota = (
        sum(each * (most if point.quota is None else point.quota) for each, point in cell) / weight
    )
    levels = len(characters) - 1
    if usage > quota * (1 + SLACK):
        return characters[-1]
    filled = usage / quota if quota > 0 else 0.0
    return characters[min(levels - 1, int(filled * levels * (1 + SLACK)))]


def shows_blocks(encoding: str | None) -> bool:
    """Tell whether text in ``encoding`` can have Unicode's blocks."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
