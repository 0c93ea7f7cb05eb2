"""A slot of 8 cpus, 16 GiB and no GPU: what never fits there must be found, and nothing else."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import (
    Text,
    dynamic_slot,
    found,
    job,
    policy_slot,
    pool,
    schedd,
    slot,
    static_slot,
)

RULE = "jobs-fit-no-machine"
OTHERS = ("requirements-met-nowhere", "start-refuses-everywhere")


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        ({"RequestCpus": 128}, "the job asks for 128 cores; the largest slot has 8 cores"),
        (
            {"RequestMemory": 1048576},
            "the job asks for 1 TiB memory; the largest slot has 16 GiB memory",
        ),
        (
            {"RequestGPUs": 8, "Requirements": "TARGET.GPUs >= RequestGPUs"},
            "the job asks for 8 GPUs; no slot offers one",
        ),
    ],
)
@pytest.mark.parametrize("make", [slot, policy_slot])
def test_one_asset_that_no_machine_has(asks: dict[str, Text], said: str, make: object) -> None:
    given = pool(slot() if make is slot else policy_slot(), jobs=[job(**asks), job("2.0")])
    (finding,) = found(RULE, given)
    assert said in finding.message
    assert "1 idle job in 1 autocluster, such as 1.0, fits no machine" in finding.message
    assert finding.severity is Severity.WARNING
    assert not any(found(other, given) for other in OTHERS)


def test_a_combination_that_no_machine_has() -> None:
    """One machine has the cpus, the other the memory."""
    many = slot("slot1@cores", Cpus=64, TotalSlotCpus=64, TotalCpus="64.0")
    large = slot("slot1@large", Memory=524288, TotalSlotMemory=524288)
    given = pool(many, large, jobs=[job(RequestCpus=32, RequestMemory=262144)])
    (finding,) = found(RULE, given)
    assert "32 cores" in finding.message
    assert "256 GiB memory" in finding.message


def test_a_machine_that_could_and_whose_start_refuses_is_another_rule() -> None:
    """What is too small is not named where something is large enough."""
    large = slot("slot1@large", Cpus=64, TotalSlotCpus=64, Start='TARGET.Owner == "root"')
    given = pool(slot(), large, jobs=[job(RequestCpus=32)])
    assert not found(RULE, given)
    (finding,) = found("start-refuses-everywhere", given)
    assert 'TARGET.Owner == "root"' in finding.message


def test_autoclusters_at_one_wall_are_one_finding() -> None:
    large = [
        job(f"{cluster}.{proc}", RequestCpus=100 + cluster)
        for cluster in (1, 2)
        for proc in range(3)
    ]
    (finding,) = found(RULE, pool(slot(), jobs=large))
    assert "6 idle jobs in 2 autoclusters" in finding.message
    assert finding.count == 6


def test_a_busy_pool_fits_the_jobs_that_wait() -> None:
    busy = slot(Cpus=0, Memory=0, Disk=0, NumDynamicSlots=8)
    given = pool(
        busy,
        dynamic_slot(Cpus=8),
        static_slot("slot1@b", State='"Claimed"'),
        jobs=[job(RequestCpus=8)],
    )
    assert not found(RULE, given)


def test_machines_differ_by_some_megabytes() -> None:
    """The largest counts, not the first."""
    machines = [slot(f"slot1@node{number}", TotalSlotMemory=16380 + number) for number in range(8)]
    assert not found(RULE, pool(*machines, jobs=[job(RequestMemory=16387)]))
    assert found(RULE, pool(*machines, jobs=[job(RequestMemory=16388)]))


@pytest.mark.parametrize(
    "changes",
    [
        {"JobStatus": 5},
        {"JobStatus": 2, "RemoteHost": '"slot1@node1"'},
        {"JobUniverse": 7},
    ],
)
def test_jobs_that_wait_for_no_slot_are_not(changes: dict[str, Text]) -> None:
    given = pool(slot(), jobs=[job(RequestCpus=128, **changes)])
    assert not any(found(rule, given) for rule in (RULE, *OTHERS))


@pytest.mark.parametrize(
    "requirements",
    ["false", '(false) && (TARGET.Arch == "X86_64") && (TARGET.Cpus >= RequestCpus)'],
)
def test_jobs_that_are_to_run_nowhere_have_no_request_to_correct(requirements: str) -> None:
    given = pool(slot(), jobs=[job(RequestCpus=128, Requirements=requirements)])
    assert [rule for rule in (RULE, *OTHERS) if found(rule, given)] == ["requirements-met-nowhere"]


def test_an_offline_machine_is_woken_for_them() -> None:
    large = slot("slot1@large", Cpus=64, TotalSlotCpus=64, Offline="true")
    assert not found(RULE, pool(slot(), large, jobs=[job(RequestCpus=32)]))


def test_where_jobs_may_flock_it_is_worth_knowing() -> None:
    flocks = schedd("access1", TotalFlockedJobs=3)
    given = pool(slot(), flocks, jobs=[job(RequestCpus=128)], access={"access1": FLOCKS["access1"]})
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.INFO
    assert "they may run in pool.example.org" in finding.message


@pytest.mark.parametrize("ads", [(), (schedd("access1"),)])
def test_where_no_ad_says_whether_jobs_flock_that_is_said(ads: tuple[str, ...]) -> None:
    given = pool(slot(), *ads, jobs=[job(RequestCpus=128)], access={"access1": FLOCKS["access1"]})
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.WARNING
    assert "they may run" not in finding.message
    assert "no ad says whether a job of their access point runs there" in finding.message


def test_a_request_that_is_no_number_is_named_as_why_names_it() -> None:
    asks = job(
        RequestGPUs="ifThenElse(WantWholeNode is true, TotalGPUs, default_gpus)",
        Requirements="TARGET.GPUs >= RequestGPUs",
    )
    none = slot(GPUs=None, TotalSlotGPUs=None, MachineResources='"Cpus Memory Disk"')
    given = pool(none, jobs=[asks])
    (finding,) = found(RULE, given)
    assert "fits no machine: RequestGPUs of the job is undefined" in finding.message
    assert finding.evidence[0].attribute == "RequestGPUs"
    assert finding.advice.startswith("condor_qedit of RequestGPUs to a number")
    assert not any(found(other, given) for other in OTHERS)


FLOCKS = {"access1": "FLOCK_TO = pool.example.org\n", "access2": "FLOCK_TO =\n"}


def test_where_no_job_runs_in_the_other_pool_it_stays_a_warning() -> None:
    idle = schedd("access1", TotalFlockedJobs=0)
    given = pool(slot(), idle, jobs=[job(RequestCpus=128)], access={"access1": FLOCKS["access1"]})
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.WARNING
    assert "FLOCK_TO names pool.example.org, but no access point has a job there" in finding.message


def test_another_access_point_that_flocks_is_of_no_use_to_them() -> None:
    both = (schedd("access1", TotalFlockedJobs=9), schedd("access2", TotalFlockedJobs=0))
    (at_2,) = found(
        RULE,
        pool(
            slot(), *both, jobs=[job(RequestCpus=128, GlobalJobId='"access2#1.0#1"')], access=FLOCKS
        ),
    )
    (at_1,) = found(
        RULE,
        pool(
            slot(), *both, jobs=[job(RequestCpus=128, GlobalJobId='"access1#1.0#1"')], access=FLOCKS
        ),
    )
    assert (at_1.severity, at_2.severity) == (Severity.INFO, Severity.WARNING)
    assert "pool.example.org" not in at_2.message
