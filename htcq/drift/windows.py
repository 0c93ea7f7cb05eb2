"""Windows: for how long each group starved, was over quota or lent, and its usage over time.

All means are weighted by time. A sample covers the ``span`` seconds before it; the part outside the
window does not count. Times are in seconds since 1970, quotas and usage in the
pool's unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from htcq.drift.observation import QuotaSample

#: The largest number of points of a series by default.
MAX_POINTS = 300


@dataclass(frozen=True)
class Point:
    """A part of a window: means from ``since`` to ``until``, and states as shares from 0 to 1."""

    since: float
    until: float
    usage: float
    max_usage: float
    quota: float | None
    requested: float
    starved: float
    over: float
    lending: float


@dataclass(frozen=True)
class Window:
    """One group from ``since`` to ``until``, of which ``observed`` seconds were observed.

    ``distance`` is the mean distance of usage and quota, ``bias`` the same with its sign: below 0
    the group used less. ``starved``, ``over`` and ``lending`` are shares of the observed time.
    ``quota`` and what depends on it are None where no quota was known.
    """

    group: str
    since: int
    until: int
    observed: float
    usage: float
    max_usage: float
    requested: float
    quota: float | None
    distance: float | None
    bias: float | None
    starved: float
    over: float
    lending: float
    points: tuple[Point, ...]

    @property
    def coverage(self) -> float:
        """The share of the window that was observed."""
        if self.until <= self.since:
            return 0.0
        return min(1.0, self.observed / (self.until - self.since))

    @property
    def trouble(self) -> float:
        """Average slot weight that the group lacked while its jobs waited, or had too much."""
        return (self.starved + self.over) * (self.distance or 0.0)


def windows(
    samples: Iterable[QuotaSample], since: int, until: int, most: int = MAX_POINTS
) -> tuple[Window, ...]:
    """Return the window of every group, the one with most trouble first.

    Each has at most ``most`` points.
    """
    by_group: dict[str, list[QuotaSample]] = {}
    for sample in samples:
        by_group.setdefault(sample.group, []).append(sample)
    found = []
    for group, of_group in by_group.items():
        own = window(group, of_group, since, until, most)
        if own is not None:
            found.append(own)
    return tuple(sorted(found, key=lambda each: (-each.trouble, -each.starved, each.group)))


def window(
    group: str, samples: Sequence[QuotaSample], since: int, until: int, most: int = MAX_POINTS
) -> Window | None:
    """Return the window of one group; None where none of its samples lies in it."""
    parts = tuple(_parts(sorted(samples, key=lambda sample: sample.time), since, until))
    if not parts:
        return None
    whole = _sum(parts)
    # Time and distance from the quota, where it is known.
    distances = [
        (_weight(part), part.usage - part.quota) for part in parts if part.quota is not None
    ]
    return Window(
        group=group,
        since=since,
        until=until,
        observed=sum(_seconds(part) for part in parts),
        usage=whole.usage,
        max_usage=whole.max_usage,
        requested=whole.requested,
        quota=whole.quota,
        distance=_mean((weight, abs(distance)) for weight, distance in distances),
        bias=_mean(distances),
        starved=whole.starved,
        over=whole.over,
        lending=whole.lending,
        points=tuple(_points(parts, since, until, most)),
    )


def quota_of(sample: QuotaSample) -> float | None:
    """Return the quota that usage is compared with: the effective or else the computed one."""
    if sample.effective is None:
        return sample.computed
    return sample.effective


def _parts(samples: Sequence[QuotaSample], since: int, until: int) -> Iterator[Point]:
    """Yield the part of each sample that counts.

    The first sample of all covers no time, and counts only if it is alone.
    """
    found = [
        _part(sample, since, until)
        for sample in samples
        if since <= sample.time and sample.time - sample.span <= until
    ]
    yield from [part for part in found if _seconds(part) > 0] or found


def _part(sample: QuotaSample, since: int, until: int) -> Point:
    start, end = max(since, sample.time - sample.span), min(until, sample.time)
    span = sample.span or 1
    return Point(
        start,
        end,
        sample.usage,
        sample.max_usage,
        quota_of(sample),
        sample.requested,
        sample.starved / span,
        sample.over / span,
        sample.lending / span,
    )


def _seconds(part: Point) -> float:
    return part.until - part.since


def _weight(part: Point) -> float:
    """Return the time that a part covers; observations that cover none count alike."""
    return _seconds(part) or 1.0


def _points(parts: Sequence[Point], since: int, until: int, most: int) -> Iterator[Point]:
    """Yield the parts themselves, or the means of ``most`` equal bins if there are more."""
    if len(parts) <= most:
        for part in parts:
            yield _sum((part,))
        return
    width = (until - since) / most
    bins: dict[int, list[Point]] = {}
    for part in parts:
        first, last = int((part.since - since) / width), int((part.until - since) / width)
        for number in range(first, min(last, most - 1) + 1):
            start = max(part.since, since + number * width)
            end = min(part.until, since + (number + 1) * width)
            if end > start:
                bins.setdefault(number, []).append(replace(part, since=start, until=end))
    for number in sorted(bins):
        yield _sum(bins[number])


def _sum(parts: Sequence[Point]) -> Point:
    weights = [_weight(part) for part in parts]

    def mean(values: Iterable[float]) -> float:
        return _mean(zip(weights, values)) or 0.0

    return Point(
        since=parts[0].since,
        until=parts[-1].until,
        usage=mean(part.usage for part in parts),
        max_usage=max(part.max_usage for part in parts),
        quota=_mean((_weight(part), part.quota) for part in parts if part.quota is not None),
        requested=mean(part.requested for part in parts),
        starved=mean(part.starved for part in parts),
        over=mean(part.over for part in parts),
        lending=mean(part.lending for part in parts),
    )


def _mean(pairs: Iterable[tuple[float, float]]) -> float | None:
    total = weight = 0.0
    for each, value in pairs:
        total += each * value
        weight += each
    if not weight:
        return None
    return total / weight
