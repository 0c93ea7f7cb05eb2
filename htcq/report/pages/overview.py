"""The overview of a pool as a page: a verdict, its assets, its groups, what to fix, and how fresh.

It is written for somebody who has one minute; every number leads to the page that explains it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from htcq.audit.engine import Finding
from htcq.audit.fix import by_place
from htcq.balance.amounts import Amounts
from htcq.balance.balance import KindBalance
from htcq.balance.machines import USED, by_area
from htcq.balance.standing import CauseAmount
from htcq.claims.costs import Share
from htcq.drift.explanation import DriftExplanation
from htcq.pool.pool import Pool
from htcq.poolquota.report import PoolQuotaReport
from htcq.quota.group_tree import ROOT
from htcq.report.charts.pictures import Pictures
from htcq.report.charts.stack import Stack, data_of, drawn, scale_words, stack_of
from htcq.report.charts.treemap import Box, treemap
from htcq.report.column import NONE
from htcq.report.fix import place_text
from htcq.report.formats.html import page, unwell
from htcq.report.moments import as_people_write, iso, moment, zone_name
from htcq.report.pages.audit import weight_name
from htcq.report.pages.machines import (
    WORDS,
    amount_of,
    assets_of,
    bar_of,
    causes_of,
    machines_by_kind,
    shown,
)
from htcq.report.pages.site_pages import OVERVIEW, links_of
from htcq.report.printable import one_line, printable
from htcq.report.views.audit_text import summary
from htcq.report.views.overview import Seen, short_amount, unit_of, verdict, worst_findings

#: The kinds of node that have a row, and the groups that have an area of their own.
_KINDS, _BOXES = 12, 250


@dataclass(frozen=True)
class Freshness:
    """A part of what the pages show: when it was captured, by which command, and what lacks."""

    part: str
    taken: str
    command: str
    lacks: str = ""


def overview_page(
    seen: Seen, pool: Pool, pictures: Pictures, freshness: Sequence[Freshness]
) -> str:
    """Return the page.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    balance = seen.balance
    counts = machines_by_kind(balance.machines)
    assets = assets_of(balance.total)
    values: dict[str, Any] = {
        "health": unwell(seen.audit.health),
        "links": links_of(OVERVIEW),
        "source": one_line(pool.name),
        "taken": _taken(seen),
        "verdict": verdict(seen),
        "assets": [_asset(asset, balance.total, balance.by) for asset in assets],
        "kinds": [_kind(kind, counts.get(kind.name, 0), assets) for kind in balance.kinds[:_KINDS]],
        "heads": [WORDS[asset][0] for asset in assets],
        "more_kinds": max(0, len(balance.kinds) - _KINDS),
        "slots_known": pool.slots is not None,
        "jobs_known": pool.jobs is not None,
        **_groups(seen.look),
        "weights": list(_weights(pictures.shares)),
        "more_weights": pictures.more_shares,
        "story": _story(seen),
        "findings": [_finding(each) for each in worst_findings(seen.audit)],
        "summary": summary(seen.audit),
        "freshness": [_fresh(each, seen) for each in freshness],
    }
    return page("overview", values)


def _taken(seen: Seen) -> tuple[str, str]:
    if seen.now is None:
        return "", "an unknown time"
    return iso(seen.now), as_people_write(iso(seen.now), seen.zone)


def _asset(asset: str, total: Amounts, by: Sequence[CauseAmount]) -> dict[str, Any]:
    whole = amount_of(asset, total)
    used = amount_of(asset, by_area((each.cause, each.amounts) for each in by)[USED])
    return {
        "word": WORDS[asset][0],
        "share": f"{used / whole:.0%}",
        "whole": shown(asset, whole),
        "causes": [(area, words) for area, _, words in causes_of(asset, by)],
        "bar": bar_of(asset, total, by, "the pool"),
    }


def _kind(kind: KindBalance, machines: int, assets: Sequence[str]) -> dict[str, Any]:
    cells = [_kind_cell(asset, kind) for asset in assets]
    return {"name": one_line(kind.name), "machines": f"{machines:,}", "cells": cells}


def _kind_cell(asset: str, kind: KindBalance) -> dict[str, str]:
    word, whole = WORDS[asset][0], amount_of(asset, kind.total)
    if not whole:
        return {"word": word, "told": NONE, "bar": ""}
    causes = ", ".join(words for _, _, words in causes_of(asset, kind.by))
    told = f"of {shown(asset, whole)}: {causes}"
    return {"word": word, "told": told, "bar": bar_of(asset, kind.total, kind.by, kind.name)}


# Groups
# --------------------------------------------------------------------------------------------------


def _groups(look: PoolQuotaReport) -> dict[str, Any]:
    unit = unit_of(look)
    boxes = _boxes(look)
    promised = sum(each.subtree_quota for each in look.standings if each.group.parent == ROOT)
    name = f"Quota and usage of {len(look.standings) - 1:,} groups, in {unit}"
    return {
        "grouped": look.grouped,
        "unit": unit,
        "tree": treemap(name, boxes),
        "drawn": min(_BOXES, len(look.standings) - 1),
        "many": max(0, len(look.standings) - 1 - _BOXES),
        "totals": [short_amount(each) for each in (look.pool_weight, promised, look.used)],
        "groups": list(_largest(look)),
    }


def _boxes(look: PoolQuotaReport) -> list[Box]:
    """Return the tree of groups; the smallest of many are one area of each parent.

    A group's own area is what its subgroups leave of its quota: they lie in it, not beside it.
    """
    quotas = _own_quotas(look)
    sizes = sorted((max(quotas[each.name], each.usage) for each in look.standings), reverse=True)
    least = 0.0
    if len(sizes) > _BOXES:
        least = sizes[_BOXES]
    below: dict[str, list[Box]] = {}
    small: dict[str, list[tuple[float, float]]] = {}
    # What lies in a group comes after it.
    for each in reversed(look.standings):
        if each.name == ROOT:
            continue
        parent, parts = each.group.parent or ROOT, below.pop(each.name, [])
        rest = small.pop(each.name, [])
        if rest:
            parts.append(_rest(rest, each.name))
        own = quotas[each.name]
        if max(own, each.usage) < least and not parts:
            small.setdefault(parent, []).append((own, each.usage))
            continue
        told = (
            f"{one_line(each.name)}: quota {short_amount(each.subtree_quota)}, uses "
            f"{short_amount(each.usage)}, asks for {short_amount(each.requested)}"
        )
        box = Box(one_line(each.name), told, own, each.usage, tuple(parts))
        below.setdefault(parent, []).append(box)
    found = below.get(ROOT, [])
    if small.get(ROOT):
        found.append(_rest(small[ROOT], ""))
    root = look.standings[0]
    left, used = quotas[ROOT], root.usage
    if left > 0 or used > 0:
        told = f"no group: {short_amount(left)} in no quota, uses {short_amount(used)}"
        found.append(Box("no group", told, left, used, nobody=True))
    return found


def _own_quotas(look: PoolQuotaReport) -> dict[str, float]:
    """Return what of each group's quota its subgroups leave, and of the pool the groups."""
    own = {each.name: each.subtree_quota for each in look.standings}
    own[ROOT] = look.pool_weight
    for each in look.standings:
        if each.group.parent is not None:
            own[each.group.parent] -= each.subtree_quota
    return {name: max(0.0, left) for name, left in own.items()}


def _rest(amounts: Sequence[tuple[float, float]], parent: str) -> Box:
    quota, usage = sum(each[0] for each in amounts), sum(each[1] for each in amounts)
    name = f"{len(amounts):,} small groups"
    where = ""
    if parent:
        where = f" below {one_line(parent)}"
    told = f"{name}{where}: quota {short_amount(quota)}, uses {short_amount(usage)}"
    return Box(name, told, quota, usage)


def _largest(look: PoolQuotaReport, most: int = 12) -> Iterator[tuple[str, str, str, str]]:
    """Yield the groups with most usage or quota, for those who do not see the picture."""
    groups = [each for each in look.standings if each.name != ROOT]
    groups.sort(key=lambda each: -max(each.subtree_quota, each.subtree_usage))
    for each in groups[:most]:
        share = NONE
        if each.subtree_quota > 0:
            share = f"{each.subtree_usage / each.subtree_quota:.0%}"
        numbers = (short_amount(each.subtree_quota), short_amount(each.subtree_usage), share)
        yield one_line(each.name), *numbers


def _weights(shares: Sequence[Share]) -> Iterator[dict[str, str]]:
    for number, each in enumerate(shares, 1):
        text = printable(each.expression) or "(none: counts as 1)"
        name = weight_name(number, text)
        slots = f"{each.slots:,} slots"
        if each.slots == 1:
            slots = "1 slot"
        yield {"name": name, "text": text, "share": f"{each.share:.1%}", "slots": slots}


# History, findings, freshness
# --------------------------------------------------------------------------------------------------


def _story(seen: Seen) -> dict[str, Any] | None:
    story = seen.story
    if story is None:
        return None
    stack = stack_of([each for each in story.windows if each.group != ROOT] or story.windows)
    if stack is None:
        return None
    name = f"Usage of {len(stack.bands)} groups from {moment(stack.since, seen.zone)} on"
    return {
        "since": moment(stack.since, seen.zone),
        "until": moment(stack.until, seen.zone),
        "zone": zone_name(stack.until, seen.zone),
        "unit": one_line(story.unit),
        "picture": drawn(name, stack, seen.zone),
        "scale": scale_words(stack),
        "bands": list(_bands(stack, story)),
        "data": data_of(stack),
    }


def _bands(stack: Stack, story: DriftExplanation) -> Iterator[dict[str, str]]:
    for number, band in enumerate(stack.bands):
        usage = [each for each in band.usage if each is not None]
        quota = [each for each in band.quota if each is not None]
        mean, most, last = 0.0, 0.0, 0.0
        if usage:
            mean, most, last = sum(usage) / len(usage), max(usage), usage[-1]
        limit = NONE
        if quota:
            limit = short_amount(quota[-1])
        yield {
            "number": str(number),
            "name": band.name,
            "mean": short_amount(mean),
            "most": short_amount(most),
            "last": short_amount(last),
            "quota": limit,
        }


def _finding(finding: Finding) -> dict[str, Any]:
    fixes = []
    for place, settings in by_place(finding.settings).items():
        lines = "\n".join(printable(each.line) for each in settings)
        fixes.append({"place": one_line(place_text(*place)), "text": lines})
    return {
        "rule": finding.rule,
        "severity": finding.severity.word,
        "subject": one_line(finding.subject),
        "message": printable(finding.message),
        "count": f"{finding.count:,}",
        "fixes": fixes,
        "advice": printable(finding.advice).rstrip(),
    }


def _fresh(each: Freshness, seen: Seen) -> dict[str, str]:
    return {
        "part": each.part,
        "taken": one_line(each.taken),
        "command": one_line(each.command),
        "lacks": one_line(each.lacks),
    }
