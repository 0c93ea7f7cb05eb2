"""Group quotas of one or several pools as one HTML page: trees, numbers and stories of groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from htcq.poolquota.comparison import GroupDifference, compare
from htcq.poolquota.explanation.group import stories
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.report import PoolQuotaReport
from htcq.report.charts.svg import group_bar
from htcq.report.column import for_people
from htcq.report.formats.html import Link, page, unwell
from htcq.report.moments import as_people_write
from htcq.report.printable import one_line
from htcq.report.views.quota import AMOUNTS, COMPARED, Looks, quota_table
from htcq.report.views.quota_sentences import (
    fate,
    not_offered,
    other_weight,
    oversubscribed,
    own_name,
    published,
    short_of,
    totals,
    units,
    wrong,
)
from htcq.units import show_number

#: Deeper groups are not drawn further to the right.
_DEEPEST = 8


def quota_page(
    looks: Looks, changes: Sequence[tuple[str, str]] = (), links: Sequence[Link] = ()
) -> str:
    """Return the page of all pools, each as it is and, for a what-if, with ``changes``.

    ``links`` lead to the other pages of its site.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    several = len(looks) > 1
    health: list[tuple[str, str, str]] = []
    for now, _ in looks:
        name = ""
        if several:
            name = now.source
        health += unwell(now.health, name)
    values = {
        "health": health,
        "links": links,
        "pools": [_pool(now, then) for now, then in looks],
        "columns": [column.title for column in for_people(AMOUNTS)],
        "changes": [f"{one_line(knob)} = {one_line(value)}" for knob, value in changes],
    }
    return page("quota", values)


def _pool(look: PoolQuotaReport, then: PoolQuotaReport | None) -> dict[str, Any]:
    table = quota_table(look, AMOUNTS)
    amounts = (look.pool_weight, look.promised, look.used, look.allocated)
    changed = None
    if then is not None:
        changed = _changed(look, then)
    return {
        "source": one_line(look.source),
        "taken": one_line(look.taken),
        "taken_words": one_line(as_people_write(look.taken)),
        "negotiator": one_line(look.negotiator),
        "grouped": look.grouped,
        "groups": len(look.standings) - 1,
        "unit": look.unit,
        "totals": [show_number(amount) for amount in amounts],
        "said": totals(look),
        "warnings": [one_line(each) for each in _warnings(look)],
        "units": [one_line(each) for each in units(look)],
        "heads": [(column.title, table.unit(column), column.wide) for column in table.shown],
        "rows": list(_rows(look, table.cells)),
        "then": changed,
    }


def _warnings(look: PoolQuotaReport) -> Iterator[str]:
    yield from filter(None, (oversubscribed(look), other_weight(look)))
    for problem in look.problems:
        yield f"configuration: {wrong(problem)}"
    yield from short_of(look)
    yield from map(not_offered, look.kept_back)
    yield from look.doubts
    for each in look.incomplete:
        yield f"incomplete data: {each}"


def _rows(look: PoolQuotaReport, cells: Sequence[Sequence[str]]) -> Iterator[dict[str, Any]]:
    told, bars = stories(look), _bars(look)
    parents = {standing.group.parent for standing in look.standings}
    numbers = {standing.name: number for number, standing in enumerate(look.standings)}
    for standing, row in zip(look.standings, cells):
        sentences: dict[str, list[str]] = {}
        for sentence in told[standing.name]:
            sentences.setdefault(sentence.topic, []).append(f"{one_line(sentence.text)}.")
        yield {
            "name": one_line(standing.name),
            "path": one_line(standing.name[: -len(own_name(standing))]),
            "own": one_line(own_name(standing)),
            "depth": min(standing.depth, _DEEPEST),
            "parent": numbers.get(standing.group.parent or "", ""),
            "open": standing.name in parents,
            "bar": bars[standing.name],
            "cells": row,
            "marks": [one_line(published(mark)) for mark in standing.marks],
            "story": list(sentences.items()),
        }


def _bars(look: PoolQuotaReport) -> Mapping[str, str]:
    """Return a bar of each group with all groups below it; all have one scale."""
    asked = {standing.name: max(0.0, standing.requested) for standing in look.standings}
    for standing in reversed(look.standings):  # what is below a group comes after it
        if standing.group.parent is not None:
            asked[standing.group.parent] += asked[standing.name]
    scale = 0.0
    for standing in look.standings:
        greatest = max(standing.subtree_quota, standing.subtree_usage, asked[standing.name])
        scale = max(scale, greatest)
    return {each.name: _bar(each, asked[each.name], scale) for each in look.standings}


def _bar(standing: GroupStatus, asked: float, scale: float) -> str:
    quota, usage = standing.subtree_quota, standing.subtree_usage
    may, uses, wants = map(show_number, (quota, usage, asked))
    title = f"{one_line(standing.name)}: quota {may}, uses {uses}, requests {wants}"
    return group_bar(title, quota, usage, asked, scale)


def _changed(now: PoolQuotaReport, then: PoolQuotaReport) -> dict[str, Any]:
    rows = compare(now, then)
    warnings = set(_warnings(now))
    return {
        "said": totals(then),
        "warnings": [one_line(each) for each in _warnings(then) if each not in warnings],
        "same": sum(not row.changed for row in rows),
        "rows": [_changed_row(row) for row in rows if row.changed],
    }


def _changed_row(row: GroupDifference) -> dict[str, Any]:
    cells = [column.cell(row) for column in COMPARED]
    return {"name": one_line(row.name), "fate": fate(row), "cells": cells}
