"""Verdicts on jobs as sentences, and as a table of all that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.report.column import NONE, Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, show_lines
from htcq.simulate.unmodelled import unmodelled
from htcq.units import counted, show_span
from htcq.why.agreement import negotiator_reason
from htcq.why.course import Obstacle, Starts, StartsAt
from htcq.why.match_failure import WALLS
from htcq.why.verdict import Verdict

_NONE: Mapping[tuple[str, str], Obstacle] = {}
_HOW = {
    "match": "the next cycle matches it",
    "leftover": (
        "the schedd starts it in what is left of a slot that the next cycle matches with another "
        "job"
    ),
}
_THEN = {"match": "a match", "leftover": "in what is left of a slot matched with another job"}


# Sentences
# --------------------------------------------------------------------------------------------------


def show_verdicts(
    verdicts: Sequence[Verdict],
    pool: Pool,
    stream: TextIO,
    starts: Starts | None = None,
    last: Mapping[tuple[str, str], Obstacle] = _NONE,
) -> None:
    """Write each verdict with all reasons.

    ``starts`` are those of a course, None where none was asked for; ``last`` are the last obstacles
    in it.
    """
    for verdict in verdicts:
        below = map(_line, _below(verdict, pool, starts, last))
        show_lines([Line(((one_line(_head(verdict, starts)), "strong"),)), *below], stream)
    _show_unmodelled(pool, starts, stream)


def _show_unmodelled(pool: Pool, starts: Starts | None, stream: TextIO) -> None:
    """Write what changes matching and is not looked at."""
    for sentence in unmodelled(pool, courses=starts is not None):
        show_lines([Line(((one_line(f"not modelled: {sentence}"), "warning"),))], stream)


def _head(verdict: Verdict, starts: Starts | None) -> str:
    head = f"job {verdict.jobs[0].id} of {verdict.submitter}"
    if verdict.access_point:
        head += f" at {verdict.access_point}"
    alike = len(verdict.jobs) - 1
    if alike:
        head += f" and {counted(alike, 'job')} like it"
    return f"{head}: {_verdict(verdict, starts)}"


def _verdict(verdict: Verdict, starts: Starts | None) -> str:
    if verdict.starts:
        return f"starts: {_HOW[verdict.starts_by]}"
    if verdict.would_start_by:
        return f"waits for a negotiator; its first cycle starts it: {_THEN[verdict.would_start_by]}"
    if starts is not None:
        return _when(verdict, starts)
    return "does not start in the next cycle"


def _below(
    verdict: Verdict,
    pool: Pool,
    starts: Starts | None,
    last: Mapping[tuple[str, str], Obstacle],
) -> Iterator[str]:
    for wall in verdict.walls:
        yield f"  {wall.id}: {wall.text}"
        yield f"    resolved by: {wall.lifted_by}"
    if verdict.rejection:
        yield f"  the simulated negotiator says: {verdict.rejection}"
    yield from _reasons(verdict, pool)
    yield from _last_obstacle(verdict, starts, last)


def _last_obstacle(
    verdict: Verdict, starts: Starts | None, last: Mapping[tuple[str, str], Obstacle]
) -> Iterator[str]:
    """Yield what keeps the jobs longest in the course, if that is not what keeps them now."""
    found = [last[key] for key in _keys(verdict) if key in last]
    if starts is None or not found:
        return
    latest = max(found, key=lambda each: each.cycle)
    known = {(wall.id, wall.text) for wall in verdict.walls}
    if (latest.wall.id, latest.wall.text) not in known:
        yield f"  the last obstacle, in cycle {latest.cycle}: {latest.wall.id}: {latest.wall.text}"
        yield f"    resolved by: {latest.wall.lifted_by}"


def _reasons(verdict: Verdict, pool: Pool) -> Iterator[str]:
    """Yield HTCondor's own last reasons for jobs that are alike.

    The negotiator notes it in one of them.
    """
    found = (negotiator_reason(pool, job) for job in verdict.jobs)
    given = {(each.negotiator, each.latest, each.reason) for each in found if each is not None}
    for negotiator, latest, reason in sorted(given):
        who = "the negotiator"
        if negotiator:
            who += f" {negotiator}"
        cycle = "in an earlier cycle"
        if latest:
            cycle = "in its last cycle"
        yield f"  {who} said {cycle}: {reason}"


def _line(text: str) -> Line:
    """Return a line that keeps its indent."""
    inner = text.lstrip(" ")
    indent = " " * (len(text) - len(inner))
    return Line(((f"{indent}{one_line(inner)}", ""),))


def _started(verdict: Verdict, starts: Starts) -> list[StartsAt]:
    """Return the starts of those jobs that start in the course."""
    return [starts[key] for key in _keys(verdict) if key in starts]


def _keys(verdict: Verdict) -> Iterator[tuple[str, str]]:
    return ((verdict.access_point, job.id) for job in verdict.jobs)


def _when(verdict: Verdict, starts: Starts) -> str:
    started = _started(verdict, starts)
    if not started:
        return "does not start in these cycles"
    first, last = min(started), max(started)
    when = f"starts with cycle {first.cycle}, in {show_span(first.seconds)} ({first.by})"
    if last.cycle > first.cycle:
        when += f", the last one with cycle {last.cycle}"
    jobs = len(verdict.jobs)
    if len(started) < jobs:
        when += f"; {jobs - len(started)} of {jobs} do not start"
    return when


# Table
# --------------------------------------------------------------------------------------------------


def _reasons_in_short(verdict: Verdict) -> str:
    return one_line("; ".join(f"{wall.id}: {wall.text}" for wall in verdict.walls))


_JOBS: tuple[Column[Verdict], ...] = (
    Column("", lambda verdict: str(len(verdict.jobs)), "JOBS", right=True),
    Column("", lambda verdict: verdict.jobs[0].id, "FIRST JOB"),
    Column("", lambda verdict: verdict.submitter, "SUBMITTER", most=20),
    Column("", lambda verdict: verdict.access_point or NONE, "ACCESS POINT", wide=True),
    Column("", lambda verdict: verdict.starts_by or "no", "STARTS"),
)
_REASONS: Column[Verdict] = Column("", _reasons_in_short, "REASONS", most=24)


def show_table_of(
    verdicts: Sequence[Verdict],
    pool: Pool,
    stream: TextIO,
    starts: Starts | None = None,
    wide: bool = False,
) -> None:
    """Write one row for all jobs that are alike, and below it what each reason is and resolves it.

    ``starts`` are those of a course, None where none was asked for. ``wide`` asks for all columns
    on a terminal too.
    """
    columns = [*_JOBS]
    if starts is not None:
        columns.append(_cycle_column(starts))
    columns.append(_REASONS)
    title = pool.source
    if pool.taken_at:
        title = f"{pool.source}, taken {pool.taken_at}"
    show(Table(columns, verdicts, one_line(title), repeat=0), stream, wide)
    show_lines([Line(), Line(((_sums(verdicts), "strong"),))], stream)
    walls = {wall.id: WALLS[wall.id] for verdict in verdicts for wall in verdict.walls}
    for name, wall in walls.items():
        show_lines([_line(f"{name}: {wall.text} Resolved by: {wall.lifted_by}.")], stream)
    _show_unmodelled(pool, starts, stream)


def _cycle_column(starts: Starts) -> Column[Verdict]:
    """Return the column of the cycles of a course in which jobs that are alike start."""

    def cycles(verdict: Verdict) -> str:
        found = [each.cycle for each in _started(verdict, starts)]
        if not found:
            return NONE
        first, last = min(found), max(found)
        if first == last:
            return str(first)
        return f"{first}-{last}"

    return Column("", cycles, "CYCLE")


def _sums(verdicts: Sequence[Verdict]) -> str:
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
