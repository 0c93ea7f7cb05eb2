"""Usage against a limit as one bar of characters: what was used, what a cycle adds, what is left, what is too much."""

from __future__ import annotations

import math

#: Used before, matched, room up to the limit, beyond the limit.
BLOCKS, MARKS = ("█", "▓", "░", "▲"), ("#", "+", ".", "^")


def use_bar(before: float, after: float, limit: float | None, width: int, blocks: bool) -> str:
    """Return ``width`` characters for ``limit``, or for what is used if that is more; none where there is no limit.

    What is there at all has at least one of them.
    """
    if limit is None or not math.isfinite(limit) or not max(limit, after) > 0:
        return ""
    used, added, room, beyond = BLOCKS if blocks else MARKS
    whole = max(limit, after)
    ends = [_cells(amount / whole, width) for amount in (before, after, limit)]
    if after > before:
        ends[1] = min(max(ends[1], ends[0] + 1), width)
        ends[0] = min(ends[0], ends[1] - 1)
    if after > limit:
        ends[2] = min(ends[2], ends[1] - 1)
    bar = used * ends[0] + added * max(0, ends[1] - ends[0])
    return bar[: ends[2]] + beyond * len(bar[ends[2] :]) + room * (width - max(len(bar), 0))


def bar_legend(whole: str, blocks: bool) -> str:
    """Return what the characters of bars stand for that are ``whole``."""
    used, added, room, beyond = BLOCKS if blocks else MARKS
    return (
        f"Each bar is {whole}: {used} used before, {added} matched, {room} room, {beyond} more "
        "than that."
    )


def _cells(share: float, width: int) -> int:
    return max(min(round(share * width), width), 1 if share > 0 else 0)
