"""The groups of a pool over time as one HTML page, which needs no network and no JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from htcq.drift.explanation import DriftExplanation
from htcq.drift.windows import Window
from htcq.report.charts.plot import plot, scale
from htcq.report.formats.html import Link, page
from htcq.report.moments import iso, moment, zone_name
from htcq.report.pages.ledger import ledger_section
from htcq.report.printable import one_line
from htcq.report.views.drift import NUMBERS, numbers
from htcq.report.views.drift_sentences import about, percent, subject
from htcq.report.views.drift_text import Entry, happened, standing

#: The maximum of groups of a pool that are drawn: those with most trouble.
MAX_PLOTS = 50
#: The names of a table's cells beside the group, in the order of the numbers of a window.
COLUMNS = tuple(column.title for column in NUMBERS)
#: The orders of groups: the word, and the key in their rows.
ORDERS = (
    ("most trouble", "trouble"),
    ("name", "name"),
    ("usage", "usage"),
    ("quota", "quota"),
    ("off by", "distance"),
    ("starved", "starved"),
    ("over", "over"),
    ("lending", "lending"),
)


def drift_page(
    stories: Sequence[DriftExplanation], zone: tzinfo | None = None, links: Sequence[Link] = ()
) -> str:
    """Return the page of several pools; times are in ``zone``, that of this machine if it is None.

    ``links`` lead to the other pages of its site.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    names = [one_line(story.pool) for story in stories]
    title = f"{len(names)} pools"
    if len(names) == 1:
        (title,) = names
    values: dict[str, Any] = {
        "title": title,
        "links": links,
        "pools": [_pool(f"p{number}", story, zone) for number, story in enumerate(stories, 1)],
        "columns": COLUMNS,
        "orders": ORDERS,
        "max_plots": MAX_PLOTS,
    }
    return page("drift", values)


def _pool(id_: str, story: DriftExplanation, zone: tzinfo | None) -> dict[str, Any]:
    drawn = {}
    for number, window in enumerate(story.windows[:MAX_PLOTS], 1):
        drawn[window.group] = f"{id_}-g{number}"
    last = None
    if story.last is not None:
        last = _time(story.last, zone)
    return {
        "id": id_,
        "name": one_line(story.pool),
        "unit": one_line(story.unit),
        "since": _time(story.since, zone),
        "until": _time(story.until, zone),
        "zone": zone_name(story.until, zone),
        "last": last,
        "coverage": percent(story.coverage),
        "standing": [_entry(each, drawn, zone) for each in standing(story)],
        "changes": [_entry(each, drawn, zone) for each in happened(story, zone)],
        "doubts": [one_line(doubt.text) for doubt in story.doubts],
        "groups": [_group(window, drawn) for window in story.windows],
        "plots": list(_plots(story, drawn, zone)),
        "ledger": ledger_section(story),
        "more": max(0, len(story.windows) - MAX_PLOTS),
    }


def _time(seconds: float, zone: tzinfo | None) -> tuple[str, str]:
    return iso(seconds), moment(seconds, zone)


def _entry(entry: Entry, drawn: Mapping[str, str], zone: tzinfo | None) -> dict[str, Any]:
    plain = {one_line(group): id_ for group, id_ in drawn.items()}
    return {
        "when": _time(entry.when, zone),
        "subject": entry.subject,
        "text": entry.text,
        "link": plain.get(entry.subject, ""),
    }


def _group(window: Window, drawn: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": one_line(window.group),
        "link": drawn.get(window.group, ""),
        "cells": list(zip(COLUMNS, numbers(window))),
        "keys": _keys(window),
    }


def _keys(window: Window) -> dict[str, str]:
    """Return what the page can sort by."""
    found = {"name": one_line(window.group)}
    for _, key in ORDERS:
        if key != "name":
            value: float | None = getattr(window, key)
            # Where there is no value, the group comes last.
            found[key] = "-1" if value is None else f"{value:.6g}"
    return found


def _moments(story: DriftExplanation) -> dict[str, list[float]]:
    """Return by group when it changed, and when a disagreement began or ended."""
    found: dict[str, list[float]] = {}
    for change in story.changes:
        found.setdefault(subject(change), []).append(change.time)
    for spell in story.spells:
        own = found.setdefault(one_line(spell.difference.group), [])
        for moment_ in (spell.since, spell.until):
            if moment_ is not None and moment_ > story.first:
                own.append(moment_)
    return found


def _states(window: Window) -> str:
    """Return for which shares of the time a group was in a state; empty if it was in none."""
    shares = {"starved": window.starved, "over": window.over, "lending": window.lending}
    states = [f"{state} {percent(share)}" for state, share in shares.items() if share > 0]
    if not states:
        return ""
    return f"; {', '.join(states)} of the time"


def _plots(
    story: DriftExplanation, drawn: Mapping[str, str], zone: tzinfo | None
) -> Iterator[dict[str, Any]]:
    moments = _moments(story)
    for window in story.windows[:MAX_PLOTS]:
        name = one_line(window.group)
        usage, most, quota = map(about, (window.usage, window.max_usage, window.quota))
        told = f"mean usage {usage}, max {most}, quota {quota}"
        within = [each for each in moments.get(name, ()) if story.since < each <= story.until]
        marks = sorted(set(within))
        yield {
            "id": drawn[window.group],
            "name": name,
            "told": f"{told}{_states(window)}",
            "scale": [about(each) for each in scale(window)],
            "picture": plot(f"{name}: {told}", window, marks, zone),
            "keys": _keys(window),
        }
