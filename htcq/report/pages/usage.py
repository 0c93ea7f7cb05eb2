"""Usage against quota over several cycles, for the page of a simulation: plots and numbers of each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from htcq.report.charts.curves import curves
from htcq.report.charts.ticks import amounts
from htcq.report.printable import one_line
from htcq.report.sections import Part, pool_head, section, table
from htcq.simulate.course.course import Course, Plan
from htcq.simulate.course.usage import Use, uses
from htcq.units import show_number

#: Most groups that are drawn: those that use or are promised most.
MAX_PLOTS = 40
_NONE = "-"
_WORDS = ("first", "mean", "max", "last", "quota")


def usage_section(shown: Sequence[tuple[str, Course]], plan: Plan) -> Part:
    """Return what each group used in courses with what they are called; each submitter where there is no group."""
    found = [(when, {use.name: use for use in uses(course)}) for when, course in shown]
    names = list(dict.fromkeys(name for _, each in found for name in each))
    kind = next((use.kind for _, each in found for use in each.values()), "group")
    heights = {
        name: max(_height(each[name]) for _, each in found if name in each) for name in names
    }
    drawn = sorted((name for name in names if heights[name] > 0), key=lambda name: -heights[name])[
        :MAX_PLOTS
    ]
    figures = [_figure(name, found, heights[name], plan) for name in drawn]
    heads = [(kind, False), *pool_head(shown), *((word, True) for word in _WORDS)]
    rows = [
        [one_line(name), *([when] if when else []), *_numbers(each.get(name))]
        for name in names
        for when, each in found
    ]
    unit = shown[-1][1].unit
    notes = (
        []
        if len(drawn) == len(names)
        else [f"Drawn are the {len(drawn)} with most; the table has the others."]
    )
    legend = [("usage", f"usage, {unit}"), *([("limit", "quota")] if kind == "group" else [])]
    numbers = table(f"Usage of each {kind}, {unit}", heads, rows, all_="--json has all of them")
    title = "Usage against quota over time" if kind == "group" else "Usage over time"
    return section("usage", title, *notes, legend=legend, figures=figures, tables=[numbers])


def _height(use: Use) -> float:
    return max(*use.usage, *(use.quotas or (0.0,)), 0.0)


def _numbers(use: Use | None) -> tuple[str, ...]:
    if use is None:
        return (_NONE,) * len(_WORDS)
    numbers = (use.usage[0], use.mean, max(use.usage), use.usage[-1])
    return (*map(show_number, numbers), _NONE if use.quota is None else show_number(use.quota))


def _figure(
    name: str, found: Sequence[tuple[str, Mapping[str, Use]]], height: float, plan: Plan
) -> Part:
    """Return the plots of one group, on one scale."""
    marks, charts = amounts(height), []
    for when, uses_ in found:
        use = uses_.get(name)
        words = ": ".join(
            each for each in (when, "not there" if use is None else _told(use)) if each
        )
        usage, quotas = ((), ()) if use is None else (use.usage, use.quotas or ())
        until = plan.cycles * plan.interval_seconds
        picture = curves(
            f"{one_line(name)}, {words}", marks, usage, quotas, until, plan.interval_seconds
        )
        charts.append(
            {"when": words, "scale": [show_number(mark) for mark in marks], "picture": picture}
        )
    return {"name": one_line(name), "told": "", "charts": charts}


def _told(use: Use) -> str:
    quota = "" if use.quota is None else f", quota {show_number(use.quota)}"
    return (
        f"mean {show_number(use.mean)}, max {show_number(max(use.usage))}, last "
        f"{show_number(use.usage[-1])}{quota}"
    )
