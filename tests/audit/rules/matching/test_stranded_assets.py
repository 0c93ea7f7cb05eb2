"""What is free and serves none of the jobs that wait; a slot has 8 cpus and 16384 MB."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.sites import dynamic_slot, found, job, policy_slot, pool, slot, static_slot

RULE = "stranded-assets"


def test_cores_in_pieces_serve_no_large_job() -> None:
    slots = [slot(f"slot1@node{number}", Cpus=3, Memory=8192) for number in range(4)]
    (finding,) = found(RULE, pool(*slots, jobs=[job(RequestCpus=4), job("1.1", RequestCpus=4)]))
    assert "12 of 32 cores" in finding.message
    assert (
        "are free on 4 slots, and none of the 2 idle jobs can use them: those slots have too few "
        "free cores" in finding.message
    )
    assert finding.severity is Severity.WARNING


def test_cores_without_memory_are_found() -> None:
    (finding,) = found(
        RULE,
        pool(
            policy_slot(Cpus=6, Memory=512),
            jobs=[job(RequestCpus=2), job("2.0", RequestMemory=8192)],
        ),
    )
    assert "6 of 8 cores" in finding.message
    assert "too little free memory" in finding.message
    assert finding.severity is Severity.WARNING


def test_gpus_without_cores_are_found() -> None:
    gpus = slot(Cpus=0, Memory=8192, GPUs=2, TotalSlotGPUs=4)
    waiting = job(RequestGPUs=1, Requirements="TARGET.GPUs >= RequestGPUs")
    (finding,) = found(RULE, pool(gpus, dynamic_slot(Cpus=8), jobs=[waiting]))
    assert "2 of 4 GPUs" in finding.message


def test_memory_that_is_left_when_all_cores_are_used_is_only_worth_knowing() -> None:
    (finding,) = found(
        RULE, pool(slot(Cpus=0, Memory=8192), dynamic_slot(Cpus=8), jobs=[job(RequestMemory=2048)])
    )
    assert finding.severity is Severity.INFO
    assert "8192 of 16384 MB of memory" in finding.message


def test_a_slot_with_room_for_any_of_them_is_not() -> None:
    assert not found(RULE, pool(slot(Cpus=3), jobs=[job(RequestCpus=4), job("2.0", RequestCpus=2)]))


def test_a_few_cores_of_a_large_pool_are_not() -> None:
    busy = [slot(f"slot1@node{number}", Cpus=0, Memory=0) for number in range(9)]
    assert not found(RULE, pool(slot(Cpus=3, Memory=1000), *busy, jobs=[job(RequestCpus=4)]))


def test_where_no_job_waits_nothing_is_stranded() -> None:
    assert not found(RULE, pool(slot(Cpus=3), jobs=[]))
    assert not found(
        RULE,
        pool(
            slot(Cpus=3), static_slot("slot1@b"), jobs=[job(JobStatus=5), job("2.0", JobStatus=2)]
        ),
    )


def test_jobs_that_no_slot_would_take_strand_nothing() -> None:
    assert not found(RULE, pool(slot(Cpus=3), jobs=[job(RequestCpus=64)]))
    assert not found(
        RULE, pool(slot(Cpus=3, Start='TARGET.Owner == "root"'), jobs=[job(RequestCpus=4)])
    )


def test_one_job_for_a_whole_machine_strands_no_pool_that_idles() -> None:
    """15 of 16 machines are almost empty, and one job waits that needs all of one."""
    idle = [slot(f"slot1@node{number}", Cpus=7) for number in range(16)]
    assert not found(RULE, pool(*idle, jobs=[job(RequestCpus=8)]))
    assert found(RULE, pool(*idle, jobs=[job(f"1.{number}", RequestCpus=8) for number in range(4)]))
