"""Bars as inline SVG, as wide as their place in a page; titles have the numbers of each."""

from __future__ import annotations

import html
from collections.abc import Iterable

#: Heights in pixels: of a bar, and of the thinner one that lies within it.
_HEIGHT, _INNER = 16, 6


def share_bar(title: str, share: float) -> str:
    """Return a bar that is filled by ``share`` (0 to 1)."""
    return _picture(title, _rect("track", 1.0, _HEIGHT), _rect("used", share, _HEIGHT))


def group_bar(title: str, quota: float | None, usage: float, requested: float, scale: float) -> str:
    """Return the bar of a group: demand pale, usage thin and dark, its quota, if any, as a mark.

    ``scale`` is the amount of the whole width.
    """
    shapes = [
        _rect("asked", _share(requested, scale), _HEIGHT),
        _rect("used", _share(usage, scale), _INNER),
    ]
    if quota is not None:
        place = _percent(_share(quota, scale))
        shapes.append(f'<line class="quota" x1="{place}" x2="{place}" y1="0" y2="{_HEIGHT}"/>')
    return _picture(title, *shapes)


def parts_bar(title: str, parts: Iterable[tuple[str, float, str]]) -> str:
    """Return a bar of parts beside each other, each of its kind, its share (0 to 1) and a title."""
    shapes, left = [_rect("track", 1.0, _HEIGHT)], 0.0
    for kind, share, told in parts:
        if share > 0:
            place = f'x="{_percent(left)}" width="{_percent(share)}" height="{_HEIGHT}"'
            shapes.append(f'<rect class="{kind}" {place}><title>{html.escape(told)}</title></rect>')
            left += share
    return _picture(title, *shapes)


def _share(amount: float, scale: float) -> float:
    if scale > 0:
        return amount / scale
    return 0.0


def _picture(title: str, *shapes: str) -> str:
    return (
        f'<svg class="bar" role="img" width="100%" height="{_HEIGHT}" focusable="false">'
        f"<title>{html.escape(title)}</title>{''.join(shapes)}</svg>"
    )


def _rect(kind: str, share: float, height: int) -> str:
    above = (_HEIGHT - height) // 2
    return f'<rect class="{kind}" y="{above}" width="{_percent(share)}" height="{height}"/>'


def _percent(share: float) -> str:
    """Return ``share`` as a length of SVG, within the picture whatever it is."""
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"
