"""A sweep: the columns of an item, and its JSON, item by item since all results may be large.

The names in JSON, which htcq-simulate(1) lists, are a contract.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from htcq.audit.facts import listed
from htcq.report.column import NONE, Column
from htcq.report.moments import lasting
from htcq.report.views.sweep_summary import Summary, summary
from htcq.simulate.sweep import SCHEMA, Ground, Run, record
from htcq.units import show_number

_GIVEN = "yes"
#: The unit of usage, that of the pool.
POOL = "pool"
#: Of every record of an item, what the whole sweep says once.
_COMMON = ("schema", "snapshot", "htcq", "result")


class ItemRow(NamedTuple):
    """An item without its result, which may be large, and the summary of the result."""

    run: Run
    summary: Summary | None

    @property
    def wrong(self) -> str:
        """Why there is no result, or what is wrong with it."""
        if self.summary is not None:
            return self.summary.crash
        return self.run.verdict.reason or "its result cannot be read"


def item_row(run: Run) -> ItemRow:
    """Return an item with the summary of its result."""
    without_result = replace(run, verdict=replace(run.verdict, result=None))
    return ItemRow(without_result, _summary(run))


def _summary(run: Run) -> Summary | None:
    if run.verdict.result is None:
        return None
    return summary(run.verdict.result)


def _of_summary(show: Callable[[Summary], str]) -> Callable[[ItemRow], str]:
    """Return what shows a summary; a dash if there is none."""

    def shown(row: ItemRow) -> str:
        if row.summary is None:
            return NONE
        return show(row.summary)

    return shown


def _number(heading: str, show: Callable[[Summary], str], unit: str = "") -> Column[ItemRow]:
    return Column("", _of_summary(show), heading, unit=unit, right=True)


def _texts(heading: str, show: Callable[[Summary], str]) -> Column[ItemRow]:
    return Column("", _of_summary(lambda found: show(found) or NONE), heading)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return NONE
    return lasting(seconds)


def _groups(found: Summary) -> str:
    """Return the usage of groups, the largest first."""
    using = [(name, used) for name, used in found.groups.items() if used]
    using.sort(key=lambda each: -each[1])
    return listed(f"{name} {show_number(used)}" for name, used in using)


def _name(row: ItemRow) -> str:
    if not row.run.item.named:
        return NONE
    return row.run.item.name


NAME: Column[ItemRow] = Column("", _name, "ITEM")
NUMBERS: tuple[Column[ItemRow], ...] = (
    _number("MATCHES", lambda found: str(found.matches)),
    _number("USED", lambda found: show_number(found.used), POOL),
    _number("WAITING\nJOBS", lambda found: str(found.waiting)),
)
#: The numbers that only several cycles have.
TIMES: tuple[Column[ItemRow], ...] = (
    _number("FULL\nAFTER", lambda found: _time(found.full_at)),
    _number("WAITED,\nMEAN", lambda found: _time(found.mean_wait)),
)
TEXTS: tuple[Column[ItemRow], ...] = (
    replace(_texts("GROUPS", _groups), wide=True),
    replace(_texts("STARVED", lambda found: listed(found.starved)), most=24),
)
WRONG: Column[ItemRow] = Column("", lambda row: row.wrong, "WRONG", most=20)


def option_column(name: str) -> Column[ItemRow]:
    """Return the column of an option in which the items differ."""

    def read(row: ItemRow) -> str:
        values = row.run.item.values
        if name not in values:
            return NONE
        return ", ".join(values[name]) or _GIVEN

    return Column("", read, name.upper(), most=20)


def sweep_json(file: str, source: str, runs: Iterable[Run], ground: Ground) -> Iterator[str]:
    """Yield the text of one object, item by item."""
    top = {
        "schema": SCHEMA,
        "sweep": file,
        "source": source,
        "snapshot": ground.snapshot,
        "htcq": ground.htcq,
    }
    yield json.dumps(top, indent=2)[:-2] + ',\n  "items": ['
    separator = "\n"
    for run in runs:
        yield separator + _indented(json.dumps(_item(run, ground), indent=2))
        separator = ",\n"
    yield "\n  ]\n}\n"


def _item(run: Run, ground: Ground) -> dict[str, Any]:
    kept = record(run, ground, ground.key(run.item))
    own = {name: value for name, value in kept.items() if name not in _COMMON}
    found = _summary(run)
    return {**own, "summary": found and asdict(found), "result": kept["result"]}


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
