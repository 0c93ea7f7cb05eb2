"""Several simulated cycles for people at a terminal: how the pool fills, and how long jobs wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.report.simulate_text import show_changes
from htcq.report.terminal import Line, show_lines, show_table
from htcq.report.views.usage_text import show_usage, show_usages
from htcq.simulate.course.course import Course, Plan, Sample
from htcq.simulate.course.difference import sentences
from htcq.simulate.course.wait_stats import Wait, waits
from htcq.units import counted, show_number

_NONE = "-"
#: How many characters a bar of the whole pool has.
_BAR = 20
_HEADS = (
    "TIME",
    "MATCHES",
    "STARTED",
    "RUNNING",
    "IDLE",
    "CPUS\nIN CLAIMS",
    "FILL",
    "LARGEST\nFREE",
    "",
)


def show_course(course: Course, plan: Plan, pool: Pool, stream: TextIO) -> None:
    """Write a row for each cycle and one for each submitter."""
    title = (
        f"{pool.source}: {counted(len(course.samples), 'cycle')}, "
        f"{lasting(plan.interval_seconds)} apart"
    )
    rows = [_cycle(sample, course.total_cpus) for sample in course.samples]
    show_table(one_line(title), _HEADS, rows, stream, (0, 1, 2, 3, 4, 5))
    print(file=stream)
    show_usage(course, plan, stream)
    print(file=stream)
    heads = ["SUBMITTER", "STARTED", "STILL IDLE", "WAITED, MEAN", "MEDIAN", "LONGEST"]
    show_table("", heads, [_wait(each) for each in waits(course)], stream, range(1, 6))
    show_lines(_below(course), stream)


def show_courses(
    before: Course,
    after: Course,
    plan: Plan,
    pool: Pool,
    changes: Sequence[tuple[str, str]],
    stream: TextIO,
) -> None:
    """Write what ``changes`` (knobs and their values) do to each submitter."""
    show_changes(one_line(pool.source), changes, stream)
    then = {each.submitter: each for each in waits(after)}
    rows = []
    for now in waits(before):
        later = then.pop(now.submitter, Wait(now.submitter, 0, 0, None, None, None))
        rows.append(_pair(now, later))
    rows += [_pair(Wait(each.submitter, 0, 0, None, None, None), each) for each in then.values()]
    heads = [
        "SUBMITTER",
        "STARTED\nBEFORE",
        "STARTED\nAFTER",
        "WAITED, MEAN\nBEFORE",
        "WAITED, MEAN\nAFTER",
    ]
    show_table("", heads, rows, stream, range(1, 5))
    print(file=stream)
    show_usages(before, after, plan, stream)
    show_lines([Line(((one_line(each), ""),)) for each in sentences(before, after)], stream)
    for when, course in (("before", before), ("after", after)):
        show_lines([Line(((f"{when}: {full(course)}", "strong"),))], stream)
    show_lines(list(_wrong(after)), stream)


def _cycle(sample: Sample, total: float) -> list[str]:
    share = sample.cpus / total if total else 0.0
    bar = "#" * round(share * _BAR)
    free = f"{show_number(sample.largest_cpus)} cpus, {show_number(sample.largest_memory_mb)} MB"
    counts = (sample.matches, sample.started, sample.running, sample.idle)
    return [
        lasting(sample.at),
        *map(str, counts),
        show_number(sample.cpus),
        f"{share:4.0%}",
        free,
        bar,
    ]


def _wait(wait: Wait) -> list[str]:
    times = (_time(seconds) for seconds in (wait.mean, wait.median, wait.longest))
    return [one_line(wait.submitter), str(wait.started), str(wait.waiting), *times]


def _pair(now: Wait, later: Wait) -> list[str]:
    return [
        one_line(now.submitter),
        str(now.started),
        str(later.started),
        _time(now.mean),
        _time(later.mean),
    ]


def _time(seconds: float | None) -> str:
    return _NONE if seconds is None else lasting(seconds)


def full(course: Course) -> str:
    """Return when the pool is full, or how far it comes."""
    if course.full_at is None:
        most = max((sample.cpus for sample in course.samples), default=0.0)
        return (
            f"the pool never fills: {show_number(most)} of {show_number(course.total_cpus)} cpus "
            "at most"
        )
    return f"the pool is full after {lasting(course.full_at)}"


def _below(course: Course) -> Iterator[Line]:
    yield Line()
    yield Line(((full(course), "strong"),))
    yield from _wrong(course)


def _wrong(course: Course) -> Iterator[Line]:
    for text, style in wrong(course):
        yield Line(((text, style),))


def wrong(course: Course) -> Iterator[tuple[str, str]]:
    """Yield what makes the negotiator crash and what is not modelled, each with the name of its style."""
    if course.crash is not None:
        yield (
            one_line(
                f"the negotiator crashes here: {course.crash.message}, at slot {course.crash.slot}"
            ),
            "error",
        )
    for sentence in course.unmodelled:
        yield one_line(f"not modelled: {sentence}"), "warning"
