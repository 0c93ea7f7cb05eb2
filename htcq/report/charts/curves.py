"""Amounts cycle after cycle as inline SVG: usage and quota as lines, classes as bands.

Every amount holds from its cycle to the next. A page's style gives the colours,
templates/report/plot.css and simulate.css.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from htcq.report.charts.axes import ABOVE, HEIGHT, Axes, plotted, stretched
from htcq.report.charts.ticks import spans

#: The maximum of steps of a line.
MAX_STEPS = 300
#: In pixels: where the words of time stand, and how high all of it is.
_WORDS, _WHOLE = 192, 198


def curves(
    title: str,
    marks: Sequence[float],
    amounts: Sequence[float],
    limits: Sequence[float],
    until: float,
    interval: float,
) -> str:
    """Return the plot of ``amounts`` as an area and ``limits`` as a dashed line.

    ``marks`` are those of its height, times in seconds: the whole plot goes to ``until``.
    """
    axes = Axes(0.0, until, marks[-1])
    return _whole(title, axes, marks, _lines(axes, amounts, limits, interval))


def bands(
    title: str,
    marks: Sequence[float],
    counts: Sequence[Sequence[int]],
    until: float,
    interval: float,
) -> str:
    """Return the plot of the counts of each class after each cycle.

    The last class is at the bottom, the first on top.
    """
    axes = Axes(0.0, until, marks[-1])
    return _whole(title, axes, marks, _bands(axes, counts, interval))


def _whole(title: str, axes: Axes, marks: Sequence[float], shapes: Iterator[str]) -> str:
    drawn = stretched(shapes, HEIGHT, ABOVE)
    return plotted(title, _WHOLE, *axes.grid(marks), drawn, *axes.times(spans(axes.until), _WORDS))


def _lines(
    axes: Axes, amounts: Sequence[float], limits: Sequence[float], interval: float
) -> Iterator[str]:
    if amounts:
        steps = axes.steps(_ends(axes, amounts, interval))
        yield f'<path class="usage" d="M0 {HEIGHT}{steps}V{HEIGHT}Z"/>'
        yield f'<path class="edge" d="M0 {axes.y(amounts[0]):g}{steps}"/>'
    if limits:
        steps = axes.steps(_ends(axes, limits, interval))
        yield f'<path class="limit" d="M0 {axes.y(limits[0]):g}{steps}"/>'


def _bands(axes: Axes, counts: Sequence[Sequence[int]], interval: float) -> Iterator[str]:
    # Each lies on the one before, which shows above it: what is in this class and those beyond.
    classes = 0
    if counts:
        classes = len(counts[0])
    for number in range(classes):
        sums = [float(sum(each[number:])) for each in counts]
        if any(sums):
            steps = axes.steps(_ends(axes, sums, interval))
            yield f'<path class="fill{number}" d="M0 {HEIGHT}{steps}V{HEIGHT}Z"/>'


def _ends(axes: Axes, amounts: Sequence[float], interval: float) -> Iterator[tuple[float, float]]:
    """Yield the end and the height of each step; neighbours are one step if there are too many."""
    together = -(-len(amounts) // MAX_STEPS)
    for first in range(0, len(amounts), together):
        some = amounts[first : first + together]
        yield axes.x((first + len(some)) * interval), fmean(some)
