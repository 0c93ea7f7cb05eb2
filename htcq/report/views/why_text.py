"""Verdicts on jobs as sentences, and as a table of all that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.report.printable import one_line
from htcq.report.terminal import Line, show_lines, show_table
from htcq.units import counted, show_number
from htcq.why.agreement import negotiator_reason
from htcq.why.course import Starts, StartsAt
from htcq.why.match_failure import WALLS
from htcq.why.verdict import Verdict

_HOW = {
    "match": "the next cycle matches it",
    "leftover": (
        "the schedd starts it in what is left of a slot that the next cycle matches with another "
        "job"
    ),
}
_NONE = "-"


def show_verdicts(
    verdicts: Sequence[Verdict], pool: Pool, stream: TextIO, starts: Starts | None = None
) -> None:
    """Write each verdict with all reasons; ``starts`` are those of a course, None where none was asked for."""
    for verdict in verdicts:
        alike = len(verdict.jobs) - 1
        others = f" and {counted(alike, 'job')} like it" if alike else ""
        where = f" at {verdict.access_point}" if verdict.access_point else ""
        head = (
            f"job {verdict.jobs[0].id} of {verdict.submitter}{where}{others}: {_verdict(verdict)}"
        )
        show_lines(
            [Line(((one_line(head), "strong"),)), *map(_line, _below(verdict, pool, starts))],
            stream,
        )


def _verdict(verdict: Verdict) -> str:
    if verdict.starts:
        return f"starts: {_HOW[verdict.starts_by]}"
    return "does not start in the next cycle"


def _below(verdict: Verdict, pool: Pool, starts: Starts | None) -> Iterator[str]:
    for wall in verdict.walls:
        yield f"  {wall.id}: {wall.text}"
        yield f"    resolved by: {WALLS[wall.id].lifted_by}"
    if verdict.rejection:
        yield f"  the simulated negotiator says: {verdict.rejection}"
    yield from _reasons(verdict, pool)
    if starts is not None:
        yield f"  in the course: {_when(verdict, starts)}"


def _reasons(verdict: Verdict, pool: Pool) -> Iterator[str]:
    """Yield HTCondor's own last reasons for jobs that are alike; the negotiator notes it in one of them."""
    found = (negotiator_reason(pool, job) for job in verdict.jobs)
    given = {(each.negotiator, each.latest, each.reason) for each in found if each is not None}
    for negotiator, latest, reason in sorted(given):
        who = f"the negotiator {negotiator}" if negotiator else "the negotiator"
        cycle = "in its last cycle" if latest else "in an earlier cycle"
        yield f"  {who} said {cycle}: {reason}"


def _line(text: str) -> Line:
    return Line(((one_line(text) if not text.startswith(" ") else _indented(text), ""),))


def _indented(text: str) -> str:
    inner = text.lstrip(" ")
    return f"{' ' * (len(text) - len(inner))}{one_line(inner)}"


def _when(verdict: Verdict, starts: Starts) -> str:
    found = [starts.get((verdict.access_point, job.id)) for job in verdict.jobs]
    started: list[StartsAt] = [each for each in found if each is not None]
    if not started:
        return "no start in these cycles"
    first, last = min(started), max(started)
    some = (
        ""
        if len(started) == len(found)
        else f"; {len(found) - len(started)} of {len(found)} do not start"
    )
    when = f"starts with cycle {first.cycle}, in {show_number(first.seconds)} s ({first.by})"
    until = f", the last one with cycle {last.cycle}" if last.cycle > first.cycle else ""
    return f"{when}{until}{some}"


def show_table_of(
    verdicts: Sequence[Verdict], pool: Pool, stream: TextIO, starts: Starts | None = None
) -> None:
    """Write one row for all jobs that are alike, and below it what each reason is and what resolves it."""
    heads = [
        "JOBS",
        "FIRST JOB",
        "SUBMITTER",
        "ACCESS POINT",
        "STARTS",
        *(["CYCLE"] if starts is not None else []),
    ]
    rows = [list(_row(verdict, starts)) for verdict in verdicts]
    title = f"{pool.source}, taken {pool.taken_at}" if pool.taken_at else pool.source
    show_table(one_line(title), [*heads, "REASONS"], rows, stream, (0,))
    waiting = [verdict for verdict in verdicts if not verdict.starts]
    started = sum(len(verdict.jobs) for verdict in verdicts) - sum(
        len(verdict.jobs) for verdict in waiting
    )
    idle = sum(len(verdict.jobs) for verdict in waiting)
    starting = "1 job starts" if started == 1 else f"{started} jobs start"
    text = f"{starting} with the next cycle, {idle} {'waits' if idle == 1 else 'wait'}"
    show_lines([Line(), Line(((text, "strong"),))], stream)
    for id_ in dict.fromkeys(wall.id for verdict in verdicts for wall in verdict.walls):
        show_lines(
            [_line(f"{id_}: {WALLS[id_].text} Resolved by: {WALLS[id_].lifted_by}.")], stream
        )


def _row(verdict: Verdict, starts: Starts | None) -> Iterator[str]:
    yield str(len(verdict.jobs))
    for name in (verdict.jobs[0].id, verdict.submitter, verdict.access_point or _NONE):
        yield one_line(name)
    yield verdict.starts_by or "no"
    if starts is not None:
        cycles = [starts[key].cycle for key in _keys(verdict) if key in starts]
        yield (
            _NONE
            if not cycles
            else str(min(cycles))
            if min(cycles) == max(cycles)
            else f"{min(cycles)}-{max(cycles)}"
        )
    yield one_line("; ".join(f"{wall.id}: {wall.text}" for wall in verdict.walls))


def _keys(verdict: Verdict) -> Iterator[tuple[str, str]]:
    for job in verdict.jobs:
        yield verdict.access_point, job.id
