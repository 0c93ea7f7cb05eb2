"""Usage against quota over several cycles, for the page of a simulation: plots and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.report.charts.curves import curves
from htcq.report.charts.ticks import amounts
from htcq.report.column import NONE
from htcq.report.column import shown as shown_value
from htcq.report.printable import one_line
from htcq.report.sections import Part, pool_head, section, table
from htcq.simulate.course.course import Course, Plan
from htcq.simulate.course.usage import Use, uses
from htcq.units import show_number

#: Most groups that are drawn: those that use or are promised most.
MAX_PLOTS = 40
_WORDS = ("first", "mean", "max", "last", "quota")


def usage_section(shown: Sequence[tuple[str, Course]], plan: Plan) -> Part:
    """Return what each group used in courses with their names.

    It is each submitter where there is no group.
    """
    found = [(when, {use.name: use for use in uses(course)}) for when, course in shown]
    names = list(dict.fromkeys(name for _, each in found for name in each))
    kind = next((use.kind for _, each in found for use in each.values()), "group")
    heights = {
        name: max(_height(each[name]) for _, each in found if name in each) for name in names
    }
    used = [name for name in names if heights[name] > 0]
    drawn = sorted(used, key=lambda name: -heights[name])[:MAX_PLOTS]
    figures = [_figure(name, found, heights[name], plan) for name in drawn]
    heads = [(kind, False), *pool_head(shown), *((word, True) for word in _WORDS)]
    rows = []
    for name in names:
        for when, each in found:
            pool = []
            if when:
                pool = [when]
            rows.append([one_line(name), *pool, *_numbers(each.get(name))])
    unit = shown[-1][1].unit
    notes = []
    if len(drawn) < len(names):
        notes.append(f"Drawn are the {len(drawn)} with most; the table has the others.")
    legend = [("usage", f"usage, {unit}")]
    title = "Usage over time"
    if kind == "group":
        legend.append(("limit", "quota"))
        title = "Usage against quota over time"
    numbers = table(f"Usage of each {kind}, {unit}", heads, rows, all_="--json has all of them")
    return section("usage", title, *notes, legend=legend, figures=figures, tables=[numbers])


def _height(use: Use) -> float:
    return max(*use.usage, *(use.quotas or (0.0,)), 0.0)


def _numbers(use: Use | None) -> tuple[str, ...]:
    if use is None:
        return (NONE,) * len(_WORDS)
    numbers = (use.usage[0], use.mean, max(use.usage), use.usage[-1])
    return (*map(show_number, numbers), shown_value(use.quota))


def _figure(
    name: str, found: Sequence[tuple[str, Mapping[str, Use]]], height: float, plan: Plan
) -> Part:
    """Return the plots of one group, on one scale."""
    marks, charts = amounts(height), []
    until = plan.cycles * plan.interval_seconds
    for when, uses_ in found:
        use = uses_.get(name)
        words = "not there"
        usage: Sequence[float] = ()
        quotas: Sequence[float] = ()
        if use is not None:
            words = _told(use)
            usage, quotas = use.usage, use.quotas or ()
        if when:
            words = f"{when}: {words}"
        picture = curves(
            f"{one_line(name)}, {words}", marks, usage, quotas, until, plan.interval_seconds
        )
        charts.append(
            {"when": words, "scale": [show_number(mark) for mark in marks], "picture": picture}
        )
    return {"name": one_line(name), "told": "", "charts": charts}


def _told(use: Use) -> str:
    numbers = (
        f"mean {show_number(use.mean)}, max {show_number(max(use.usage))}, last "
        f"{show_number(use.usage[-1])}"
    )
    if use.quota is None:
        return numbers
    return f"{numbers}, quota {show_number(use.quota)}"
