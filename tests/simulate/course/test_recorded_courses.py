"""Cycle after cycle of real pools whose jobs do not end: what was matched and rejected in each, and what ran then."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.runtimes import run_time
from tests.pool.negotiations import expected, pool

COURSES = sorted((Path(__file__).resolve().parents[2] / "golden" / "courses").iterdir())
NUMBERS = ("matches", "rejections", "running", "cpus")


@pytest.mark.parametrize("path", COURSES, ids=lambda path: path.name)
def test_every_cycle_of_a_course_brings_what_it_brought(path: Path) -> None:
    record = expected(path)
    plan = Plan(cycles=len(record["cycles"]))
    course = run_course(pool(path), plan, run_time("1e9"), Random(0), record["submitter_order"])

    found = [{name: getattr(sample, name) for name in NUMBERS} for sample in course.samples]
    assert found == [{name: each[name] for name in NUMBERS} for each in record["cycles"]]
