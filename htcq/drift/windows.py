"""Windows: for how long each group starved, was over quota or lent, and its usage over time.

All means are weighted by time. A sample stands for the ``span`` seconds before it; what of that
lies outside the window does not count. Times are in seconds since 1970, quotas and usage in the
pool's unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from htcq.drift.observation import Sample

#: Most points of a series, unless told otherwise.
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
    """One group from ``since`` to ``until``, of which ``observed`` seconds were seen.

    ``distance`` is the mean of how far usage was from the quota, ``bias`` the same with its
    sign: below 0 it used less. ``starved``, ``over`` and ``lending`` are shares of the time that
    was observed. ``quota`` and what depends on it are None where nobody knew one.
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
        return (
            min(1.0, self.observed / (self.until - self.since)) if self.until > self.since else 0.0
        )

    @property
    def trouble(self) -> float:
        """Average slot weight that the group lacked while its jobs waited, or had too much."""
        return (self.starved + self.over) * (self.distance or 0.0)


def windows(
    samples: Iterable[Sample], since: int, until: int, most: int = MAX_POINTS
) -> tuple[Window, ...]:
    """Return the window of every group, the one with most trouble first.

    Each has at most ``most`` points.
    """
    by_group: dict[str, list[Sample]] = {}
    for sample in samples:
        by_group.setdefault(sample.group, []).append(sample)
    found = [window(group, kept, since, until, most) for group, kept in by_group.items()]
    return tuple(
        sorted(
            (each for each in found if each is not None),
            key=lambda each: (-each.trouble, -each.starved, each.group),
        )
    )


def window(
    group: str, samples: Sequence[Sample], since: int, until: int, most: int = MAX_POINTS
) -> Window | None:
    """Return the window of one group; None where none of its samples lies in it."""
    parts = tuple(_parts(sorted(samples, key=lambda sample: sample.time), since, until))
    if not parts:
        return None
    whole = _sum(parts)
    return Window(
        group=group,
        since=since,
        until=until,
        observed=sum(_seconds(part) for part in parts),
        usage=whole.usage,
        max_usage=whole.max_usage,
        requested=whole.requested,
        quota=whole.quota,
        distance=_mean(
            (_weight(part), abs(part.usage - part.quota))
            for part in parts
            if part.quota is not None
        ),
        bias=_mean(
            (_weight(part), part.usage - part.quota) for part in parts if part.quota is not None
        ),
        starved=whole.starved,
        over=whole.over,
        lending=whole.lending,
        points=tuple(_points(parts, since, until, most)),
    )


def quota_of(sample: Sample) -> float | None:
    """Return what usage is held against: the effective quota, else the computed one."""
    return sample.computed if sample.effective is None else sample.effective


def _parts(samples: Sequence[Sample], since: int, until: int) -> Iterator[Point]:
    """Yield the part of each sample that counts.

    The first sample of all covers no time, and counts only if it is alone.
    """
    found = [
        _part(sample, since, until)
        for sample in samples
        if since <= sample.time and sample.time - sample.span <= until
    ]
    yield from [part for part in found if _seconds(part) > 0] or found


def _part(sample: Sample, since: int, until: int) -> Point:
    start, end = max(since, sample.time - sample.span), min(until, sample.time)
    span = sample.span or 1
    return Point(
        start, end, sample.usage, sample.max_usage, quota_of(sample), sample.requested,
        sample.starved / span, sample.over / span, sample.lending / span,
    )  # fmt: skip


def _seconds(part: Point) -> float:
    return part.until - part.since


def _weight(part: Point) -> float:
    """Return the time that a part stands for; looks that stand for none count alike."""
    return _seconds(part) or 1.0


def _points(parts: Sequence[Point], since: int, until: int, most: int) -> Iterator[Point]:
    """Yield the parts as they are, or what is in each of ``most`` equal bins if there are more."""
    if len(parts) <= most:
        yield from (_sum((part,)) for part in parts)
        return
    width = (until - since) / most
    bins: dict[int, list[Point]] = {}
    for part in parts:
        first, last = int((part.since - since) / width), int((part.until - since) / width)
        for number in range(first, min(last, most - 1) + 1):
            start, end = (
                max(part.since, since + number * width),
                min(part.until, since + (number + 1) * width),
            )
            if end > start:
                bins.setdefault(number, []).append(replace(part, since=start, until=end))
    yield from (_sum(bins[number]) for number in sorted(bins))


def _sum(parts: Sequence[Point]) -> Point:
    return Point(
        since=parts[0].since,
        until=parts[-1].until,
        usage=_mean((_weight(part), part.usage) for part in parts) or 0.0,
        max_usage=max(part.max_usage for part in parts),
        quota=_mean((_weight(part), part.quota) for part in parts if part.quota is not None),
        requested=_mean((_weight(part), part.requested) for part in parts) or 0.0,
        starved=_mean((_weight(part), part.starved) for part in parts) or 0.0,
        over=_mean((_weight(part), part.over) for part in parts) or 0.0,
        lending=_mean((_weight(part), part.lending) for part in parts) or 0.0,
    )


def _mean(pairs: Iterable[tuple[float, float]]) -> float | None:
    total = weight = 0.0
    for each, value in pairs:
        total, weight = total + each * value, weight + each
    return total / weight if weight else None
