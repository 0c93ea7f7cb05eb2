"""Random pools over several cycles, drawn anew in every run: a simulated course comes to what a real pool comes to.

``--course-cases N`` draws N pools for each HTCondor version; a failure names the options that draw
its pool again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from time import time

import pytest
from conftest import NEWEST, Site
from random_additions import course_with_additions
from random_courses import course_scenario
from random_cycles import ASKED_FOR, Scenario
from random_jobs import Cluster
from real_course import RealCourse, Stage, real_course
from testpool import Pool

from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool as CapturedPool
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


def test_claims_are_preempted_when_they_are_old_enough(site: Site, tmp_path: Path) -> None:
    """PREEMPTION_REQUIREMENTS of HTCondor's manual, with a minute in place of an hour.

    A partitionable slot and a static one, which are older than that before the first cycle."""
    knobs = {
        **ASKED_FOR,
        "SLOT_TYPE_1": "cpus=1, memory=1024, disk=5%",
        "SLOT_TYPE_1_PARTITIONABLE": "True",
        "NUM_SLOTS_TYPE_1": "1",
        "SLOT_TYPE_2": "cpus=1, memory=1024, disk=5%",
        "NUM_SLOTS_TYPE_2": "1",
        "NUM_CPUS": "2",
        "MEMORY": "4096",
        "DISK": "100000000",
        "SCHEDD_SLOT_WEIGHT": "RequestCpus",
        "PREEMPTION_REQUIREMENTS": "(time() - EnteredCurrentState) > 60",
    }
    groups = {"ann": "<none>", "ben": "<none>"}
    asked = {"request_cpus": 1, "request_memory": 128, "request_disk": 1024}
    clusters = tuple(
        Cluster(name, 2, 2, {**asked, "accounting_group_user": name}) for name in groups
    )
    userprio = (("-setfactor", "ann@test", "1000"), ("-setfactor", "ben@test", "1300"))
    scenario = Scenario("claims' age", knobs, 2, userprio, (), clusters, groups)

    real = real_course(site, scenario, 3, tmp_path, _with_old_slots)
    simulated = _simulated(pool_of(open_snapshot(real.snapshot), ""), 3, seconds=40.0)

    assert [stage.matches > 0 for stage in real.stages] == [True, False, True]
    assert not [*_differing(real, simulated)]


def _with_old_slots(pool: Pool, number: int) -> None:
    """Wait ahead of the first and the third cycle, until every slot has its state for a minute."""
    if number == 1:
        return

    def since() -> float:
        ads = pool.ads("slots", ["EnteredCurrentState"])
        return float(max(ad["EnteredCurrentState"] for ad in ads))

    pool.wait(lambda: time() - since() > 65, 120, "slots that are old enough", ("StartLog",))


def _simulated(
    pool: CapturedPool, cycles: int, order: Sequence[str] = (), seconds: float = 1.0
) -> Course:
    # Priorities do not change: PRIORITY_HALFLIFE is long.
    return run_course(pool, Plan(cycles, seconds), run_time("1e9"), Random(0), order)


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
    if real.cut:
        stages = stages[: len(real.stages)]
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
