"""The tree of groups as a treemap in inline SVG: areas are quotas, on one scale, filled by usage.

The layout is the squarified treemap of Bruls, Huizing and van Wijk (2000): rows of rectangles that
are about as wide as high. Places are in percent, so that it is as wide as its place in a page.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: The proportions of the whole, for which rectangles are made about square.
_WIDTH, _HEIGHT = 1000.0, 440.0
#: A label needs so much room: for a letter, for its margin, and so much height.
_LETTER, _MARGIN, _LINE = 7.5, 10.0, 18.0


@dataclass(frozen=True)
class Box:
    """A group, or what belongs to none: ``parts`` lie in it, amounts are of the box itself."""

    name: str
    told: str
    quota: float
    usage: float
    parts: tuple[Box, ...] = ()
    nobody: bool = False

    @property
    def own(self) -> float:
        """What its own area stands for: its quota, or its usage where that is more."""
        return max(self.quota, self.usage, 0.0)

    @property
    def size(self) -> float:
        """What its area with all parts stands for."""
        return self.own + sum(part.size for part in self.parts)


@dataclass(frozen=True)
class _Place:
    x: float
    y: float
    width: float
    height: float


def treemap(title: str, boxes: Sequence[Box]) -> str:
    """Return the picture of ``boxes``; each part has its name and numbers as a tooltip."""
    whole = _Place(0.0, 0.0, _WIDTH, _HEIGHT)
    shapes = "".join(_drawn(boxes, whole, 0))
    return (
        f'<svg class="tree" role="img" width="100%" height="{_HEIGHT:g}" focusable="false" '
        f'aria-label="{html.escape(title)}">{shapes}</svg>'
    )


def _drawn(boxes: Sequence[Box], place: _Place, depth: int) -> Iterator[str]:
    sized = sorted((box for box in boxes if box.size > 0), key=lambda box: -box.size)
    for box, inner in zip(sized, _places([box.size for box in sized], place)):
        if not box.parts:
            yield _leaf(box, inner)
            continue
        parts = list(box.parts)
        if box.own > 0:
            parts.append(Box(box.name, box.told, box.quota, box.usage))
        yield from _drawn(parts, inner, depth + 1)
        yield f'<rect class="edge{min(depth, 2)}" {_at(inner)}/>'


def _leaf(box: Box, place: _Place) -> str:
    within = min(box.usage, box.quota) / box.own
    above = max(0.0, box.usage - box.quota) / box.own
    kind = "track"
    if box.nobody:
        kind = "nobody"
    shapes = [f'<rect class="{kind}" width="100%" height="100%"/>']
    for part, share, top in (("used", within, 1 - within), ("over", above, 1 - within - above)):
        if share > 0:
            shapes.append(f'<rect class="{part}" y="{top:.1%}" width="100%" height="{share:.1%}"/>')
    if place.width > len(box.name) * _LETTER + _MARGIN and place.height > _LINE:
        shapes.append(f'<text x="5" y="14">{html.escape(box.name)}</text>')
    told = f"<title>{html.escape(box.told)}</title>"
    return f'<svg class="box" {_at(place)}>{told}{"".join(shapes)}</svg>'


def _at(place: _Place) -> str:
    return (
        f'x="{place.x / _WIDTH:.2%}" y="{place.y / _HEIGHT:.2%}" '
        f'width="{place.width / _WIDTH:.2%}" height="{place.height / _HEIGHT:.2%}"'
    )


def _places(sizes: Sequence[float], place: _Place) -> Iterator[_Place]:
    """Yield the places of ``sizes``, the largest first, which fill ``place``."""
    left, rest = list(sizes), place
    scale = place.width * place.height / (sum(sizes) or 1.0)
    while left:
        count = _row_length(left, scale, min(rest.width, rest.height))
        row, left = left[:count], left[count:]
        area = sum(row) * scale
        if rest.width >= rest.height:
            width = area / rest.height
            y = rest.y
            for size in row:
                height = size * scale / width
                yield _Place(rest.x, y, width, height)
                y += height
            rest = _Place(rest.x + width, rest.y, max(1e-9, rest.width - width), rest.height)
        else:
            height = area / rest.width
            x = rest.x
            for size in row:
                width = size * scale / height
                yield _Place(x, rest.y, width, height)
                x += width
            rest = _Place(rest.x, rest.y + height, rest.width, max(1e-9, rest.height - height))


def _row_length(sizes: Sequence[float], scale: float, side: float) -> int:
    """Return how many of ``sizes`` the next row has: as long as its rectangles get squarer."""
    worst = float("inf")
    total = 0.0
    for number, size in enumerate(sizes):
        total += size * scale
        thickness = total / side
        now = max(_ratio(each * scale, thickness) for each in (sizes[0], size))
        if now > worst:
            return number
        worst = now
    return len(sizes)


def _ratio(area: float, thickness: float) -> float:
    length = area / thickness
    return max(length / thickness, thickness / length)
