"""Several simulated cycles as one HTML page that needs nothing else, alone or beside others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from htcq.pool.pool import Pool
from htcq.report.charts.curves import MAX_STEPS, bands, curves
from htcq.report.charts.ticks import amounts
from htcq.report.formats.html import cells, heads, page
from htcq.report.moments import lasting
from htcq.report.pages.usage import usage_section
from htcq.report.pages.waits import waits_section
from htcq.report.printable import one_line
from htcq.report.sections import Part, headed, machines_section, section, sentence, table
from htcq.report.views.course import (
    AFTER,
    CPUS,
    IDLE,
    LARGEST,
    MATCHES,
    REJECTIONS,
    REUSED,
    RUNNING,
    STARTED,
)
from htcq.report.views.course_text import full, wrong
from htcq.simulate.as_version import VersionChange
from htcq.simulate.course.course import Course, Plan, Sample
from htcq.simulate.course.difference import sentences
from htcq.units import counted, show_number

_CYCLES = (AFTER, MATCHES, REJECTIONS, STARTED, REUSED, RUNNING, IDLE, CPUS, *LARGEST)


class Shown(NamedTuple):
    """A course and what it is called beside another; empty where it is alone."""

    when: str
    course: Course


def course_page(
    before: Course,
    after: Course | None,
    plan: Plan,
    pool: Pool,
    changes: Sequence[tuple[str, str]] = (),
    versions: Sequence[VersionChange] = (),
) -> str:
    """Return the page of ``before``, compared with ``after`` if that is given.

    ``changes`` are the knobs and options that make the difference, ``versions`` is what other
    versions of HTCondor change.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    shown = [Shown("", before)]
    because: list[str] = []
    if after is not None:
        shown = [Shown("before", before), Shown("after", after)]
        because = [one_line(each) for each in sentences(before, after)]
    last, cycles = shown[-1].course, counted(len(before.samples), "cycle")
    facts = [f"{cycles}, {lasting(plan.interval_seconds)} apart; usage is in {last.unit}."]
    if len(before.samples) > MAX_STEPS:
        facts.append("Each step of a line is the mean of several cycles.")
    facts += [f"{each.sentence}." for each in versions]
    warnings = [text for text, _ in wrong(last)]
    warnings += [f"incomplete data: {one_line(each)}" for each in pool.incomplete]
    values = {
        **headed(cycles, pool, changes),
        "facts": facts,
        "summary": [sentence(each.when, full(each.course)) for each in shown],
        "because": because,
        "warnings": warnings,
        "sections": [
            usage_section(shown, plan),
            _machines(shown, plan),
            _largest(shown, plan),
            waits_section(shown),
            _cycles(shown),
        ],
    }
    return page("simulate", values)


def _machines(shown: Sequence[Shown], plan: Plan) -> Part:
    cpus = _over_time(
        "cpus in claims", shown, plan, lambda sample: sample.cpus, lambda course: course.total_cpus
    )
    most = 0
    for each in shown:
        for sample in each.course.samples:
            most = max(most, sum(sample.by_fill))
    told = "how many machines have so much of their cpus in claims; the full ones are at the bottom"
    charts = [_fill_chart(each, amounts(most), plan) for each in shown]
    figures = [cpus, {"name": "machines by fill", "told": told, "charts": charts}]
    looks = [(_titled("after the last cycle", when), course.machines) for when, course in shown]
    return machines_section(looks, figures, "The dashed line is what the whole pool has.")


def _fill_chart(shown: Shown, marks: Sequence[float], plan: Plan) -> Part:
    counts = [sample.by_fill for sample in shown.course.samples]
    title = _titled("machines by fill", shown.when)
    until = plan.cycles * plan.interval_seconds
    picture = bands(title, marks, counts, until, plan.interval_seconds)
    return {"when": shown.when, "scale": list(map(show_number, marks)), "picture": picture}


def _largest(shown: Sequence[Shown], plan: Plan) -> Part:
    cpus = _over_time("largest free, cpus", shown, plan, lambda sample: sample.largest_cpus)
    memory = _over_time(
        "largest free, MB of memory", shown, plan, lambda sample: sample.largest_memory_mb
    )
    note = "The most that is free in any one slot."
    return section("largest", "The largest job that still fits", note, figures=[cpus, memory])


def _over_time(
    name: str,
    shown: Sequence[Shown],
    plan: Plan,
    of: Callable[[Sample], float],
    limit: Callable[[Course], float] | None = None,
) -> Part:
    """Return the figure of one number after every cycle, and of its limit if there is one."""
    found = [list(map(of, course.samples)) for _, course in shown]
    limits = [0.0] * len(shown)
    if limit is not None:
        limits = [limit(course) for _, course in shown]
    marks = amounts(max(*limits, *map(max, found)))
    until, charts = plan.cycles * plan.interval_seconds, []
    for (when, _), each, most in zip(shown, found, limits):
        first, largest, last = map(show_number, (each[0], max(each), each[-1]))
        words = f"first {first}, most {largest}, last {last}"
        dashed: list[float] = []
        if limit is not None:
            words += f" of {show_number(most)}"
            dashed = [most] * len(each)
        if when:
            words = f"{when}: {words}"
        picture = curves(f"{name}, {words}", marks, each, dashed, until, plan.interval_seconds)
        scale = list(map(show_number, marks))
        charts.append({"when": words, "scale": scale, "picture": picture})
    return {"name": name, "told": "", "charts": charts}


def _cycles(shown: Sequence[Shown]) -> Part:
    tables = [_sums(shown)]
    for when, course in shown:
        caption = _titled("Cycle by cycle", when)
        rows = cells(_CYCLES, course.samples)
        tables.append(table(caption, heads(_CYCLES), rows, caption, all_="--json has all of them"))
    return section("cycles", "Matches and rejections", tables=tables)


def _sums(shown: Sequence[Shown]) -> Part:
    rows = []
    for name in ("matches", "rejections", "started"):
        sums = [_sum(name, each.course) for each in shown]
        rows.append([name, *sums])
    columns = [("", False)]
    columns += [(each.when or "how many", True) for each in shown]
    return table("In all cycles", columns, rows)


def _sum(name: str, course: Course) -> str:
    total = sum(getattr(sample, name) for sample in course.samples)
    return f"{total:,}"


def _titled(what: str, when: str) -> str:
    if not when:
        return what
    return f"{what}, {when}"
