"""Planned windows: times at which groups have other amounts, or a part of the pool is not there.

A window is open once, between two moments, or every week. Times are in seconds since 1970, and in
seconds since midnight (UTC) for a window of every week.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from htcq.quota.elastic.declaration import (
    Amounts,
    Caps,
    ElasticGroup,
    ElasticQuotas,
    PoolParts,
)

_DAY = 86400
#: 1970 began on a Thursday; Monday is day 0.
_FIRST_DAY = 3


@dataclass(frozen=True)
class GroupChange:
    """Amounts of a group that replace its own while a window is open, dimension by dimension."""

    min: Amounts = field(default_factory=dict)
    max: Caps = field(default_factory=dict)
    weight: Amounts = field(default_factory=dict)
    parts: PoolParts = field(default_factory=dict)

    def of(self, group: ElasticGroup) -> ElasticGroup:
        """Return the group with these amounts: one in a dimension replaces its part there."""
        amounts: dict[str, Any] = {}
        parts = dict(group.parts)
        for key in ("min", "max", "weight"):
            given, own = getattr(self, key), self.parts.get(key, {})
            kept = {name: each for name, each in getattr(group, key).items() if name not in own}
            amounts[key] = {**kept, **given}
            former = group.parts.get(key, {})
            left = {name: each for name, each in former.items() if name not in given}
            parts[key] = {**left, **own}
        found = {key: each for key, each in parts.items() if each}
        return replace(group, parts=found, **amounts)


@dataclass(frozen=True)
class Window:
    """One window; ``capacity`` is the part of the pool that is there at least.

    ``days`` are the days of the week on which it opens; empty where it is open once.
    """

    name: str
    begin: float
    end: float
    days: tuple[int, ...] = ()
    capacity: float = 1.0
    groups: Mapping[str, GroupChange] = field(default_factory=dict)

    def is_open(self, now: float) -> bool:
        """Return whether the window is open at ``now``."""
        if not self.days:
            return self.begin <= now < self.end
        days, seconds = divmod(now, _DAY)
        today = (int(days) + _FIRST_DAY) % 7
        if self.begin < self.end:
            return today in self.days and self.begin <= seconds < self.end
        # It lasts until the next day.
        if seconds >= self.begin:
            return today in self.days
        return seconds < self.end and (today - 1) % 7 in self.days


def open_windows(windows: Iterable[Window], now: float) -> tuple[Window, ...]:
    """Return the windows that are open at ``now``."""
    return tuple(window for window in windows if window.is_open(now))


def changed_quotas(quotas: ElasticQuotas, windows: Iterable[Window]) -> ElasticQuotas:
    """Return the quotas while ``windows`` are open; the last of several decides."""
    groups = list(quotas.groups)
    for window in windows:
        for number, group in enumerate(groups):
            change = window.groups.get(group.name)
            if change is not None:
                groups[number] = change.of(group)
    return replace(quotas, groups=tuple(groups))


def expected_part(windows: Iterable[Window]) -> float:
    """Return the part of the pool that is there at least while ``windows`` are open."""
    return min((window.capacity for window in windows), default=1.0)
