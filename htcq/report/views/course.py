"""Several simulated cycles: the columns of a cycle and of a submitter's waiting times; JSON.

The names in JSON, which htcq-simulate(1) lists, are a contract.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments, health_json
from htcq.report.column import NONE, Column
from htcq.report.formats.json import finite
from htcq.report.moments import lasting
from htcq.simulate.as_version import VersionChange
from htcq.simulate.course.course import Course, Plan, Sample
from htcq.simulate.course.difference import compare_courses
from htcq.simulate.course.wait_stats import Wait, waits

SCHEMA = 1


class WaitChange(NamedTuple):
    """How long the jobs of one submitter waited before and after a change."""

    before: Wait
    after: Wait


def _count(heading: str, read: Callable[[Sample], int]) -> Column[Sample]:
    """Return the column of a count; a terminal shows it without separators."""
    return Column("", read, heading, lambda sample: str(read(sample)), right=True)


TIME: Column[Sample] = Column(
    "", lambda sample: float(sample.at), "TIME", lambda sample: lasting(sample.at), right=True
)
#: The same in a page, which has no right-aligned first column.
AFTER: Column[Sample] = Column("", TIME.read, "AFTER", TIME.show)
MATCHES = _count("MATCHES", lambda sample: sample.matches)
REJECTIONS = _count("REJECTIONS", lambda sample: sample.rejections)
STARTED = _count("STARTED", lambda sample: sample.started)
REUSED = _count("IN REUSED\nCLAIMS", lambda sample: sample.reused)
RUNNING = _count("RUNNING", lambda sample: sample.running)
IDLE = _count("IDLE", lambda sample: sample.idle)
CPUS: Column[Sample] = Column("", lambda sample: sample.cpus, "CPUS\nIN CLAIMS", right=True)
LARGEST: tuple[Column[Sample], ...] = (
    Column("", lambda sample: sample.largest_cpus, "LARGEST\nCPUS", right=True),
    Column("", lambda sample: sample.largest_memory_mb, "LARGEST\nMB", right=True),
)


def _wait_count(heading: str, read: Callable[[Wait], int]) -> Column[Wait]:
    return Column("", read, heading, lambda wait: str(read(wait)), right=True)


def _wait_time(heading: str, read: Callable[[Wait], float | None]) -> Column[Wait]:
    """Return the column of a waiting time, which nothing has that no job started of."""

    def seconds(wait: Wait) -> float | None:
        found = read(wait)
        if found is None:
            return None
        return float(found)

    return Column("", seconds, heading, lambda wait: waiting_time(read(wait)), right=True)


def waiting_time(seconds: float | None) -> str:
    """Return a waiting time; a dash if no job started."""
    if seconds is None:
        return NONE
    return lasting(seconds)


SUBMITTER: Column[Wait] = Column("", lambda wait: wait.submitter, "SUBMITTER", most=24)
_STARTED = _wait_count("STARTED", lambda wait: wait.started)
_MEAN = _wait_time("WAITED, MEAN", lambda wait: wait.mean)
#: How many jobs of a submitter started, and how long they had waited.
WAITS: tuple[Column[Wait], ...] = (
    _STARTED,
    _wait_count("STILL IDLE", lambda wait: wait.waiting),
    _MEAN,
    _wait_time("MEDIAN", lambda wait: wait.median),
    _wait_time("LONGEST", lambda wait: wait.longest),
)


def _in_both(column: Column[Wait]) -> list[Column[WaitChange]]:
    """Return a column of waiting times before and after a change."""
    before = column.of(_before)
    after = column.of(_after)
    return [
        replace(before, heading=f"{column.heading}\nBEFORE"),
        replace(after, heading=f"{column.heading}\nAFTER"),
    ]


def _before(row: WaitChange) -> Wait:
    return row.before


def _after(row: WaitChange) -> Wait:
    return row.after


WAIT_CHANGES: tuple[Column[WaitChange], ...] = (
    SUBMITTER.of(_before),
    *_in_both(_STARTED),
    *_in_both(_MEAN),
)


def no_wait(submitter: str) -> Wait:
    """Return the waiting times of a submitter that has no job."""
    return Wait(submitter, 0, 0, None, None, None)


def wait_changes(before: Course, after: Course) -> list[WaitChange]:
    """Return each submitter of either course, those of ``before`` first."""
    later = {wait.submitter: wait for wait in waits(after)}
    earlier = {wait.submitter: wait for wait in waits(before)}
    names = dict.fromkeys([*earlier, *later])
    return [
        WaitChange(earlier.get(name, no_wait(name)), later.get(name, no_wait(name)))
        for name in names
    ]


def course_json(course: Course, plan: Plan, seed: int, pool: Pool) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    crash = None
    if course.crash is not None:
        crash = asdict(course.crash)
    printed: dict[str, Any] = finite(
        {
            "schema": SCHEMA,
            "source": pool.source,
            "taken": pool.taken_at,
            "health": health_json(ailments(pool)),
            "unit": course.unit,
            "interval_seconds": plan.interval_seconds,
            "seed": seed,
            "total_cpus": course.total_cpus,
            "full_at": course.full_at,
            "cycles": _records(course.samples),
            "waits": _records(list(waits(course))),
            "machines": _records(course.machines),
            "lost_cpu_hours": dict(course.lost),
            "crash": crash,
            "unmodelled": list(course.unmodelled),
            "incomplete": list(pool.incomplete),
        }
    )
    return printed


def what_if_course_json(
    before: Course,
    after: Course,
    plan: Plan,
    seed: int,
    pool: Pool,
    changes: Sequence[tuple[str, str]],
    versions: Sequence[VersionChange] = (),
) -> dict[str, Any]:
    """Return both courses, the knobs that differ, and what differs for groups and submitters."""
    return {
        "schema": SCHEMA,
        "health": health_json(ailments(pool)),
        "changes": [{"knob": knob, "value": value} for knob, value in changes],
        "versions": [asdict(each) for each in versions],
        "before": course_json(before, plan, seed, pool),
        "after": course_json(after, plan, seed, pool),
        "differences": finite(_records(compare_courses(before, after))),
    }


def _records(records: Sequence[Any]) -> list[dict[str, Any]]:
    return [asdict(record) for record in records]
