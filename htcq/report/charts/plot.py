"""Usage and quota over time as inline SVG, as wide as its place in a page.

A page's style gives the colours, templates/report/plot.css.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from htcq.drift.windows import Point, Window
from htcq.report.charts.axes import ABOVE, HEIGHT, WIDE, Axes, plotted, stretched
from htcq.report.charts.ticks import amounts, moments

#: In pixels: where the strips of the states and the words of time are.
_STRIPS = (("starved", 174), ("over", 188))
_STRIP = 8
_WORDS, _WHOLE = 212, 218


def scale(window: Window) -> list[float]:
    """Return the amounts at the marks of the plot's height, from 0 up, evenly spaced."""
    most = max((max(point.usage, point.quota or 0.0) for point in window.points), default=0.0)
    return amounts(most)


def plot(
    title: str, window: Window, happened: Sequence[float] = (), zone: tzinfo | None = None
) -> str:
    """Return the plot of one group: its usage, its quota, its states, and its changes.

    ``happened`` are the moments of changes, in seconds since 1970.
    """
    drawn = _Drawing(window, scale(window))
    return plotted(
        title,
        _WHOLE,
        *drawn.grid(),
        stretched(drawn.lines(), HEIGHT, ABOVE),
        stretched(drawn.strips(), _WHOLE),
        *drawn.changes(happened),
        *drawn.times(zone),
    )


class _Drawing:
    """One window with the amounts at the marks of its height."""

    def __init__(self, window: Window, marks: Sequence[float]) -> None:
        self._window = window
        self._marks = marks
        self._axes = Axes(window.since, window.until, marks[-1])

    def grid(self) -> Iterator[str]:
        """Yield a line for each mark of the height."""
        return self._axes.grid(self._marks)

    def lines(self) -> Iterator[str]:
        """Yield what nobody saw, the usage as an area and the quota as a line of steps."""
        yield from self._unseen()
        for run in _runs(self._window.points):
            begin = self._axes.x(run[0].since)
            steps = self._steps([(point, point.usage) for point in run])
            yield f'<path class="usage" d="M{begin:g} {HEIGHT}{steps}V{HEIGHT}Z"/>'
            yield f'<path class="edge" d="M{begin:g} {self._axes.y(run[0].usage):g}{steps}"/>'
        known = [(point, point.quota) for point in self._window.points if point.quota is not None]
        quotas = {id(point): quota for point, quota in known}
        for run in _runs([point for point, _ in known]):
            steps = self._steps([(point, quotas[id(point)]) for point in run])
            start = f"{self._axes.x(run[0].since):g} {self._axes.y(quotas[id(run[0])]):g}"
            yield f'<path class="limit" d="M{start}{steps}"/>'

    def _steps(self, amounts_: Sequence[tuple[Point, float]]) -> str:
        """Return the path over points: up or down to the amount of each, then on to its end."""
        return self._axes.steps((self._end(point), amount) for point, amount in amounts_)

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
            place = f"{self._axes.x(each) / WIDE:.2%}"
            yield (
                f'<line class="happened" x1="{place}" x2="{place}" y1="{ABOVE}" '
                f'y2="{ABOVE + HEIGHT}"/>'
            )

    def times(self, zone: tzinfo | None) -> Iterator[str]:
        """Yield the marks of time with their words."""
        return self._axes.times(moments(self._window.since, self._window.until, zone=zone), _WORDS)

    def _states(self, state: str) -> Iterator[tuple[float, float, float]]:
        """Yield when a state held, and to which share; neighbours that are alike are one."""
        former: tuple[float, float, float] | None = None
        for point in self._window.points:
            share = _tenths(getattr(point, state))
            since, until = self._axes.x(point.since), self._end(point)
            if former is not None and former[2] == share and since - former[1] < 0.15:
                former = (former[0], until, share)
                continue
            if former is not None and former[2]:
                yield former
            former = (since, until, share)
        if former is not None and former[2]:
            yield former

    def _unseen(self) -> Iterator[str]:
        """Yield the times that nobody observed."""
        edges = [0.0]
        for run in _runs(self._window.points):
            edges += [self._axes.x(run[0].since), self._end(run[-1])]
        edges.append(WIDE)
        for since, until in zip(edges[::2], edges[1::2]):
            if until - since > 0.5:
                yield (
                    f'<rect class="unseen" x="{since:.1f}" width="{until - since:.1f}" '
                    f'height="{HEIGHT}"/>'
                )

    def _end(self, point: Point) -> float:
        # One look stands for no time, and is seen all the same.
        return max(self._axes.x(point.until), round(self._axes.x(point.since) + 0.5, 1))


def _tenths(share: float) -> float:
    """Return a share in tenths, at least one if there is any."""
    if share > 0:
        return max(round(share, 1), 0.1)
    return 0.0


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
