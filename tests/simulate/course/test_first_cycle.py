"""The first cycle of a course is the single cycle: on every recorded pool the same matches, rejections and usage."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from htcq.pool.pool import Pool
from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.cycle.cycle import Cycle
from tests.pool.negotiations import CYCLES, FAMILIES, pool, whole_pool
from tests.simulate.course.test_recorded_courses import COURSES
from tests.simulate.cycle.test_many_equals import EQUALS

RECORDED = (*CYCLES, *FAMILIES, *COURSES, *EQUALS)


def of(path: Path) -> Pool:
    return whole_pool(path) if path in CYCLES else pool(path)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_the_first_cycle_of_a_course_is_the_single_one(path: Path) -> None:
    cycle = Cycle(of(path))
    trace = cycle.run()
    course = run_course(of(path), Plan(cycles=1), run_time("1e9"), Random(0))

    (sample,) = course.samples
    assert (sample.matches, sample.rejections) == (len(trace.matches), len(trace.rejections))
    assert sample.groups == {each.name: each.used_after for each in trace.groups}
    used = {each.name: each.used_after for each in trace.submitters}
    assert {name: used[name] for name in sample.submitters} == sample.submitters
    assert course.unit == trace.unit


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_the_jobs_that_start_in_it_are_those_of_the_single_one(path: Path) -> None:
    """Of a job with several nodes all; what schedds start besides in leftovers is no match."""
    cycle = Cycle(of(path))
    cycle.run()
    course = run_course(of(path), Plan(cycles=1), run_time("1e9"), Random(0))

    nodes = Counter(made.job.id for made in cycle.talks.made if not made.claim.refusal)
    wanted = {job.id: job.wanted for job in of(path).jobs or ()}
    whole = [job for job, count in nodes.items() if count >= wanted[job]]
    matched = [start.job.id for start in course.starts if start.by == "match"]
    assert sorted(matched) == sorted(whole)
