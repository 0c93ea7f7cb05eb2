"""Names that the daemon which evaluates an expression does not know; each seen on 25.14.1.

START = userMap("projects", …) with CLASSAD_USER_MAPFILE_projects at the execution point alone: no job matched.
DedicatedScheduler@ap33.test on a slot of a pool with ap3.test. TotalSchedulerJobRunning in
START_SCHEDULER_UNIVERSE: no DAG started.
"""

from __future__ import annotations

import pytest

from htcq.expected.unmet import SCHEDD_REFUSES
from htcq.pool.pool import Pool
from htcq.why import match_failure as wall
from tests.audit.sites import found, job, negotiator, pool, schedd, slot, submitter
from tests.expected.pools import access_point, cycles, free, only, site, waiting
from tests.why.test_verdict import one, why

START = 'userMap("projects", TARGET.Owner) =?= "physics"'
MAPS = "NEGOTIATOR_CLASSAD_USER_MAP_NAMES"


def with_maps(central: str, execute: str = "A = 1\n") -> Pool:
    """Return a pool whose only slot asks a map, and a job."""
    ads = (slot(Start=START), submitter(), negotiator())
    return pool(*ads, jobs=[job()], config=central, execute={"node1": execute})


def test_a_map_that_the_negotiator_lacks_is_told_with_its_knob() -> None:
    given = with_maps("A = 1\n", "CLASSAD_USER_MAPFILE_projects = /m\n")
    reason = one(why(given))
    assert f'{MAPS} of the negotiator does not list "projects"' in reason.text
    assert reason.text.endswith("node1 has a file for it")
    assert reason.lifted_by.startswith(f'{MAPS} with "projects", and CLASSAD_USER_MAPFILE_projects')
    (finding,) = found("start-refuses-everywhere", given)
    assert MAPS in finding.message
    assert finding.advice.startswith(MAPS)


def test_a_map_that_it_lists_is_not() -> None:
    assert MAPS not in one(why(with_maps(f"{MAPS} = Users, Projects\n"))).text


@pytest.mark.parametrize(
    ("dedicated", "is_told"),
    [
        ('"DedicatedScheduler@ap33.test"', True),
        ('"dedicatedscheduler@AP4.test"', False),
        ("undefined", False),
    ],
)
def test_a_scheduler_that_no_access_point_has_is_named_with_its_slots(
    dedicated: str, is_told: bool
) -> None:
    own = '"DedicatedScheduler@ap3.test"'
    parallel = job(
        JobUniverse=11,
        Scheduler=own,
        ScheddName='"ap3.test"',
        Requirements=f"TARGET.DedicatedScheduler == {own}",
    )
    asking = submitter("DedicatedScheduler@ap3.test", ScheddName='"ap3.test"')
    points = (schedd("ap3.test"), schedd("ap4.test"))
    machine = slot(DedicatedScheduler=dedicated)
    reason = next(
        each
        for each in why(pool(machine, asking, *points, negotiator(), jobs=[parallel])).walls
        if each.id == wall.DEDICATED_SCHEDULER
    )
    told = "slot1@node1 is dedicated to DedicatedScheduler@ap33.test, of which the pool has no"
    assert (told in reason.text) is is_told
    assert ("DedicatedScheduler of node1" in reason.lifted_by) is is_told


def test_a_slip_in_the_start_expression_of_a_schedd_is_told_whatever_else_keeps_the_jobs() -> None:
    unfit = waiting("1.0", JobUniverse=7, Requirements="TARGET.Arch =?= 1")
    ads = (free(), access_point(TotalSchedulerJobsRunning=0), cycles())

    def of(text: str) -> Pool:
        return site(*ads, jobs=[unfit], access={"access1": f"START_SCHEDULER_UNIVERSE = {text}\n"})

    slip = of("TotalSchedulerJobRunning < 200")
    reason = next(each for each in why(slip).walls if each.id == wall.UNMATCHED_UNIVERSE)
    assert "has no TotalSchedulerJobRunning, which is undefined, but has Total" in reason.text
    assert reason.lifted_by.startswith("TotalSchedulerJobsRunning in START_SCHEDULER_UNIVERSE")
    assert "the schedd has no TotalSchedulerJobRunning" in only(SCHEDD_REFUSES, slip).message
    # What is not captured may have a value.
    assert not found(SCHEDD_REFUSES, of("NumberOfOurOwn < 200"))
    assert not found(SCHEDD_REFUSES, of("TotalSchedulerJobsRunning < 200"))
