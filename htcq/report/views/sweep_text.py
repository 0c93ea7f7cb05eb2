"""A sweep for people at a terminal: a row for each item with its options and its summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from htcq.report.column import Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.sweep import (
    NAME,
    NUMBERS,
    POOL,
    TEXTS,
    TIMES,
    WRONG,
    ItemRow,
    item_row,
    option_column,
)
from htcq.settings.sweep_items import Sweep
from htcq.simulate.sweep import Run
from htcq.units import counted


def show_sweep(
    source: str, sweep: Sweep, runs: Iterable[Run], stream: TextIO, wide: bool = False
) -> None:
    """Write what came of all items; ``wide`` asks for all columns on a terminal too."""
    rows = [item_row(run) for run in runs]
    own = [option_column(name) for name in sweep.varying]
    if any(item.named for item in sweep.items):
        own.insert(0, NAME)
    title = one_line(f"{source}: a sweep of {counted(len(rows), 'item')}")
    units = {POOL: _unit(rows).upper()}
    columns = [*own, *_result_columns(rows)]
    show(Table(columns, rows, title, repeat=len(own), units=units), stream, wide)
    show_lines(_below(rows), stream)


def _unit(rows: Sequence[ItemRow]) -> str:
    for row in rows:
        if row.summary is not None:
            return row.summary.unit
    return ""


def _result_columns(rows: Sequence[ItemRow]) -> list[Column[ItemRow]]:
    """Return the columns that any item has something for."""
    columns = [*NUMBERS]
    summaries = [row.summary for row in rows if row.summary is not None]
    if any(found.several for found in summaries):
        columns += TIMES
    columns += TEXTS
    if any(row.wrong for row in rows):
        columns.append(WRONG)
    return columns


def _below(rows: Sequence[ItemRow]) -> Iterator[Line]:
    """Yield how many items failed or crash the negotiator, and each warning once."""
    failed = sum(row.summary is None for row in rows)
    crashes = sum(row.summary is not None and bool(row.summary.crash) for row in rows)
    yield Line()
    if failed:
        text = f"{counted(failed, 'item')} failed, {len(rows) - failed} have a result"
        yield Line(((text, "error"),))
    if crashes:
        yield Line(((f"in {counted(crashes, 'item')} the negotiator would end", "error"),))
    if not failed and not crashes:
        yield Line((("every item has a result", "strong"),))
    for warning, count in _warnings(rows).items():
        yield line(f"{counted(count, 'item')}: {warning}", "warning")


def _warnings(rows: Sequence[ItemRow]) -> dict[str, int]:
    """Return each warning with the number of items that gave it."""
    found: dict[str, int] = {}
    for row in rows:
        for warning in dict.fromkeys(row.run.verdict.warnings):
            found[warning] = found.get(warning, 0) + 1
    return found
