"""What became of a pool's groups as one HTML page that needs nothing else: no network, and no JavaScript to be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from htcq.drift.explanation import Story
from htcq.drift.windows import Window
from htcq.report.charts.plot import plot, scale
from htcq.report.formats.html import page
from htcq.report.moments import iso, moment, zone_name
from htcq.report.pages.ledger import ledger_section
from htcq.report.printable import one_line
from htcq.report.views.drift import NUMBERS, numbers
from htcq.report.views.drift_sentences import about, percent, subject
from htcq.report.views.drift_text import Entry, happened, standing

#: The maximum of groups of a pool that are drawn: those with most trouble.
MAX_PLOTS = 50
#: What a table's cells are called, beside the group; the order is that of the numbers of a window.
COLUMNS = tuple(column.title for column in NUMBERS)
#: By what groups can be sorted: the word, and the key that their rows carry.
ORDERS = (
    ("most trouble", "trouble"), ("name", "name"), ("usage", "usage"), ("quota", "quota"), ("off by", "distance"),
    ("starved", "starved"), ("over", "over"), ("lending", "lending"),
)  # fmt: skip


def drift_page(stories: Sequence[Story], zone: tzinfo | None = None) -> str:
    """Return the page of several pools; times are of ``zone`` or of this machine's.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    names = [one_line(story.pool) for story in stories]
    values: dict[str, Any] = {
        "title": names[0] if len(names) == 1 else f"{len(names)} pools",
        "pools": [_pool(f"p{number}", story, zone) for number, story in enumerate(stories, 1)],
        "columns": COLUMNS,
        "orders": ORDERS,
        "max_plots": MAX_PLOTS,
    }
    return page("drift", values)


def _pool(id_: str, story: Story, zone: tzinfo | None) -> dict[str, Any]:
    drawn = {
        window.group: f"{id_}-g{number}"
        for number, window in enumerate(story.windows[:MAX_PLOTS], 1)
    }
    return {
        "id": id_,
        "name": one_line(story.pool),
        "unit": one_line(story.unit),
        "since": _time(story.since, zone),
        "until": _time(story.until, zone),
        "zone": zone_name(story.until, zone),
        "last": None if story.last is None else _time(story.last, zone),
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
            value = getattr(window, key)
            found[key] = f"{-1.0 if value is None else value:.6g}"
    return found


def _plots(story: Story, drawn: Mapping[str, str], zone: tzinfo | None) -> Iterator[dict[str, Any]]:
    moments = [(subject(each), each.time) for each in story.changes]
    moments += [
        (one_line(spell.difference.group), each)
        for spell in story.spells
        for each in (spell.since, spell.until)
        if each is not None and each > story.first
    ]
    for window in story.windows[:MAX_PLOTS]:
        name = one_line(window.group)
        told = (
            f"mean usage {about(window.usage)}, max {about(window.max_usage)}, quota "
            f"{about(window.quota)}"
        )
        states = ", ".join(
            f"{state} {percent(getattr(window, state))}"
            for state in ("starved", "over", "lending")
            if getattr(window, state) > 0
        )
        marks = sorted(
            {each for who, each in moments if who == name and story.since < each <= story.until}
        )
        yield {
            "id": drawn[window.group],
            "name": name,
            "told": f"{told}; {states} of the time" if states else told,
            "scale": [about(each) for each in scale(window)],
            "picture": plot(f"{name}: {told}", window, marks, zone),
            "keys": _keys(window),
        }
