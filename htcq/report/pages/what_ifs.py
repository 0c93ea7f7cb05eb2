"""What-ifs as a page: a row for each simulation that 'htcq simulate' left as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from htcq.pool.pool import Pool
from htcq.report.moments import as_people_write, lasting
from htcq.report.pages.listing import Cell, listing_page, section, table
from htcq.report.pages.site_pages import WHAT_IFS
from htcq.report.printable import one_line
from htcq.report.views.overview import short_amount
from htcq.report.views.sweep_summary import Summary, summary

_HEADS = (
    ("simulation", False),
    ("changes", False),
    ("pool as of", False),
    ("matches", True),
    ("used", True),
    ("jobs waiting", True),
    ("mean wait", True),
    ("full after", True),
    ("usage of groups", False),
    ("what is wrong", False),
)
#: The number of groups that a row names.
_MOST = 6
#: A difference that is smaller is none.
_DUST = 0.05


@dataclass(frozen=True)
class WhatIf:
    """One simulation: its name, what it changes, and what came of it with and without that.

    ``taken`` is when the pool was captured that was simulated; empty where that is not known.
    """

    name: str
    changes: str
    after: Summary | None
    before: Summary | None = None
    wrong: str = ""
    taken: str = ""


def what_ifs_in(name: str, text: str) -> tuple[WhatIf, ...]:
    """Return the simulations in the file ``name``: one, an item of a sweep, or all of a sweep."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return (WhatIf(name, "", None, wrong="this is no JSON"),)
    if not isinstance(found, dict):
        return (WhatIf(name, "", None, wrong="this is no result of 'htcq simulate'"),)
    items = found.get("items")
    if isinstance(items, list):
        return tuple(_item(f"{name} {number}", each) for number, each in enumerate(items, 1))
    if "options" in found and "result" in found:
        return (_item(name, found),)
    return (_simulation(name, _changes_of(found), found, ""),)


def _item(name: str, item: object) -> WhatIf:
    if not isinstance(item, dict):
        return WhatIf(name, "", None, wrong="this is no item of a sweep")
    options = item.get("options")
    changes = []
    if isinstance(options, dict):
        for option, value in options.items():
            changes.append(f"--{option} {_words(value)}".strip())
    own = str(item.get("name") or name)
    result, reason = item.get("result"), str(item.get("reason") or "")
    if not isinstance(result, dict):
        return WhatIf(own, ", ".join(changes), None, wrong=reason or "it has no result")
    return _simulation(own, ", ".join(changes), result, reason)


def _words(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _changes_of(found: Mapping[str, Any]) -> str:
    changes = found.get("changes")
    if not isinstance(changes, list):
        return ""
    knobs = [each for each in changes if isinstance(each, dict)]
    return ", ".join(f"{each.get('knob')} = {each.get('value')}" for each in knobs)


def _simulation(name: str, changes: str, result: Mapping[str, Any], reason: str) -> WhatIf:
    after, before = summary(result), None
    if isinstance(result.get("before"), dict):
        before = summary(result["before"])
    wrong = reason
    if after is None:
        wrong = wrong or "this is no result of 'htcq simulate'"
    elif after.crash:
        wrong = after.crash
    return WhatIf(name, changes, after, before, wrong, _taken(result))


def _taken(result: Mapping[str, Any]) -> str:
    before = result.get("before")
    if isinstance(before, dict):
        result = before
    taken = result.get("taken")
    if isinstance(taken, str):
        return taken
    return ""


def what_ifs_page(found: Sequence[WhatIf], pool: Pool) -> str:
    """Return the page.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    if not found:
        told = [
            "No what-if was given. 'htcq simulate --json' and its sweeps make them; '--what-if' of "
            "'htcq report' shows them here."
        ]
        return listing_page(WHAT_IFS, pool, told, [])
    units = {each.after.unit for each in found if each.after is not None}
    told = []
    if units:
        told.append(f"Usage is in {' or '.join(sorted(map(one_line, units)))}.")
    rows = table("simulations-table", "Simulations", _HEADS, map(_row, found))
    note = "Beside the pool as it is, the usage of a group is before → after."
    return listing_page(
        WHAT_IFS, pool, told, [section("simulations", "Simulations", note, tables=[rows])]
    )


def _row(each: WhatIf) -> list[Cell]:
    after = each.after
    if after is None:
        return [each.name, each.changes, *[""] * 7, each.wrong]
    return [
        each.name,
        each.changes,
        as_people_write(each.taken),
        (f"{after.matches:,}", after.matches),
        (short_amount(after.used), after.used),
        (f"{after.waiting:,}", after.waiting),
        _time(after.mean_wait),
        _time(after.full_at),
        ", ".join(_groups(each, after)),
        each.wrong,
    ]


def _time(seconds: float | None) -> Cell:
    if seconds is None:
        return ""
    return lasting(seconds), seconds


def _groups(each: WhatIf, after: Summary) -> Iterator[str]:
    """Yield the groups that change most; where nothing is known of before, those that use most."""
    before: Mapping[str, float] = {}
    if each.before is not None:
        before = each.before.groups
    changes = {name: abs(used - before.get(name, 0.0)) for name, used in after.groups.items()}
    names = [name for name in after.groups if changes[name] >= _DUST]
    names.sort(key=lambda name: -changes[name])
    for name in names[:_MOST]:
        now = short_amount(after.groups[name])
        if name in before:
            now = f"{short_amount(before[name])} → {now}"
        yield f"{name} {now}"
    if len(names) > _MOST:
        yield f"and {len(names) - _MOST} more"
    if before and not names:
        yield "no group changes"
