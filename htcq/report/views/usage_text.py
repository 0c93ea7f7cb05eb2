"""Usage against quota over several cycles for people at a terminal: one line of characters for each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from htcq.drift.windows import Point
from htcq.report.charts.spark import shows_blocks, spark
from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.report.terminal import Line, show_lines, show_table
from htcq.simulate.course.course import Course, Plan
from htcq.simulate.course.usage import Use, uses
from htcq.units import show_number

_NONE = "-"
_SPARK = 24


def show_usage(course: Course, plan: Plan, stream: TextIO) -> None:
    """Write how the usage of each group ran, of each submitter where there is no group."""
    found = list(uses(course))
    if not found:
        return
    blocks = shows_blocks(getattr(stream, "encoding", None))
    rows = [
        [
            one_line(use.name),
            _spark(use, len(course.samples), blocks),
            *map(show_number, _numbers(use)),
            _quota(use),
        ]
        for use in found
    ]
    heads = [found[0].kind.upper(), _over(found), "FIRST", "MEAN", "MAX", "LAST", "QUOTA"]
    show_table(_title(course), heads, rows, stream, range(2, 7))
    show_lines([Line(((_legend(found, len(course.samples), plan, blocks), "quiet"),))], stream)


def show_usages(before: Course, after: Course, plan: Plan, stream: TextIO) -> None:
    """Write how the usage of each group ran in two courses."""
    one, other = ({use.name: use for use in uses(course)} for course in (before, after))
    found = [*one.values(), *other.values()]
    if not found:
        return
    blocks, cycles = (
        shows_blocks(getattr(stream, "encoding", None)),
        max(len(before.samples), len(after.samples)),
    )
    rows = []
    for name in dict.fromkeys([*one, *other]):
        both = one.get(name), other.get(name)
        pictures = ["" if use is None else _spark(use, cycles, blocks) for use in both]
        means = [_NONE if use is None else show_number(use.mean) for use in both]
        quotas = [_NONE if use is None else _quota(use) for use in both]
        rows.append([one_line(name), *pictures, *means, *quotas])
    heads = [found[0].kind.upper()]
    for what in (_over(found), "MEAN", "QUOTA"):
        heads += [f"{what}\n{when}" for when in ("BEFORE", "AFTER")]
    show_table(_title(after), heads, rows, stream, range(3, 7), repeat=1)
    show_lines([Line(((_legend(found, cycles, plan, blocks), "quiet"),))], stream)


def _spark(use: Use, cycles: int, blocks: bool) -> str:
    quotas: Sequence[float | None] = [None] * len(use.usage) if use.quotas is None else use.quotas
    points = [
        Point(number, number + 1, used, used, quota, 0.0, 0.0, 0.0, 0.0)
        for number, (used, quota) in enumerate(zip(use.usage, quotas))
    ]
    return f"|{spark(points, 0, cycles, min(cycles, _SPARK), blocks)}|"


def _numbers(use: Use) -> tuple[float, float, float, float]:
    return use.usage[0], use.mean, max(use.usage), use.usage[-1]


def _quota(use: Use) -> str:
    return _NONE if use.quota is None else show_number(use.quota)


def _over(found: Sequence[Use]) -> str:
    return "USAGE OF QUOTA" if found[0].kind == "group" else "USAGE OF ITS MAXIMUM"


def _title(course: Course) -> str:
    return f"Usage over time, {course.unit}"


def _legend(found: Sequence[Use], cycles: int, plan: Plan, blocks: bool) -> str:
    whole, more = ("█", "▲") if blocks else ("#", "^")
    step = lasting(plan.interval_seconds * max(cycles / _SPARK, 1))
    if found[0].kind == "group":
        return f"Each character is {step}: {whole} the whole quota, {more} more than that."
    return f"Each character is {step}: {whole} the most that the submitter used."
