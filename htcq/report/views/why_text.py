"""Verdicts on jobs as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from htcq.expected.unmet import MISSING, STARTS, Unmet
from htcq.pool.pool import Pool
from htcq.poolquota.negotiator_health import long_wait, wait_text
from htcq.report.printable import one_line
from htcq.report.terminal import Line, show_lines
from htcq.simulate.unmodelled import unmodelled
from htcq.units import counted, show_span
from htcq.why.agreement import NegotiatorReason, negotiator_reason
from htcq.why.course import Obstacle, Starts, StartsAt
from htcq.why.local_universe import MAY_BE
from htcq.why.match_failure import NEGOTIATOR_ABSENT, NOT_IDLE, UNMATCHED_UNIVERSE
from htcq.why.verdict import Verdict

_NONE: Mapping[tuple[str, str], Obstacle] = {}
_HOW = {
    "match": "the next cycle matches it",
    "leftover": (
        "the schedd starts it in what is left of a slot that the next cycle matches with another "
        "job"
    ),
}
#: Where cycles matched jobs, or are to match them, and none starts.
_NO_START = (MISSING, STARTS)
_THEN = {"match": "a match", "leftover": "in what is left of a slot matched with another job"}


def show_verdicts(
    verdicts: Sequence[Verdict],
    pool: Pool,
    stream: TextIO,
    unmet: Sequence[Unmet] = (),
    starts: Starts | None = None,
    last: Mapping[tuple[str, str], Obstacle] = _NONE,
) -> None:
    """Write each verdict with all reasons, and what should have happened to its jobs and did not.

    ``starts`` are those of a course, None where none was asked for; ``last`` are the last obstacles
    in it.
    """
    for verdict in verdicts:
        below = [*_below(verdict, pool, starts, last), *_unmet(verdict, unmet)]
        head = Line(((one_line(_head(verdict, pool, unmet, starts)), "strong"),))
        show_lines([head, *map(line, below)], stream)
    show_long_wait(verdicts, pool, stream)
    show_unmodelled(pool, starts, stream)


def show_sentences(sentences: Iterable[str], stream: TextIO) -> None:
    """Write sentences on a group, one a line."""
    show_lines([Line(((one_line(each), ""),)) for each in sentences], stream)


def show_long_wait(verdicts: Iterable[Verdict], pool: Pool, stream: TextIO) -> None:
    """Write that the cycle which starts jobs is far away, where nobody means that."""
    wait = long_wait(pool)
    if wait is not None and any(verdict.starts for verdict in verdicts):
        show_lines([Line(((wait_text(*wait), "warning"),))], stream)


def show_unmodelled(
    pool: Pool, starts: Starts | None, stream: TextIO, most: int | None = None
) -> None:
    """Write what changes matching and is not looked at; ``most`` sentences of it, if not all."""
    found = [f"not modelled: {each}" for each in unmodelled(pool, courses=starts is not None)]
    if most is not None and len(found) > most:
        found[most:] = [f"not modelled: {len(found) - most} more; --wide prints all"]
    for sentence in found:
        show_lines([Line(((one_line(sentence), "warning"),))], stream)


def _head(verdict: Verdict, pool: Pool, unmet: Sequence[Unmet], starts: Starts | None) -> str:
    head = f"job {verdict.jobs[0].id} of {verdict.submitter}"
    if verdict.access_point:
        head += f" at {verdict.access_point}"
    alike = len(verdict.jobs) - 1
    if alike:
        head += f" and {counted(alike, 'job')} like it"
    if verdict.starts:
        return f"{head}: {_starting(verdict, pool, unmet)}"
    return f"{head}: {_waiting(verdict, starts)}"


def did_not_start(verdict: Verdict, unmet: Iterable[Unmet]) -> bool:
    """Return whether the simulated cycle starts jobs that did not start when they should have."""
    return verdict.starts and any(
        each.id in _NO_START and _concerns(each, verdict) for each in unmet
    )


def _starting(verdict: Verdict, pool: Pool, unmet: Iterable[Unmet]) -> str:
    """Return how jobs start in the simulated cycle, after what was seen of them and is not that."""
    if did_not_start(verdict, unmet):
        return "did not start, though the simulated cycle starts it"
    how = _HOW[verdict.starts_by]
    if any(each.latest for each in _given(verdict, pool)):
        return f"did not start with the last cycle; {how}"
    return f"starts: {how}"


def _waiting(verdict: Verdict, starts: Starts | None) -> str:
    if verdict.would_start_by:
        return f"waits for a negotiator; its first cycle starts it: {_THEN[verdict.would_start_by]}"
    first = verdict.walls[0] if verdict.walls else None
    if first is not None and first.id == NOT_IDLE:
        return first.text.removeprefix("it ")
    if first is not None and first.id == UNMATCHED_UNIVERSE:
        return "waits for its schedd, which starts it without a negotiator"
    if verdict.fits_nowhere and first is not None and "universe" in first.amounts:
        verb = "may" if MAY_BE in first.amounts else "does"
        schedd = f"the schedd {verdict.access_point}"
        return f"does not start: {schedd} {verb} not meet its Requirements"
    if verdict.fits_nowhere:
        return "does not start: no slot of the pool suits it"
    if starts is not None:
        absent = any(each.id == NEGOTIATOR_ABSENT for each in verdict.walls)
        once = "once a negotiator runs: " if absent else ""
        return f"{once}{_when(verdict, starts)}"
    return "does not start in the next cycle"


def _below(
    verdict: Verdict,
    pool: Pool,
    starts: Starts | None,
    last: Mapping[tuple[str, str], Obstacle],
) -> Iterator[str]:
    if verdict.walls and verdict.walls[0].id == NOT_IDLE:
        # The first line says all of it.
        return
    for wall in verdict.walls:
        yield f"  {wall.id}: {wall.text}"
        yield f"    resolved by: {wall.lifted_by}"
    if verdict.equals:
        yield (
            f"  one of {verdict.equals} equals: the snapshot does not have the collector's order, "
            "which decides between these submitters (--order sets it)"
        )
    if verdict.rejection:
        yield f"  the simulated negotiator says: {verdict.rejection}"
    yield from _reasons(verdict, pool)
    yield from _last_obstacle(verdict, starts, last)


def _unmet(verdict: Verdict, unmet: Sequence[Unmet]) -> Iterator[str]:
    """Yield what should have happened to the jobs of a verdict, whatever the cycle is to do."""
    for each in unmet:
        if _concerns(each, verdict):
            yield f"  {each.id}: {each.text}"
            yield f"    resolved by: {each.cure}"


def _concerns(each: Unmet, verdict: Verdict) -> bool:
    return any(each.concerns(verdict.access_point, job.id) for job in verdict.jobs)


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
    given = {(each.negotiator, each.latest, each.reason) for each in _given(verdict, pool)}
    for negotiator, latest, reason in sorted(given):
        who = "the negotiator"
        if negotiator:
            who += f" {negotiator}"
        cycle = "in an earlier cycle"
        if latest:
            cycle = "in its last cycle"
        yield f"  {who} said {cycle}: {reason}"


def _given(verdict: Verdict, pool: Pool) -> Iterator[NegotiatorReason]:
    for job in verdict.jobs:
        reason = negotiator_reason(pool, job)
        if reason is not None:
            yield reason


def line(text: str) -> Line:
    """Return a line that keeps its indent."""
    inner = text.lstrip(" ")
    indent = " " * (len(text) - len(inner))
    return Line(((f"{indent}{one_line(inner)}", ""),))


def started_of(verdict: Verdict, starts: Starts) -> list[StartsAt]:
    """Return the starts of those jobs that start in the course."""
    return [starts[key] for key in _keys(verdict) if key in starts]


def _keys(verdict: Verdict) -> Iterator[tuple[str, str]]:
    return ((verdict.access_point, job.id) for job in verdict.jobs)


def _when(verdict: Verdict, starts: Starts) -> str:
    """Return when jobs start in a course, which takes a missing negotiator for running."""
    started = started_of(verdict, starts)
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
