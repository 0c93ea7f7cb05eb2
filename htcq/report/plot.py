"""Usage and quota over time as inline SVG, as wide as its place in a page.

Lines are drawn in a picture that is stretched to the width there is, words beside it are not: they stay readable on a
phone. A page's style gives the colours, templates/report/drift.css.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from datetime import tzinfo

from htcq.drift.windows import Point, Window
from htcq.report.ticks import amounts, moments

#: In pixels: how high the plot is, what is above it, and where the strips of the states and the words of time are.
HEIGHT, _ABOVE = 160, 8
_STRIPS = (("starved", 174), ("over", 188))
_STRIP = 8
_WORDS, _WHOLE = 212, 218
#: The width that is stretched.
_WIDE = 1000.0


def scale(window: Window) -> list[float]:
    """Return the amounts at the marks of the plot's height, from 0 up, evenly spaced."""
    most = max((max(point.usage, point.quota or 0.0) for point in window.points), default=0.0)
    return amounts(most)


def plot(title: str, window: Window, happened: Sequence[float] = (), zone: tzinfo | None = None) -> str:
    """Return the plot of one group: its usage, its quota, when it starved and was over, and when something changed."""
    drawn = _Drawing(window, scale(window))
    inner = f'<svg class="drawn" y="{_ABOVE}" width="100%" height="{HEIGHT}" viewBox="0 0 1000 {HEIGHT}" '
    inner += f'preserveAspectRatio="none">{"".join(drawn.lines())}</svg>'
    strips = f'<svg class="drawn" width="100%" height="{_WHOLE}" viewBox="0 0 1000 {_WHOLE}" '
    strips += f'preserveAspectRatio="none">{"".join(drawn.strips())}</svg>'
    return (
        f'<svg class="plot" role="img" width="100%" height="{_WHOLE}" focusable="false">'
        f"<title>{html.escape(title)}</title>{''.join(drawn.grid())}{inner}{strips}"
        f"{''.join(drawn.changes(happened))}{''.join(drawn.times(zone))}</svg>"
    )


class _Drawing:
    """One window with the amounts at the marks of its height."""

    def __init__(self, window: Window, marks: Sequence[float]) -> None:
        self._window = window
        self._marks = marks

    def grid(self) -> Iterator[str]:
        """Yield a line for each mark of the height."""
        for mark in self._marks:
            y = _ABOVE + self._y(mark)
            yield f'<line class="grid" x1="0" x2="100%" y1="{y:g}" y2="{y:g}"/>'

    def lines(self) -> Iterator[str]:
        """Yield what nobody saw, the usage as an area and the quota as a line of steps."""
        yield from self._unseen()
        for run in _runs(self._window.points):
            begin, steps = self._x(run[0].since), self._steps([(point, point.usage) for point in run])
            yield f'<path class="usage" d="M{begin:g} {HEIGHT}{steps}V{HEIGHT}Z"/>'
            yield f'<path class="edge" d="M{begin:g} {self._y(run[0].usage):g}{steps}"/>'
        known = [(point, point.quota) for point in self._window.points if point.quota is not None]
        quotas = {id(point): quota for point, quota in known}
        for run in _runs([point for point, _ in known]):
            steps = self._steps([(point, quotas[id(point)]) for point in run])
            start = f"{self._x(run[0].since):g} {self._y(quotas[id(run[0])]):g}"
            yield f'<path class="limit" d="M{start}{steps}"/>'

    def _steps(self, amounts_: Sequence[tuple[Point, float]]) -> str:
        """Return the path over points: up or down to the amount of each, then on to its end."""
        path: list[str] = []
        last = ""
        for point, amount in amounts_:
            height = f"{self._y(amount):g}"
            # What is equal is one line, however many looks saw it.
            if height == last:
                path.pop()
            else:
                path.append(f"V{height}")
            path.append(f"H{self._end(point):g}")
            last = height
        return "".join(path)

    def strips(self) -> Iterator[str]:
        """Yield for each state a strip that is as full as the share of time in which it held."""
        for state, top in _STRIPS:
            yield f'<rect class="track" y="{top}" width="1000" height="{_STRIP}"/>'
            for since, until, share in self._states(state):
                height = max(2.0, _STRIP * share)
                yield (
                    f'<rect class="{state}" x="{since}" width="{max(1.0, until - since):.1f}" '
                    f'y="{top + _STRIP - height:g}" height="{height:g}"/>'
                )

    def changes(self, happened: Sequence[float]) -> Iterator[str]:
        """Yield a line where something about the group changed."""
        for each in happened:
            place = f"{self._x(each) / _WIDE:.2%}"
            yield f'<line class="happened" x1="{place}" x2="{place}" y1="{_ABOVE}" y2="{_ABOVE + HEIGHT}"/>'

    def times(self, zone: tzinfo | None) -> Iterator[str]:
        """Yield the marks of time with their words."""
        for tick in moments(self._window.since, self._window.until, zone=zone):
            share = self._x(tick.moment) / _WIDE
            # There is room at the left, beside the amounts, and none at the right.
            anchor = "end" if share > 0.94 else "middle"
            place = f"{share:.2%}"
            yield f'<line class="grid" x1="{place}" x2="{place}" y1="{_ABOVE + HEIGHT}" y2="{_WORDS - 12}"/>'
            yield f'<text x="{place}" y="{_WORDS}" text-anchor="{anchor}">{html.escape(tick.text)}</text>'

    def _states(self, state: str) -> Iterator[tuple[float, float, float]]:
        """Yield when a state held, and to which share; neighbours that are alike are one."""
        former: tuple[float, float, float] | None = None
        for point in self._window.points:
            share = round(getattr(point, state), 1) or (0.1 if getattr(point, state) > 0 else 0.0)
            since, until = self._x(point.since), self._end(point)
            if former is not None and former[2] == share and since - former[1] < 0.15:
                former = (former[0], until, share)
                continue
            if former is not None and former[2]:
                yield former
            former = (since, until, share)
        if former is not None and former[2]:
            yield former

    def _unseen(self) -> Iterator[str]:
        edges = [
            0.0,
            *(each for run in _runs(self._window.points) for each in (self._x(run[0].since), self._end(run[-1]))),
        ]
        edges.append(_WIDE)
        for since, until in zip(edges[::2], edges[1::2]):
            if until - since > 0.5:
                yield f'<rect class="unseen" x="{since:.1f}" width="{until - since:.1f}" height="{HEIGHT}"/>'

    def _x(self, moment: float) -> float:
        whole = self._window.until - self._window.since
        return round(min(max(_WIDE * (moment - self._window.since) / whole, 0.0), _WIDE), 1)

    def _end(self, point: Point) -> float:
        # One look stands for no time, and is seen all the same.
        return max(self._x(point.until), round(self._x(point.since) + 0.5, 1))

    def _y(self, amount: float) -> float:
        return round(HEIGHT * (1 - min(max(amount / self._marks[-1], 0.0), 1.0)), 1)


def _runs(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Yield the points that follow each other without a gap."""
    run: list[Point] = []
    for point in points:
        if run and point.since - run[-1].until > 1:
            yield run
            run = []
        run.append(point)
    if run:
        yield run
