"""Jobs that no slot would take even with no job on it are never fine; held back ones, and those of other pools, are."""

from __future__ import annotations

from io import StringIO

import pytest

from htcq.balance.demand import Nowhere
from htcq.pool.pool import Pool
from htcq.report.views.status_text import show_status
from tests.audit.sites import Text, job, negotiator, pool, schedd, slot, submitter
from tests.balance.pools import balanced


def waiting(slots: dict[str, Text | None] | None = None, access: str = "", **own: Text) -> Pool:
    """Return a pool of one slot in which two jobs wait, and one of them asks for something else."""
    of_schedd: dict[str, Text] = {"TotalFlockedJobs": 3 if access else 0}
    return pool(
        slot(**(slots or {})),
        submitter(IdleJobs=2, WeightedIdleJobs=2),
        schedd(**of_schedd),
        negotiator(),
        jobs=[job("1.0", ScheddName='"access1"'), job("2.0", ScheddName='"access1"', **own)],
        access={"access1": access},
        config="",
    )


def nowhere(given: Pool) -> Nowhere | None:
    found = balanced(given)
    assert found.demand is not None
    assert found.is_sound == (found.demand.nowhere is None)
    return found.demand.nowhere


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ({"RequestMemory": 100_000}, "the largest slot has 16 GiB memory"),
        ({"Requirements": 'TARGET.OpSys == "AIX"'}, "OpSys of the slot is undefined"),
        ({"RequestCpus": "NoSuch"}, "RequestCpus of the job is undefined"),
    ],
)
def test_a_job_that_fits_nowhere_is_a_finding(own: dict[str, Text], why: str) -> None:
    found = nowhere(waiting(**own))
    assert found is not None
    assert (found.jobs, found.example) == (1, "2.0")
    assert why in found.text


def test_it_has_the_name_of_its_access_point_where_there_are_several() -> None:
    lonely = job("2.0", ScheddName='"access1"', RequestMemory=100_000)
    given = pool(
        slot(), submitter(), schedd("access1"), schedd("access2"), negotiator(), jobs=[lonely]
    )
    found = nowhere(given)
    assert found is not None
    assert found.example == "access1#2.0"


def test_a_full_slot_may_take_it_later() -> None:
    assert nowhere(waiting({"Cpus": 0}, RequestCpus=8)) is None


@pytest.mark.parametrize(
    "condition", ["false", "TARGET.Cpus > 1 && false", "time() > 4000000000", "TARGET.LoadAvg > 9"]
)
def test_jobs_that_are_held_back_and_clauses_that_pass_do_not_count(condition: str) -> None:
    assert nowhere(waiting(Requirements=condition)) is None


def test_jobs_that_run_in_another_pool_are_not_lost() -> None:
    flocking = "FLOCK_TO = other.site\n"
    assert nowhere(waiting(access=flocking, RequestMemory=100_000)) is None
    assert nowhere(waiting(RequestMemory=100_000)) is not None


def test_what_two_causes_keep_is_never_fine() -> None:
    """A group without quota whose jobs weigh nothing: either cause alone starts no job when it is lifted."""
    given = pool(
        slot(),
        submitter("physics.ada@site", IdleJobs=1, WeightedIdleJobs=0),
        schedd(),
        negotiator(),
        jobs=[job("1.0", ScheddName='"access1"', AccountingGroup='"physics.ada"')],
        config="GROUP_NAMES = physics\nGROUP_QUOTA_physics = 0\n",
    )
    found = balanced(given)
    (fault,) = found.faults
    assert (fault.cause, fault.jobs, fault.behind) == ("no-demand", 0, 1)
    assert not found.is_sound
    assert [each.cause for each in found.todo] == ["no-demand"]


def test_where_no_ad_says_whether_jobs_flock_they_are_not_fine() -> None:
    given = pool(
        slot(),
        submitter(),
        schedd(),
        negotiator(),
        jobs=[job(RequestMemory=100_000, ScheddName='"access1"', GlobalJobId='"access1#1.0#1"')],
        access={"access1": "FLOCK_TO = other.site\n"},
        config="",
    )
    found = nowhere(given)
    assert found is not None
    assert "the largest slot has 16 GiB memory; FLOCK_TO names other.site" in found.text
    assert "no ad says whether a job of their access point runs there" in found.text


def test_a_slot_that_start_alone_closes_to_them_is_the_reason() -> None:
    """No other slot has any of what they ask for: that is not what keeps them from this one."""
    resources = '"Cpus Memory Disk Swap GPUs Fpga"'
    given = pool(
        *(slot(f"slot1@node{number}") for number in range(1, 4)),
        slot(
            "slot1@fpga",
            Fpga=1,
            TotalSlotFpga=1,
            MachineResources=resources,
            Start="TARGET.RequestFpga =?= undefined",
        ),
        submitter(),
        schedd(TotalFlockedJobs=0),
        negotiator(),
        jobs=[job(RequestFpga=1, Requirements="TARGET.Fpga >= RequestFpga")],
        config="",
    )
    found = nowhere(given)
    assert found is not None
    assert (found.reason, found.text[:5]) == ("start", "START")
    shown = StringIO()
    show_status(balanced(given), given, (), shown)
    todo = shown.getvalue()
    assert "to do for 1 job that no slot suits" not in todo
    assert "1. start-refuses: START: TARGET.RequestFpga =?= undefined refuses these jobs: " in todo
