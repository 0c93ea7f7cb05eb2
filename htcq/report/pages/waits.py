"""How long jobs waited in several cycles: bars and numbers in the page of a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.report.charts.svg import group_bar
from htcq.report.formats.html import cells, heads
from htcq.report.printable import one_line
from htcq.report.sections import MAX_ROWS, Part, pool_head, section, table
from htcq.report.views.course import SUBMITTER, WAITS, no_wait, waiting_time
from htcq.simulate.course.course import Course
from htcq.simulate.course.wait_stats import Wait, waits

_LEGEND = (("asked", "longest"), ("used", "mean"), ("mark", "median"))
#: When a course is shown, and its waiting times by submitter.
_Waits = tuple[str, Mapping[str, Wait]]


def waits_section(shown: Sequence[tuple[str, Course]]) -> Part:
    """Return how long the jobs of each submitter waited, in courses with their names."""
    found = [(when, _by_submitter(course)) for when, course in shown]
    names: dict[str, None] = {}
    longest = 0.0
    for _, by_name in found:
        for name, wait in by_name.items():
            names[name] = None
            longest = max(longest, wait.longest or 0.0)
    bars = [_bars(name, found, longest) for name in list(names)[:MAX_ROWS]]
    rows = []
    for name in names:
        rows += _rows(name, found)
    columns = [*heads([SUBMITTER]), *pool_head(shown), *heads(WAITS)]
    numbers = table("Jobs of each submitter", columns, rows, all_="--json has all of them")
    note = "How long the jobs waited that started; all bars are of one scale."
    return section("waits", "Waiting times", note, legend=_LEGEND, bars=bars, tables=[numbers])


def _by_submitter(course: Course) -> dict[str, Wait]:
    return {wait.submitter: wait for wait in waits(course)}


def _bars(name: str, found: Sequence[_Waits], longest: float) -> Part:
    drawn = []
    for when, by_name in found:
        drawn.append(_bar(when, by_name.get(name, no_wait(name)), longest))
    return {"name": one_line(name), "drawn": drawn}


def _rows(name: str, found: Sequence[_Waits]) -> list[list[str]]:
    """Return the row of a submitter in each course."""
    rows = []
    for when, by_name in found:
        row = [one_line(name)]
        if when:
            row.append(when)
        (numbers,) = cells(WAITS, [by_name.get(name, no_wait(name))])
        rows.append([*row, *numbers])
    return rows


def _bar(when: str, wait: Wait, longest: float) -> Part:
    told = "no job started"
    if wait.started:
        mean, median, most = map(waiting_time, (wait.mean, wait.median, wait.longest))
        told = f"mean {mean}, median {median}, longest {most}"
    whose, before = one_line(wait.submitter), ""
    if when:
        whose, before = f"{whose}, {when}", f"{when}: "
    bar = group_bar(f"{whose}: {told}", wait.median, wait.mean or 0.0, wait.longest or 0.0, longest)
    return {"when": before, "bar": bar, "told": told}
