"""A sweep for people at a terminal: a row for each item, with what it has of its own and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from htcq.audit.facts import listed
from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines, show_table
from htcq.report.views.sweep_summary import Summary, summary
from htcq.settings.sweep_items import Sweep
from htcq.simulate.sweep import Run, Verdict
from htcq.units import counted, show_number

_NONE, _GIVEN = "-", "yes"


@dataclass(frozen=True)
class _Row:
    """An item without its whole result, which may be large, and that in few numbers."""

    run: Run
    summary: Summary | None

    @property
    def wrong(self) -> str:
        """Why there is no result, or what is wrong with it."""
        if self.summary is not None:
            return self.summary.crash
        return self.run.verdict.reason or "its result cannot be read"


def show_sweep(source: str, sweep: Sweep, runs: Iterable[Run], stream: TextIO) -> None:
    """Write what came of all items."""
    rows = [_row(run) for run in runs]
    named, courses = any(item.named for item in sweep.items), any(_of_course(row) for row in rows)
    unit = next((row.summary.unit for row in rows if row.summary is not None), "")
    heads = [*(["ITEM"] if named else []), *(name.upper() for name in sweep.varying)]
    own = len(heads)
    heads += ["MATCHES", "\n".join(["USED", *unit.upper().split()]), "WAITING\nJOBS"]
    heads += ["FULL\nAFTER", "WAITED,\nMEAN"] if courses else []
    right = range(own, len(heads))
    heads += ["GROUPS", "STARVED", *(["WRONG"] if any(row.wrong for row in rows) else [])]
    cells = [
        [*_own(row.run, sweep, named), *_numbers(row.summary, courses), one_line(row.wrong)]
        for row in rows
    ]
    title = one_line(f"{source}: a sweep of {counted(len(rows), 'item')}")
    show_table(title, heads, [row[: len(heads)] for row in cells], stream, right, repeat=own)
    show_lines(_below(rows), stream)


def _row(run: Run) -> _Row:
    result = run.verdict.result
    found = None if result is None else summary(result)
    verdict = run.verdict
    return _Row(
        replace(run, verdict=Verdict(verdict.exit_status, None, verdict.reason, verdict.warnings)),
        found,
    )


def _of_course(row: _Row) -> bool:
    return row.summary is not None and row.summary.several


def _own(run: Run, sweep: Sweep, named: bool) -> Iterator[str]:
    if named:
        yield run.item.name if run.item.named else _NONE
    values = run.item.values
    for name in sweep.varying:
        yield one_line(", ".join(values[name]) or _GIVEN) if name in values else _NONE


def _numbers(found: Summary | None, courses: bool) -> list[str]:
    if found is None:
        return [_NONE] * (7 if courses else 5)
    times = [_time(found.full_at), _time(found.mean_wait)] if courses else []
    most = sorted(found.groups.items(), key=lambda each: -each[1])
    names = (
        listed(f"{name} {show_number(used)}" for name, used in most if used),
        listed(found.starved),
    )
    counts = (str(found.matches), show_number(found.used), str(found.waiting))
    return [*counts, *times, *(one_line(each) or _NONE for each in names)]


def _time(seconds: float | None) -> str:
    return _NONE if seconds is None else lasting(seconds)


def _below(rows: Sequence[_Row]) -> Iterator[Line]:
    failed = sum(row.summary is None for row in rows)
    ends = sum(row.summary is not None and bool(row.summary.crash) for row in rows)
    yield Line()
    if failed:
        yield Line(
            ((f"{counted(failed, 'item')} failed, {len(rows) - failed} have a result", "error"),)
        )
    if ends:
        yield Line(((f"in {counted(ends, 'item')} the negotiator would end", "error"),))
    if not failed and not ends:
        yield Line((("every item has a result", "strong"),))
    for warning in dict.fromkeys(each for row in rows for each in row.run.verdict.warnings):
        count = sum(warning in row.run.verdict.warnings for row in rows)
        yield line(f"{counted(count, 'item')}: {warning}", "warning")
