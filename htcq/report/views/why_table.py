"""Verdicts on all idle jobs: their sum by first reason, and a row for those that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.report.column import NONE, Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, show_lines
from htcq.report.views.why_text import line, show_unmodelled, started_of
from htcq.units import counted, show_number
from htcq.why.course import Starts
from htcq.why.match_failure import WALLS
from htcq.why.sums import STARTS, ReasonSum, sums_of
from htcq.why.verdict import Verdict

#: Most rows of alike jobs, and letters of their reasons, where not all are asked for.
_MAX_ROWS, _MAX_LETTERS = 30, 160


def _reasons(verdict: Verdict) -> str:
    return one_line("; ".join(f"{wall.id}: {wall.text}" for wall in verdict.walls))


def _first_reason(verdict: Verdict) -> str:
    """Return the first reason in short, and how many more there are."""
    if not verdict.walls:
        return ""
    first, more = verdict.walls[0], len(verdict.walls) - 1
    text = one_line(f"{first.id}: {first.text}")
    if len(text) > _MAX_LETTERS:
        text = f"{text[: _MAX_LETTERS - 3]}..."
    return f"{text} (+{more})" if more else text


_JOBS: tuple[Column[Verdict], ...] = (
    Column("", lambda verdict: str(len(verdict.jobs)), "JOBS", right=True),
    Column("", lambda verdict: verdict.jobs[0].id, "FIRST JOB"),
    Column("", lambda verdict: verdict.submitter, "SUBMITTER", most=20),
    Column("", lambda verdict: verdict.access_point or NONE, "ACCESS POINT", wide=True),
    Column("", lambda verdict: verdict.starts_by or "no", "STARTS"),
)
_ALL_REASONS: Column[Verdict] = Column("", _reasons, "REASONS", most=24)
_FIRST_REASON: Column[Verdict] = Column("", _first_reason, "REASONS", most=24)
_SUMS: tuple[Column[ReasonSum], ...] = (
    Column("", lambda each: str(each.jobs), "JOBS", right=True),
    Column("", lambda each: show_number(each.weight), "WEIGHT", right=True),
    Column("", lambda each: each.reason, "FIRST REASON"),
    Column("", lambda each: str(each.submitters), "SUBMITTERS", right=True),
    Column("", lambda each: each.first.jobs[0].full_id, "SUCH AS"),
)


def show_table_of(
    verdicts: Sequence[Verdict],
    pool: Pool,
    stream: TextIO,
    starts: Starts | None = None,
    wide: bool = False,
) -> None:
    """Write the sum by first reason, then rows for jobs that are alike, then what resolves reasons.

    Of many rows those with most jobs are written, unless ``wide`` asks for all.

    ``starts`` are those of a course, None where none was asked for. ``wide`` asks for all columns
    on a terminal too.
    """
    title = pool.source
    if pool.taken_at:
        title = f"{pool.source}, taken {pool.taken_at}"
    sums = sums_of(verdicts, pool)
    show(Table(_SUMS, sums, one_line(title), repeat=0), stream, wide)
    show_lines([Line(((_started_and_waiting(verdicts), "strong"),)), Line()], stream)
    _show_alike(verdicts, stream, starts, wide)
    for reason in (each.reason for each in sums if each.reason != STARTS):
        wall = WALLS[reason]
        show_lines([line(f"{reason}: {wall.text} Resolved by: {wall.lifted_by}.")], stream)
    show_unmodelled(pool, starts, stream)


def _show_alike(
    verdicts: Sequence[Verdict], stream: TextIO, starts: Starts | None, wide: bool
) -> None:
    columns = [*_JOBS]
    if starts is not None:
        columns.append(_cycle_column(starts))
    columns.append(_ALL_REASONS if wide else _FIRST_REASON)
    rows = verdicts
    if not wide and len(verdicts) > _MAX_ROWS:
        rows = sorted(verdicts, key=lambda each: -len(each.jobs))[:_MAX_ROWS]
    show(Table(columns, rows, repeat=0), stream, wide)
    more = len(verdicts) - len(rows)
    lines = [Line()]
    if more:
        lines = [line(f"{counted(more, 'more row')}: --wide prints all"), Line()]
    show_lines(lines, stream)


def _cycle_column(starts: Starts) -> Column[Verdict]:
    """Return the column of the cycles of a course in which jobs that are alike start."""

    def cycles(verdict: Verdict) -> str:
        found = [each.cycle for each in started_of(verdict, starts)]
        if not found:
            return NONE
        first, last = min(found), max(found)
        if first == last:
            return str(first)
        return f"{first}-{last}"

    return Column("", cycles, "CYCLE")


def _started_and_waiting(verdicts: Sequence[Verdict]) -> str:
    """Return how many jobs start with the next cycle, and how many wait."""
    started = waiting = 0
    for verdict in verdicts:
        if verdict.starts:
            started += len(verdict.jobs)
        else:
            waiting += len(verdict.jobs)
    start = "jobs start"
    if started == 1:
        start = "job starts"
    wait = "wait"
    if waiting == 1:
        wait = "waits"
    return f"{started} {start} with the next cycle, {waiting} {wait}"
