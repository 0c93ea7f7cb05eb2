"""The ledger of elastic quotas in a page: a row with a picture for each dimension and group."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any

from htcq.drift.accounts import Account, AccountPart
from htcq.drift.explanation import DriftExplanation
from htcq.quota.elastic.declaration import ROOT
from htcq.report.printable import one_line
from htcq.report.views.ledger import NUMBERS, cells, together

#: What the numbers of a row are called.
_TITLES = tuple(column.title for column in NUMBERS)
#: Most rows that have a picture: the first, which lent or borrowed most.
MAX_PICTURES = 100
#: The height of a picture in pixels; lent stands on its middle, borrowed hangs below it.
_HEIGHT = 32


def ledger_section(story: DriftExplanation) -> dict[str, Any]:
    """Return what the template shows of the ledger; no rows where none was kept."""
    return {"columns": _TITLES, "rows": list(_rows(story)), "together": list(together(story))}


def _rows(story: DriftExplanation) -> Iterator[dict[str, Any]]:
    drawn = 0
    for each in story.ledger:
        if each.group == ROOT:
            continue
        name, told = one_line(each.group), cells(each)
        drawn += 1
        picture = ""
        if drawn <= MAX_PICTURES:
            picture = _picture(each, told, story)
        yield {
            "name": name,
            "dimension": one_line(each.dimension),
            "cells": list(zip(_TITLES, told)),
            "picture": picture,
        }


def _bar(kind: str, part: AccountPart, story: DriftExplanation, y: float, height: float) -> str:
    if not height:
        return ""
    whole = story.until - story.since
    x, width = 100 * (part.since - story.since) / whole, 100 * (part.until - part.since) / whole
    return (
        f'<rect class="{kind}" x="{x:.3f}%" width="{width:.3f}%" y="{y:.2f}" '
        f'height="{height:.2f}"/>'
    )


def _picture(account: Account, told: Sequence[str], story: DriftExplanation) -> str:
    """Return lent and borrowed over time, as high as the most of both."""
    most = max((max(part.hours.lent, part.hours.borrowed) for part in account.parts), default=0)
    middle_y = _HEIGHT / 2
    shapes = ""
    for part in account.parts:
        if not most:
            break
        lent, borrowed = (
            middle_y * float(amount / most) for amount in (part.hours.lent, part.hours.borrowed)
        )
        shapes += _bar("lent", part, story, middle_y - lent, lent)
        shapes += _bar("borrowed", part, story, middle_y, borrowed)
    numbers = dict(zip(_TITLES, told))
    what = f"{one_line(account.group)}, {one_line(account.dimension)}"
    title = f"{what}: {numbers['lent']} lent, {numbers['borrowed']} borrowed"
    middle = f'<line class="grid" x1="0" x2="100%" y1="{_HEIGHT // 2}" y2="{_HEIGHT // 2}"/>'
    return (
        f'<svg class="when" role="img" width="100%" height="{_HEIGHT}" focusable="false">'
        f"<title>{html.escape(title)}</title>{shapes}{middle}</svg>"
    )
