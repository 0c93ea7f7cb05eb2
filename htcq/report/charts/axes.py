"""The frame of a plot over time as inline SVG: lines for amounts and words for moments.

Shapes are stretched to the width of the page. Words are not, so that they stay readable on a
phone.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from htcq.report.charts.ticks import Tick

#: In pixels: how high a plot is, and what is above it.
HEIGHT, ABOVE = 160, 8
#: The width that is stretched.
WIDE = 1000.0
#: From here on there is no room for a word in the middle of its moment.
_LAST = 0.94


class Axes(NamedTuple):
    """Times from ``since`` to ``until`` beside amounts from 0 to ``most``."""

    since: float
    until: float
    most: float

    def x(self, moment: float) -> float:
        """Return where a moment lies in the width that is stretched."""
        share = (moment - self.since) / (self.until - self.since)
        return round(min(max(WIDE * share, 0.0), WIDE), 1)

    def y(self, amount: float) -> float:
        """Return where an amount lies, from the top of the plot."""
        share = min(max(amount / self.most, 0.0), 1.0)
        return round(HEIGHT * (1 - share), 1)

    def steps(self, parts: Iterable[tuple[float, float]]) -> str:
        """Return a path over parts, each with its end and its amount.

        The path goes up or down to the amount, then on to the end.
        """
        path: list[str] = []
        last = ""
        for end, amount in parts:
            height = f"{self.y(amount):g}"
            # What is equal is one line, however many parts it has.
            if height == last:
                path.pop()
            else:
                path.append(f"V{height}")
            path.append(f"H{end:g}")
            last = height
        return "".join(path)

    def grid(self, marks: Sequence[float]) -> Iterator[str]:
        """Yield a line for each mark of the height."""
        for mark in marks:
            y = ABOVE + self.y(mark)
            yield f'<line class="grid" x1="0" x2="100%" y1="{y:g}" y2="{y:g}"/>'

    def times(self, ticks: Iterable[Tick], below: int) -> Iterator[str]:
        """Yield marks of time with their words, which stand on the line ``below``."""
        for tick in ticks:
            share = self.x(tick.moment) / WIDE
            # There is room at the left, beside the amounts, and none at the right.
            anchor = "middle"
            if share > _LAST:
                anchor = "end"
            place = f"{share:.2%}"
            yield (
                f'<line class="grid" x1="{place}" x2="{place}" y1="{ABOVE + HEIGHT}" '
                f'y2="{below - 12}"/>'
            )
            yield (
                f'<text x="{place}" y="{below}" '
                f'text-anchor="{anchor}">{html.escape(tick.text)}</text>'
            )


def stretched(shapes: Iterable[str], height: int, above: int = 0) -> str:
    """Return ``shapes`` in a picture that is as wide as its place."""
    place = ""
    if above:
        place = f' y="{above}"'
    return (
        f'<svg class="drawn"{place} width="100%" height="{height}" viewBox="0 0 1000 {height}" '
        f'preserveAspectRatio="none">{"".join(shapes)}</svg>'
    )


def plotted(title: str, height: int, *shapes: str) -> str:
    """Return a plot with a title for those who do not see it."""
    return (
        f'<svg class="plot" role="img" width="100%" height="{height}" focusable="false">'
        f"<title>{html.escape(title)}</title>{''.join(shapes)}</svg>"
    )
