"""Random pools over several cycles, drawn anew in every run: a simulated course comes to what a real pool comes to.

``--course-cases N`` draws N pools for each HTCondor version; a failure names the options that draw
its pool again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from conftest import NEWEST, Site
from random_additions import course_with_additions
from random_courses import course_scenario
from real_course import RealCourse, Stage, real_course

from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.runtimes import run_time
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor

#: Begin the names of knobs that startds and schedds alone read.
_OF_OTHERS = (
    "CLAIM_WORKLIFE", "MODIFY_REQUEST_EXPR_REQUESTCPUS", "MODIFY_REQUEST_EXPR_REQUESTMEMORY",
    "MUST_MODIFY_REQUEST_EXPRS", "SCHEDD.", "STARTD.",
)  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        numbers = range(metafunc.config.getoption("--course-cases"))
        metafunc.parametrize("number", numbers, ids=[f"case-{number:03}" for number in numbers])


def test_a_simulated_course_comes_to_what_a_real_pool_comes_to(
    site: Site, number: int, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """Cycle by cycle; from a snapshot, and from what HTCondor's tools print of the same pool."""
    seed = pytestconfig.option.cycle_seed
    name = f"{seed}-{site.suite}-course-{number}"
    cycles, scenario = Random(name).randint(4, 6), course_scenario(name, site.suite == NEWEST)
    if number % 2:
        scenario = course_with_additions(scenario)
    real = real_course(site, scenario, cycles, tmp_path)

    pool = pool_of(open_snapshot(real.snapshot), str(real.snapshot))
    captured = _simulated(pool, cycles)
    # condor_status sorts submitters; in the order of their ads the negotiator adds up their shares,
    # and by the last binary digit of the sum it asks one more of them.
    order = [str(record.name) for record in pool.submitters]
    printed = _simulated(pool_of(open_snapshot(real.printed), str(real.printed)), cycles, order)

    differing = [*_differing(real, captured)]
    again = (
        f"again with: --cycle-seed {seed} --course-cases {number + 1} --suite {site.suite} -k "
        f"case-{number:03}"
    )
    assert not differing, "\n".join([again, *captured.unmodelled, *differing])
    # What is printed has neither the limits of users nor the configurations of other daemons.
    if not scenario.user_limit and not any(each.startswith(_OF_OTHERS) for each in scenario.knobs):
        assert _stages(printed) == _stages(captured), again


def _simulated(pool: Pool, cycles: int, order: Sequence[str] = ()) -> Course:
    # The cycles follow each other so closely that no priority changes.
    return run_course(pool, Plan(cycles, 1.0), run_time("1e9"), Random(0), order)


def _stages(course: Course) -> list[Stage]:
    found = []
    for sample in course.samples:
        running = Counter(
            int(str(start.job.cluster)) for start in course.starts if start.at <= sample.at
        )
        running.subtract(
            int(str(each.job.cluster))
            for each in course.evictions
            if each.job is not None and each.at <= sample.at
        )
        found.append(Stage(sample.matches, sample.rejections, dict(+running), sample.cpus))
    return found


def _differing(real: RealCourse, course: Course) -> Iterator[str]:
    """Yield the first cycle that differs: later ones begin elsewhere."""
    stages = _stages(course)
    for number, (really, simulated) in enumerate(zip(real.stages, stages)):
        if really != simulated:
            yield f"cycle {number}: really {really}"
            yield f"cycle {number}: simulated {simulated}"
            return
    # A cycle in which the negotiator ends is the last one.
    if len(stages) != len(real.stages) + real.crashed:
        yield f"really {len(real.stages)} cycles, simulated {len(stages)}"
    if real.crashed != (course.crash is not None):
        yield f"really the negotiator ended: {real.crashed}; simulated {course.crash}"
