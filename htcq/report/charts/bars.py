"""Usage against a limit as a bar of characters: used, added by a cycle, free, too much."""

from __future__ import annotations

import math

#: Used before, matched, room up to the limit, beyond the limit.
BLOCKS, MARKS = ("█", "▓", "░", "▲"), ("#", "+", ".", "^")


def use_bar(before: float, after: float, limit: float | None, width: int, blocks: bool) -> str:
    """Return ``width`` characters for ``limit``, or for the usage if that is more.

    Without a limit there is no bar. Every amount above 0 has at least one character.
    """
    if limit is None or not math.isfinite(limit) or not max(limit, after) > 0:
        return ""
    used, added, room, beyond = _characters(blocks)
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
    """Return the legend of bars whose length is ``whole``."""
    used, added, room, beyond = _characters(blocks)
    known = f"{used} used before, {added} matched, {room} room, {beyond} more than that"
    return f"Each bar is {whole}: {known}."


def _characters(blocks: bool) -> tuple[str, str, str, str]:
    if blocks:
        return BLOCKS
    return MARKS


def _cells(share: float, width: int) -> int:
    number = min(round(share * width), width)
    if share > 0:
        return max(number, 1)
    return max(number, 0)
