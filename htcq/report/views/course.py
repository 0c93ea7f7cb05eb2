"""Several simulated cycles as JSON; the names, which htcq-simulate(1) lists, are a contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments, health_json
from htcq.report.formats.json import finite
from htcq.simulate.course.course import Course, Plan
from htcq.simulate.course.difference import compare_courses
from htcq.simulate.course.wait_stats import waits

SCHEMA = 1


def course_json(course: Course, plan: Plan, seed: int, pool: Pool) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    printed: dict[str, Any] = finite(
        {
            "schema": SCHEMA,
            "source": pool.source,
            "taken": pool.taken_at,
            "health": health_json(ailments(pool)),
            "unit": course.unit,
            "interval_seconds": plan.interval_seconds,
            "seed": seed,
            "total_cpus": course.total_cpus,
            "full_at": course.full_at,
            "cycles": [asdict(sample) for sample in course.samples],
            "waits": [asdict(each) for each in waits(course)],
            "machines": [asdict(each) for each in course.machines],
            "crash": None if course.crash is None else asdict(course.crash),
            "unmodelled": list(course.unmodelled),
            "incomplete": list(pool.incomplete),
        }
    )
    return printed


def what_if_course_json(
    before: Course,
    after: Course,
    plan: Plan,
    seed: int,
    pool: Pool,
    changes: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """Return both courses, the knobs that make the difference, and what it is for groups and submitters."""
    return {
        "schema": SCHEMA,
        "health": health_json(ailments(pool)),
        "changes": [{"knob": knob, "value": value} for knob, value in changes],
        "before": course_json(before, plan, seed, pool),
        "after": course_json(after, plan, seed, pool),
        "differences": finite([asdict(each) for each in compare_courses(before, after)]),
    }
