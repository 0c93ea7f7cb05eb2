"""Verdicts on all idle jobs: their sum by first reason, and a row for those that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from htcq.expected.unmet import Unmet
from htcq.pool.pool import Pool
from htcq.report.column import NONE, Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, show_lines
from htcq.report.views.held import held_lines
from htcq.report.views.unmet import unmet_lines
from htcq.report.views.why_text import (
    did_not_start,
    line,
    show_long_wait,
    show_unmodelled,
    started_of,
)
from htcq.units import counted, shortened, show_number
from htcq.why.course import Starts
from htcq.why.held import HeldJobs
from htcq.why.match_failure import WALLS
from htcq.why.sums import STARTS, ReasonSum, once_a_negotiator_works, sums_of
from htcq.why.verdict import Verdict

#: Most rows of alike jobs, letters of their reasons, rows of first reasons and sentences on what is
#: not modelled, where not all are asked for: all of it stays below 100 lines.
_MAX_ROWS, _MAX_LETTERS, _MAX_SUMS, _MAX_SENTENCES = 30, 160, 20, 5


def _reasons(verdict: Verdict) -> str:
    return one_line("; ".join(f"{wall.id}: {wall.text}" for wall in verdict.walls))


def _first_reason(verdict: Verdict) -> str:
    """Return the first reason in short, and how many more there are."""
    if not verdict.walls:
        return ""
    first, more = verdict.walls[0], len(verdict.walls) - 1
    text = shortened(one_line(f"{first.id}: {first.text}"), _MAX_LETTERS)
    return f"{text} (+{more})" if more else text


_JOBS: tuple[Column[Verdict], ...] = (
    Column("", lambda verdict: str(len(verdict.jobs)), "JOBS", right=True),
    Column("", lambda verdict: verdict.jobs[0].id, "FIRST JOB"),
    Column("", lambda verdict: verdict.submitter, "SUBMITTER", most=20),
    Column("", lambda verdict: verdict.access_point or NONE, "ACCESS POINT", wide=True),
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
    unmet: Sequence[Unmet] = (),
    starts: Starts | None = None,
    wide: bool = False,
    held: HeldJobs | None = None,
) -> None:
    """Write the sum by first reason, then rows for jobs that are alike, then what resolves reasons.

    Of many rows those with most jobs are written, unless ``wide`` asks for all.

    ``unmet`` is what should have happened and did not. ``starts`` are those of a course, None
    where none was asked for. ``held`` are the jobs on hold. ``wide`` asks for all columns on a
    terminal too.
    """
    title = pool.source
    if pool.taken_at:
        title = f"{pool.source}, taken {pool.taken_at}"
    sums = sums_of(verdicts, pool)
    shown = sums if wide else sums[:_MAX_SUMS]
    if not verdicts:
        show_lines([line(f"{one_line(title)}: no idle jobs"), *map(line, held_lines(held))], stream)
        show_lines(unmet_lines(unmet, wide), stream)
        return
    show(Table(_SUMS, shown, one_line(title), repeat=0), stream, wide)
    if len(shown) < len(sums):
        more = counted(len(sums) - len(shown), "more reason")
        show_lines([line(f"{more}: --wide prints all")], stream)
    show_lines([Line(((_started_and_waiting(verdicts, unmet), "strong"),))], stream)
    show_lines(map(line, once_a_negotiator_works(verdicts)), stream)
    show_lines([*map(line, held_lines(held)), Line()], stream)
    _show_alike(verdicts, unmet, stream, starts, wide)
    for each in shown:
        if each.reason != STARTS:
            wall, cure = WALLS[each.reason], each.first.walls[0].lifted_by.rstrip(".")
            show_lines([line(f"{each.reason}: {wall.text} Resolved by: {cure}.")], stream)
    show_lines(unmet_lines(unmet, wide), stream)
    show_long_wait(verdicts, pool, stream)
    show_unmodelled(pool, starts, stream, None if wide else _MAX_SENTENCES)


def _show_alike(
    verdicts: Sequence[Verdict],
    unmet: Sequence[Unmet],
    stream: TextIO,
    starts: Starts | None,
    wide: bool,
) -> None:
    columns = [*_JOBS, _starts_column(unmet)]
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


def _starts_column(unmet: Sequence[Unmet]) -> Column[Verdict]:
    """Return the column of how jobs start, those apart that should have started before."""

    def starts(verdict: Verdict) -> str:
        if did_not_start(verdict, unmet):
            return "did not"
        return verdict.starts_by or "no"

    return Column("", starts, "STARTS")


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


def _started_and_waiting(verdicts: Sequence[Verdict], unmet: Sequence[Unmet]) -> str:
    """Return how many jobs start with the next cycle, did not start before, and wait."""
    started = waiting = late = 0
    for verdict in verdicts:
        if did_not_start(verdict, unmet):
            late += len(verdict.jobs)
        elif verdict.starts:
            started += len(verdict.jobs)
        else:
            waiting += len(verdict.jobs)
    start = "jobs start"
    if started == 1:
        start = "job starts"
    wait = "wait"
    if waiting == 1:
        wait = "waits"
    text = f"{started} {start} with the next cycle, {waiting} {wait}"
    if late:
        which = "it" if late == 1 else "them"
        text += f", {late} did not start though the simulated cycle starts {which}"
    return text
