"""Usage of all groups over time, stacked on one axis, with the sum of their quotas as a line.

The picture is drawn here once; templates/report/overview.js draws it again from the same numbers
where somebody zooms in or looks at one group.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from htcq.drift.windows import Point, Window
from htcq.report.charts.axes import ABOVE, HEIGHT, WIDE, Axes, plotted
from htcq.report.charts.ticks import Tick, amounts, moments
from htcq.report.printable import one_line
from htcq.units import show_number

#: The maximum of groups with a band of their own, and of steps in time.
MAX_BANDS, STEPS = 11, 240
#: From this share of the width on there is no room for a word in the middle of its moment.
_LAST = 0.94
#: In pixels: how high it is, where the words of time stand, and how high all of it is.
_TALL, _WORDS, _WHOLE = 260, 292, 298


@dataclass(frozen=True)
class Band:
    """The mean usage of a group in each step (None: nobody looked), and its quota."""

    name: str
    usage: tuple[float | None, ...]
    quota: tuple[float | None, ...]


@dataclass(frozen=True)
class Stack:
    """The bands of a time from ``since`` to ``until``, the one at the bottom first."""

    since: float
    until: float
    bands: tuple[Band, ...]

    @property
    def marks(self) -> list[float]:
        """The amounts at the marks of the height."""
        quotas = [_total(each) for each in zip(*(band.quota for band in self.bands))]
        usage = [_total(each) for each in zip(*(band.usage for band in self.bands))]
        return amounts(max((each for each in (*quotas, *usage) if each is not None), default=0.0))


def stack_of(windows: Sequence[Window], steps: int = STEPS) -> Stack | None:
    """Return the bands of ``windows``: the groups that use most, and all others as one band."""
    if not windows:
        return None
    since, until = windows[0].since, windows[0].until
    ordered = sorted(windows, key=lambda each: (-each.usage, each.group))
    bands = [_band(each, since, until, steps) for each in ordered]
    shown, others = bands[:MAX_BANDS], bands[MAX_BANDS:]
    if others:
        usage = tuple(_total(each) for each in zip(*(band.usage for band in others)))
        quota = tuple(_total(each) for each in zip(*(band.quota for band in others)))
        shown.append(Band(f"{len(others):,} other groups", usage, quota))
    return Stack(since, until, tuple(shown))


def _band(window: Window, since: float, until: float, steps: int) -> Band:
    usage: list[float | None] = [None] * steps
    quota: list[float | None] = [None] * steps
    width = (until - since) / steps
    for point in window.points:
        for number in _steps_of(point, since, width, steps):
            usage[number] = point.usage
            quota[number] = point.quota
    return Band(one_line(window.group), tuple(usage), tuple(quota))


def _steps_of(point: Point, since: float, width: float, steps: int) -> range:
    """Return the steps whose middle lies in ``point``; the nearest one if it is shorter."""
    first = max(0, int((point.since - since) / width + 0.5))
    last = int((point.until - since) / width + 0.5)
    first = min(first, steps - 1)
    return range(first, min(steps, max(last, first + 1)))


def _total(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    return sum(known)


def drawn(title: str, stack: Stack, zone: tzinfo | None = None) -> str:
    """Return the picture of ``stack``."""
    marks = stack.marks
    axes = Axes(stack.since, stack.until, marks[-1])
    width = (stack.until - stack.since) / max(1, len(stack.bands[0].usage))
    below = [0.0] * len(stack.bands[0].usage)
    paths = []
    for number, band in enumerate(stack.bands):
        above = [low + (high or 0.0) for low, high in zip(below, band.usage)]
        paths.append(
            f'<path class="band b{number}" d="{_area(stack, axes, below, above, width)}"/>'
        )
        below = above
    quotas = [_total(each) for each in zip(*(band.quota for band in stack.bands))]
    paths.append(f'<path class="limit" d="{_line(stack, axes, quotas, width)}"/>')
    return plotted(
        title,
        _WHOLE,
        *(_grid(ABOVE + axes.y(mark) * _TALL / HEIGHT) for mark in marks),
        _stretched(paths),
        *_times(axes, moments(stack.since, stack.until, zone=zone)),
    )


def _grid(y: float) -> str:
    return f'<line class="grid" x1="0" x2="100%" y1="{y:g}" y2="{y:g}"/>'


def _stretched(paths: Sequence[str]) -> str:
    return (
        f'<svg class="drawn" y="{ABOVE}" width="100%" height="{_TALL}" '
        f'viewBox="0 0 {WIDE:g} {HEIGHT}" preserveAspectRatio="none">{"".join(paths)}</svg>'
    )


def _times(axes: Axes, ticks: Sequence[Tick]) -> Iterator[str]:
    for tick in ticks:
        share = axes.x(tick.moment) / WIDE
        anchor = "middle"
        if share > _LAST:
            anchor = "end"
        yield (
            f'<text x="{share:.2%}" y="{_WORDS}" text-anchor="{anchor}">'
            f"{html.escape(tick.text)}</text>"
        )


def _area(
    stack: Stack, axes: Axes, below: Sequence[float], above: Sequence[float], width: float
) -> str:
    forth, back = [], []
    for number, (low, high) in enumerate(zip(below, above)):
        left = axes.x(stack.since + number * width)
        right = axes.x(stack.since + (number + 1) * width)
        forth.append(f"{left:.1f} {axes.y(high):.1f} {right:.1f} {axes.y(high):.1f}")
        back.append(f"{right:.1f} {axes.y(low):.1f} {left:.1f} {axes.y(low):.1f}")
    return f"M{'L'.join(forth)}L{'L'.join(reversed(back))}Z"


def _line(stack: Stack, axes: Axes, values: Sequence[float | None], width: float) -> str:
    parts, pen = [], "M"
    for number, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        left = axes.x(stack.since + number * width)
        right = axes.x(stack.since + (number + 1) * width)
        parts.append(f"{pen}{left:.1f} {axes.y(value):.1f}L{right:.1f} {axes.y(value):.1f}")
        pen = "L"
    return "".join(parts)


def data_of(stack: Stack) -> str:
    """Return the numbers of ``stack`` as JSON that can stand in a page."""
    bands = [
        {"name": band.name, "usage": _short(band.usage), "quota": _short(band.quota)}
        for band in stack.bands
    ]
    return in_page({"since": stack.since, "until": stack.until, "bands": bands})


def _short(values: Sequence[float | None]) -> list[float | None]:
    found: list[float | None] = []
    for value in values:
        short = value
        if value is not None:
            short = round(value, 2)
        found.append(short)
    return found


def in_page(value: object) -> str:
    """Return ``value`` as JSON in which nothing ends the script element around it."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def scale_words(stack: Stack) -> list[str]:
    """Return the words at the marks of the height."""
    return [show_number(mark) for mark in stack.marks]
