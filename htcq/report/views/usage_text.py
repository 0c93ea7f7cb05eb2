"""Usage against quota over several cycles for people at a terminal: a chart of one line a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TextIO

from htcq.drift.windows import Point
from htcq.report.charts.spark import shows_blocks, spark
from htcq.report.column import NONE, Column
from htcq.report.formats.text import show
from htcq.report.moments import lasting
from htcq.report.table import Table
from htcq.report.terminal import Line, show_lines
from htcq.simulate.course.course import Course, Plan
from htcq.simulate.course.usage import Use, uses

_SPARK = 24
_MEAN: Column[Use] = Column("", lambda use: use.mean, "MEAN", right=True)
_QUOTA: Column[Use] = Column("", lambda use: use.quota, "QUOTA", right=True)
_NUMBERS: tuple[Column[Use], ...] = (
    Column("", lambda use: use.usage[0], "FIRST", right=True, wide=True),
    _MEAN,
    Column("", lambda use: max(use.usage), "MAX", right=True, wide=True),
    Column("", lambda use: use.usage[-1], "LAST", right=True),
    _QUOTA,
)


class _Uses(NamedTuple):
    """What one group or submitter used in two courses; None where it is not in one of them."""

    name: str
    before: Use | None
    after: Use | None


def show_usage(course: Course, plan: Plan, stream: TextIO, wide: bool = False) -> None:
    """Write how the usage of each group ran, of each submitter where there is no group.

    ``wide`` asks for all columns on a terminal too.
    """
    found = list(uses(course))
    if not found:
        return
    blocks = shows_blocks(getattr(stream, "encoding", None))
    cycles = len(course.samples)
    columns: tuple[Column[Use], ...] = (
        Column("", lambda use: use.name, found[0].kind.upper(), most=24),
        Column("", lambda use: _spark(use, cycles, blocks), _over(found)),
        *_NUMBERS,
    )
    show(Table(columns, found, _title(course), repeat=0), stream, wide)
    show_lines([Line(((_legend(found, cycles, plan, blocks), "quiet"),))], stream)


def show_usages(
    before: Course, after: Course, plan: Plan, stream: TextIO, wide: bool = False
) -> None:
    """Write how the usage of each group ran in two courses.

    ``wide`` asks for all columns on a terminal too.
    """
    one, other = ({use.name: use for use in uses(course)} for course in (before, after))
    found = [*one.values(), *other.values()]
    if not found:
        return
    blocks = shows_blocks(getattr(stream, "encoding", None))
    cycles = max(len(before.samples), len(after.samples))
    drawn: Column[Use] = Column("", lambda use: _spark(use, cycles, blocks), _over(found))
    columns: list[Column[_Uses]] = [
        Column("", lambda row: row.name, found[0].kind.upper(), most=20)
    ]
    for column, nothing in ((drawn, ""), (_MEAN, NONE), (_QUOTA, NONE)):
        earlier, later = _before_and_after(column, nothing)
        columns += [replace(earlier, wide=column is not _MEAN), later]
    names = dict.fromkeys([*one, *other])
    rows = [_Uses(name, one.get(name), other.get(name)) for name in names]
    show(Table(columns, rows, _title(after)), stream, wide)
    show_lines([Line(((_legend(found, cycles, plan, blocks), "quiet"),))], stream)


def _before_and_after(column: Column[Use], nothing: str) -> tuple[Column[_Uses], Column[_Uses]]:
    """Return a column for either course; ``nothing`` is shown where a name has no usage."""

    def cell(use: Use | None) -> str:
        if use is None:
            return nothing
        return column.cell(use)

    return (
        Column("", lambda row: cell(row.before), f"{column.heading}\nBEFORE", right=column.right),
        Column("", lambda row: cell(row.after), f"{column.heading}\nAFTER", right=column.right),
    )


def _spark(use: Use, cycles: int, blocks: bool) -> str:
    quotas: Sequence[float | None] = [None] * len(use.usage)
    if use.quotas is not None:
        quotas = use.quotas
    points = [
        Point(number, number + 1, used, used, quota, 0.0, 0.0, 0.0, 0.0)
        for number, (used, quota) in enumerate(zip(use.usage, quotas))
    ]
    return f"|{spark(points, 0, cycles, min(cycles, _SPARK), blocks)}|"


def _over(found: Sequence[Use]) -> str:
    if found[0].kind == "group":
        return "USAGE OF QUOTA"
    return "USAGE OF ITS MAXIMUM"


def _title(course: Course) -> str:
    return f"Usage over time, {course.unit}"


def _legend(found: Sequence[Use], cycles: int, plan: Plan, blocks: bool) -> str:
    whole, more = ("█", "▲") if blocks else ("#", "^")
    step = lasting(plan.interval_seconds * max(cycles / _SPARK, 1))
    if found[0].kind == "group":
        return f"Each character is {step}: {whole} the whole quota, {more} more than that."
    return f"Each character is {step}: {whole} the most that the submitter used."
