"""What is left of slots after their matches: who decides whether a schedd uses it, and what it starts there."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.runtimes import run_time
from tests.audit.sites import job, policy_slot, pool, schedd, slot, submitter

KNOB = "CLAIM_PARTITIONABLE_LEFTOVERS"
EIGHT = {"Cpus": 8, "TotalSlotCpus": 8}


def course(
    one: str, access_point: bool = True, startd: bool = True, jobs: Sequence[str] = ()
) -> Course:
    """One cycle; the default of the access point and of the startd is the one of the central manager."""
    queue = jobs or [job(f"1.{number}") for number in range(12)]
    given = pool(
        one,
        schedd(),
        submitter(IdleJobs=len(queue), WeightedIdleJobs=len(queue)),
        jobs=queue,
        config=f"{KNOB} = True\n",
        access={"access1": f"{KNOB} = {access_point}\n"},
        execute={"node1": f"{KNOB} = {startd}\n"},
    )
    return run_course(given, Plan(1, 60.0), run_time("1000000"), Random(0))


def started(found: Course) -> list[str]:
    return [start.job.id for start in found.starts]


@pytest.mark.parametrize(
    ("access_point", "startd", "running"),
    [(True, True, 8), (True, False, 1), (False, True, 1), (False, False, 1)],
)
def test_leftovers_of_a_slot_without_a_policy_need_access_point_and_startd(
    access_point: bool, startd: bool, running: int
) -> None:
    """_condor_SEND_LEFTOVERS of the request, and the startd's own knob (request_claim of command.cpp, 25.14)."""
    found = course(slot(**EIGHT), access_point, startd)

    assert [sample.matches for sample in found.samples] == [1]
    assert len(found.starts) == running


@pytest.mark.parametrize(
    ("access_point", "startd", "running"),
    [(True, True, 8), (True, False, 8), (False, True, 1), (False, False, 1)],
)
def test_of_a_slot_with_a_policy_the_access_point_alone_decides(
    access_point: bool, startd: bool, running: int
) -> None:
    """As on real daemons of 25.14: NUM_CLAIMS 1, leftovers off at the startd and on at the schedd, one match, eight jobs."""
    found = course(policy_slot(NumClaims=1, **EIGHT), access_point, startd)

    assert [sample.matches for sample in found.samples] == [1]
    assert len(found.starts) == running


def test_only_the_last_claim_on_a_slot_with_a_policy_has_a_rest() -> None:
    """The claim of 1.2 is asked for in vain, because that of 1.1 is made before it; then 1.2 waits again."""
    found = course(policy_slot(NumClaims=2, Cpus=4, TotalSlotCpus=4))

    assert [sample.matches for sample in found.samples] == [2]
    assert started(found) == ["1.0", "1.1", "1.3", "1.2"]


def test_a_claim_that_is_refused_ends_the_rest_too() -> None:
    """Seen on 25.14.1: START asks the dynamic slot of 2.0 for more than one cpu; 3.0 comes too late for the rest."""
    jobs = [job("1.0", RequestCpus=2), job("2.0", RequestCpus=1), job("3.0", RequestCpus=2)]
    slot_of_two = policy_slot(NumClaims=2, Cpus=4, TotalSlotCpus=4, Requirements="MY.Cpus > 1")
    found = course(slot_of_two, jobs=jobs)

    assert [sample.matches for sample in found.samples] == [2]
    assert started(found) == ["1.0"]


def test_a_job_that_is_refused_in_the_rest_of_a_slot_ends_its_use() -> None:
    """The schedd asks for what is left of the slot with its ad of then: 2.0 suits that, and not its dynamic slot."""
    jobs = [job("1.0", RequestCpus=2), job("2.0", RequestCpus=1), job("3.0", RequestCpus=2)]
    found = course(slot(Cpus=6, TotalSlotCpus=6, Requirements="MY.Cpus > 1"), jobs=jobs)

    assert started(found) == ["1.0"]


def test_what_is_left_of_a_slot_tells_how_many_dynamic_slots_there_are() -> None:
    """Seen on 23.9.6: with the first claim there is one, and with the second there are two."""
    found = course(
        slot(NumDynamicSlots=0, Requirements="(NumDynamicSlots ?: 0) < 2", **EIGHT),
        jobs=[job(f"1.{number}") for number in range(4)],
    )

    assert started(found) == ["1.0", "1.1"]


@pytest.mark.parametrize(
    ("rank", "running"), [("TARGET.JobPrio", 1), ("0.0", 2), ("-1.0 * TARGET.JobPrio", 2)]
)
def test_the_rest_of_a_slot_is_for_no_job_that_its_rank_puts_below_an_idle_slot(
    rank: str, running: int
) -> None:
    """Seen on 23.9.6 and 25.14.1: CurrentRank of the rest is 0, and the Rank of the second job is -3."""
    jobs = [job("1.0", JobPrio=0), job("2.0", JobPrio=-3, RequestMemory=64)]
    found = course(slot(Rank=rank, CurrentRank="0.0", **EIGHT), jobs=jobs)

    assert len(found.starts) == running
