"""Bars as inline SVG: as wide as their place in a page, each with its numbers as a title for those who do not see."""

from __future__ import annotations

import html

#: Heights in pixels: of a bar, and of the thinner one that lies within it.
_HEIGHT, _INNER = 16, 6


def share_bar(title: str, share: float) -> str:
    """Return a bar that is filled by ``share`` (0 to 1)."""
    return _picture(title, _rect("track", 1.0, _HEIGHT), _rect("used", share, _HEIGHT))


def group_bar(title: str, quota: float | None, usage: float, requested: float, scale: float) -> str:
    """Return what a group asks for as a pale bar, what it uses as a thin dark one, and its quota, if any, as a mark.

    ``scale`` is the amount that the whole width stands for.
    """
    shares = [amount / scale if scale > 0 else 0.0 for amount in (requested, usage, quota or 0.0)]
    place = _percent(shares[2])
    mark = (
        ""
        if quota is None
        else f'<line class="quota" x1="{place}" x2="{place}" y1="0" y2="{_HEIGHT}"/>'
    )
    return _picture(
        title, _rect("asked", shares[0], _HEIGHT), _rect("used", shares[1], _INNER), mark
    )


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
