"""Several simulated cycles as one HTML page that needs nothing else, alone or beside those of another pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from htcq.pool.pool import Pool
from htcq.report.charts.curves import MAX_STEPS, bands, curves
from htcq.report.charts.ticks import amounts
from htcq.report.course_text import full, wrong
from htcq.report.formats.html import page
from htcq.report.moments import lasting
from htcq.report.pages.usage import usage_section
from htcq.report.printable import one_line
from htcq.report.sections import Part, headed, machines_section, section, sentence, table
from htcq.report.waits_html import waits_section
from htcq.simulate.course.course import Course, Plan, Sample
from htcq.simulate.course.difference import sentences
from htcq.units import counted, show_number


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
) -> str:
    """Return the page of ``before``, beside ``after`` if that is given: what ``changes`` make of it.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    shown = (
        [Shown("", before)] if after is None else [Shown("before", before), Shown("after", after)]
    )
    last, cycles = shown[-1].course, counted(len(before.samples), "cycle")
    facts = [f"{cycles}, {lasting(plan.interval_seconds)} apart; usage is in {last.unit}."]
    if len(before.samples) > MAX_STEPS:
        facts.append("Each step of a line is the mean of several cycles.")
    values = {
        **headed(cycles, pool, changes),
        "facts": facts,
        "summary": [sentence(each.when, full(each.course)) for each in shown],
        "because": [] if after is None else [one_line(each) for each in sentences(before, after)],
        "warnings": [
            *(text for text, _ in wrong(last)),
            *(f"incomplete data: {one_line(each)}" for each in pool.incomplete),
        ],
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
    most = max((sum(sample.by_fill) for each in shown for sample in each.course.samples), default=0)
    marks, until = amounts(most), plan.cycles * plan.interval_seconds
    charts = []
    for when, course in shown:
        counts = [sample.by_fill for sample in course.samples]
        picture = bands(
            f"machines by fill{when and ', '}{when}", marks, counts, until, plan.interval_seconds
        )
        charts.append(
            {"when": when, "scale": [show_number(mark) for mark in marks], "picture": picture}
        )
    told = "how many machines have so much of their cpus in claims; the full ones are at the bottom"
    figures = [cpus, {"name": "machines by fill", "told": told, "charts": charts}]
    looks = [
        (f"after the last cycle{when and ', '}{when}", course.machines) for when, course in shown
    ]
    return machines_section(looks, figures, "The dashed line is what the whole pool has.")


def _largest(shown: Sequence[Shown], plan: Plan) -> Part:
    figures = [
        _over_time("largest free, cpus", shown, plan, lambda sample: sample.largest_cpus),
        _over_time(
            "largest free, MB of memory", shown, plan, lambda sample: sample.largest_memory_mb
        ),
    ]
    return section(
        "largest",
        "The largest job that still fits",
        "The most that is free in any one slot.",
        figures=figures,
    )


def _over_time(
    name: str,
    shown: Sequence[Shown],
    plan: Plan,
    of: Callable[[Sample], float],
    limit: Callable[[Course], float] | None = None,
) -> Part:
    """Return the figure of one number after every cycle, with a limit that stays if there is one."""
    found = [[of(sample) for sample in course.samples] for _, course in shown]
    limits = [0.0 if limit is None else limit(course) for _, course in shown]
    marks = amounts(max(limits + [amount for each in found for amount in each]))
    until, charts = plan.cycles * plan.interval_seconds, []
    for (when, _), each, most in zip(shown, found, limits):
        told = (
            f"first {show_number(each[0])}, most {show_number(max(each))}, last "
            f"{show_number(each[-1])}"
        )
        told += f" of {show_number(most)}" if limit else ""
        words = ": ".join(word for word in (when, told) if word)
        dashed = [most] * len(each) if limit else []
        picture = curves(f"{name}, {words}", marks, each, dashed, until, plan.interval_seconds)
        charts.append(
            {"when": words, "scale": [show_number(mark) for mark in marks], "picture": picture}
        )
    return {"name": name, "told": "", "charts": charts}


def _cycles(shown: Sequence[Shown]) -> Part:
    words = (
        "matches",
        "rejections",
        "started",
        "running",
        "idle",
        "cpus in claims",
        "largest cpus",
        "largest MB",
    )
    heads = [("after", False), *((word, True) for word in words)]
    tables = []
    for when, course in shown:
        caption = f"Cycle by cycle{when and ', '}{when}"
        rows = list(_rows(course))
        tables.append(table(caption, heads, rows, caption, all_="--json has all of them"))
    return section("cycles", "Matches and rejections", tables=[_sums(shown), *tables])


def _sums(shown: Sequence[Shown]) -> Part:
    names = ("matches", "rejections", "started")
    rows = [
        [
            name,
            *(
                f"{sum(getattr(sample, name) for sample in course.samples):,}"
                for _, course in shown
            ),
        ]
        for name in names
    ]
    return table(
        "In all cycles", [("", False), *((each.when or "how many", True) for each in shown)], rows
    )


def _rows(course: Course) -> Iterator[list[str]]:
    for sample in course.samples:
        counts = (sample.matches, sample.rejections, sample.started, sample.running, sample.idle)
        rest = (sample.cpus, sample.largest_cpus, sample.largest_memory_mb)
        yield [lasting(sample.at), *(f"{count:,}" for count in counts), *map(show_number, rest)]
