"""How long jobs waited in several cycles, for the page of a simulation: a bar and numbers for each submitter."""

from __future__ import annotations

from collections.abc import Sequence

from htcq.report.charts.svg import group_bar
from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.report.sections import MAX_ROWS, Part, pool_head, section, table
from htcq.simulate.course.course import Course
from htcq.simulate.course.wait_stats import Wait, waits

_NONE = "-"
_LEGEND = (("asked", "longest"), ("used", "mean"), ("mark", "median"))


def waits_section(shown: Sequence[tuple[str, Course]]) -> Part:
    """Return how long the jobs of each submitter waited, in courses with what they are called."""
    found = [(when, {each.submitter: each for each in waits(course)}) for when, course in shown]
    names = list(dict.fromkeys(name for _, each in found for name in each))
    whole = max(
        (each.longest or 0.0 for _, waits_ in found for each in waits_.values()), default=0.0
    )
    bars = [
        {
            "name": one_line(name),
            "drawn": [
                _drawn(when, each.get(name) or _nothing(name), whole) for when, each in found
            ],
        }
        for name in names[:MAX_ROWS]
    ]
    words = ("started", "still idle", "waited, mean", "median", "longest")
    heads = [("submitter", False), *pool_head(shown), *((word, True) for word in words)]
    rows = [
        [one_line(name), *([when] if when else []), *_cells(each.get(name) or _nothing(name))]
        for name in names
        for when, each in found
    ]
    numbers = table("Jobs of each submitter", heads, rows, all_="--json has all of them")
    note = "How long the jobs waited that started; all bars are of one scale."
    return section("waits", "Waiting times", note, legend=_LEGEND, bars=bars, tables=[numbers])


def _nothing(name: str) -> Wait:
    return Wait(name, 0, 0, None, None, None)


def _drawn(when: str, wait: Wait, whole: float) -> Part:
    told = f"mean {_time(wait.mean)}, median {_time(wait.median)}, longest {_time(wait.longest)}"
    told = told if wait.started else "no job started"
    title = f"{one_line(wait.submitter)}{when and ', '}{when}: {told}"
    bar = group_bar(title, wait.median, wait.mean or 0.0, wait.longest or 0.0, whole)
    return {"when": f"{when}: " if when else "", "bar": bar, "told": told}


def _cells(wait: Wait) -> tuple[str, ...]:
    times = (_time(seconds) for seconds in (wait.mean, wait.median, wait.longest))
    return f"{wait.started:,}", f"{wait.waiting:,}", *times


def _time(seconds: float | None) -> str:
    return _NONE if seconds is None else lasting(seconds)
