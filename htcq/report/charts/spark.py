"""Usage against the quota as one line of characters, each for an equal part of the time."""

from __future__ import annotations

from collections.abc import Sequence

from htcq.drift.quota_state import SLACK
from htcq.drift.windows import Point

#: From nothing to the whole quota, then more than that. Times that nobody observed are blank.
BLOCKS, MARKS = "▁▂▃▄▅▆▇█▲", "_.:-=+*#^"
_UNSEEN = " "


def spark(points: Sequence[Point], since: float, until: float, width: int, blocks: bool) -> str:
    """Return ``width`` characters for the time from ``since`` to ``until``.

    They are Unicode's ``blocks`` or ASCII. Without a quota, the largest usage is the measure.
    """
    most = max((point.max_usage for point in points), default=0.0)
    characters = MARKS
    if blocks:
        characters = BLOCKS
    part = (until - since) / width
    cells: list[list[tuple[float, Point]]] = [[] for _ in range(width)]
    for point in points:
        first, last = int((point.since - since) / part), int((point.until - since) / part)
        for number in range(max(0, first), min(last, width - 1) + 1):
            begin, end = since + number * part, since + (number + 1) * part
            shared = min(point.until, end) - max(point.since, begin)
            # A single look stands for no time, and is seen all the same.
            if shared > 0 or point.since == point.until:
                cells[number].append((shared or 1.0, point))
    return "".join(_character(cell, most, characters) for cell in cells)


def _character(cell: Sequence[tuple[float, Point]], most: float, characters: str) -> str:
    weight = sum(each for each, _ in cell)
    if not weight:
        return _UNSEEN
    usage = sum(each * point.usage for each, point in cell) / weight
    quota = sum(each * _quota(point, most) for each, point in cell) / weight
    levels = len(characters) - 1
    if usage > quota * (1 + SLACK):
        return characters[-1]
    filled = 0.0
    if quota > 0:
        filled = usage / quota
    return characters[min(levels - 1, int(filled * levels * (1 + SLACK)))]


def _quota(point: Point, most: float) -> float:
    if point.quota is None:
        return most
    return point.quota


def shows_blocks(encoding: str | None) -> bool:
    """Return whether text in ``encoding`` can have Unicode's blocks."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
