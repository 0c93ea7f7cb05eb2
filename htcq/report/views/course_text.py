"""Several simulated cycles for people at a terminal: how the pool fills, how long jobs wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.poolquota.health import negotiator_works
from htcq.report.column import Column
from htcq.report.formats.text import show
from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, show_lines
from htcq.report.views.course import (
    CPUS,
    IDLE,
    LARGEST,
    MATCHES,
    REUSED,
    RUNNING,
    STARTED,
    SUBMITTER,
    TIME,
    WAIT_CHANGES,
    WAITS,
    wait_changes,
)
from htcq.report.views.cycle_text import crash_sentence, show_changes
from htcq.report.views.usage_text import show_usage, show_usages
from htcq.simulate.as_version import VersionChange
from htcq.simulate.course.course import Course, Plan, Sample
from htcq.simulate.course.difference import sentences
from htcq.simulate.course.wait_stats import waits
from htcq.units import counted, show_number

#: The number of characters in a bar of the whole pool.
_BAR = 20


def show_course(course: Course, plan: Plan, pool: Pool, stream: TextIO, wide: bool = False) -> None:
    """Write a row for each cycle and one for each submitter.

    ``wide`` asks for all columns on a terminal too.
    """
    cycles = counted(len(course.samples), "cycle")
    title = one_line(f"{pool.source}: {cycles}, {lasting(plan.interval_seconds)} apart")
    if not negotiator_works(pool):
        title += ", once a negotiator works"
    show(Table(_cycle_columns(course.total_cpus), course.samples, title, repeat=0), stream, wide)
    print(file=stream)
    show_usage(course, plan, stream, wide)
    print(file=stream)
    show(Table([SUBMITTER, *WAITS], list(waits(course)), repeat=0), stream, wide)
    show_lines(_below(course), stream)


def _cycle_columns(total: float) -> list[Column[Sample]]:
    """Return the columns of a cycle in a pool of so many cpus."""

    def share(sample: Sample) -> float:
        if not total:
            return 0.0
        return sample.cpus / total

    def fill(sample: Sample) -> str:
        return f"{share(sample):4.0%}"

    def bar(sample: Sample) -> str:
        return "#" * round(share(sample) * _BAR)

    def largest(sample: Sample) -> str:
        cpus, memory_mb = (column.cell(sample) for column in LARGEST)
        return f"{cpus} cores, {memory_mb} MB"

    return [
        TIME,
        replace(MATCHES, wide=True),
        STARTED,
        replace(REUSED, wide=True),
        RUNNING,
        IDLE,
        replace(CPUS, wide=True),
        Column("", share, "FILL", fill),
        Column("", lambda sample: None, "LARGEST\nFREE", largest, wide=True),
        Column("", share, show=bar, headless=True),
    ]


def show_courses(
    before: Course,
    after: Course,
    plan: Plan,
    pool: Pool,
    changes: Sequence[tuple[str, str]],
    stream: TextIO,
    versions: Sequence[VersionChange] = (),
    wide: bool = False,
) -> None:
    """Write what ``changes`` (knobs and their values) do to each submitter.

    ``versions`` is what other versions of HTCondor change. ``wide`` asks for all columns on a
    terminal too.
    """
    show_changes(one_line(pool.source), changes, stream, versions)
    show(Table(WAIT_CHANGES, wait_changes(before, after), repeat=0), stream, wide)
    print(file=stream)
    show_usages(before, after, plan, stream, wide)
    show_lines([Line(((one_line(each), ""),)) for each in sentences(before, after)], stream)
    for when, course in (("before", before), ("after", after)):
        show_lines([Line(((f"{when}: {full(course)}", "strong"),))], stream)
        show_lines([Line(((f"{when}: {each}", ""),)) for each in lost_work(course)], stream)
    show_lines(_wrong(after), stream)


def full(course: Course) -> str:
    """Return when the pool is full, or how far it comes."""
    if course.full_at is None:
        most = max((sample.cpus for sample in course.samples), default=0.0)
        total = show_number(course.total_cpus)
        return f"the pool never fills: {show_number(most)} of {total} cores at most"
    if not course.full_at:
        return "the pool is full from the start"
    return f"the pool is full after {lasting(course.full_at)}"


def _below(course: Course) -> Iterator[Line]:
    yield Line()
    yield Line(((full(course), "strong"),))
    for sentence in lost_work(course):
        yield Line(((sentence, ""),))
    yield from _wrong(course)


def lost_work(course: Course) -> Iterator[str]:
    """Yield what was lost with claims that were preempted, if any were."""
    claims = sum(each.preempted for each in course.samples)
    if claims:
        groups = ", ".join(f"{name} {show_number(hours)}" for name, hours in course.lost.items())
        were = "was preempted" if claims == 1 else "were preempted"
        yield one_line(f"{counted(claims, 'claim')} {were}; lost work in cpu hours: {groups}")


def _wrong(course: Course) -> Iterator[Line]:
    for text, style in wrong(course):
        yield Line(((text, style),))


def wrong(course: Course) -> Iterator[tuple[str, str]]:
    """Yield a crash of the negotiator and what is not simulated.

    Each is a sentence with the name of its style.
    """
    if course.crash is not None:
        text = crash_sentence(course.crash)
        yield one_line(text), "error"
    for sentence in course.unmodelled:
        yield one_line(f"not modelled: {sentence}"), "warning"
