"""A machine of 8 cpus, 16 GiB and 4 GPUs whose cpus run out before the GPUs do."""

from __future__ import annotations

import pytest

from tests.audit.sites import Text, dynamic_slot, found, job, policy_slot, pool, slot

RULE = "gpus-behind-cpu-jobs"
GPUS: dict[str, Text] = {"TotalSlotGPUs": 4, "GPUs": 4}


def gpu_job(id_: str = "1.0", **changes: Text) -> str:
    return job(id_, **{"RequestGPUs": 1, "Requirements": "TARGET.GPUs >= RequestGPUs", **changes})


def cpu_claims(number: int, memory: int = 1024) -> list[str]:
    return [
        dynamic_slot(f"slot1_{each}@node1", Memory=memory, GPUs=0) for each in range(1, number + 1)
    ]


@pytest.mark.parametrize("make", [slot, policy_slot])
def test_gpus_without_cpus_beside_them_are_found(make: object) -> None:
    full = (slot if make is slot else policy_slot)(**{**GPUS, "Cpus": 0, "Memory": 8192})
    (finding,) = found(RULE, pool(full, *cpu_claims(8), jobs=[gpu_job(), gpu_job("1.1")]))
    assert "4 of 4 GPUs idle on 1 slot, where jobs without a GPU use the cpus" in finding.message
    assert "2 jobs such as 1.0 wait for GPUs" in finding.message


def test_so_are_those_without_memory() -> None:
    full = slot(**{**GPUS, "Cpus": 4, "Memory": 512})
    (finding,) = found(RULE, pool(full, *cpu_claims(4, 3968), jobs=[gpu_job(RequestMemory=4096)]))
    assert "use the memory" in finding.message


def test_a_machine_with_room_for_one_is_not() -> None:
    assert not found(RULE, pool(slot(**{**GPUS, "Cpus": 1}), *cpu_claims(7), jobs=[gpu_job()]))


def test_nor_is_one_whose_gpus_are_taken() -> None:
    claims = [dynamic_slot(f"slot1_{each}@node1", GPUs=1) for each in range(4)]
    assert not found(RULE, pool(slot(TotalSlotGPUs=4, GPUs=0, Cpus=4), *claims, jobs=[gpu_job()]))


def test_nor_one_that_gpu_jobs_themselves_have_filled() -> None:
    """Each of two jobs took four cpus and a GPU."""
    claims = [dynamic_slot(f"slot1_{each}@node1", GPUs=1, Cpus=4) for each in range(2)]
    assert not found(RULE, pool(slot(TotalSlotGPUs=4, GPUs=2, Cpus=0), *claims, jobs=[gpu_job()]))


def test_where_no_job_wants_a_gpu_nothing_is_wrong() -> None:
    full = slot(**{**GPUS, "Cpus": 0})
    assert not found(RULE, pool(full, *cpu_claims(8), jobs=[job(), gpu_job("2.0", JobStatus=2)]))


def test_a_job_that_wants_more_gpus_than_there_are_does_not_count() -> None:
    full = slot(**{**GPUS, "Cpus": 0})
    assert not found(RULE, pool(full, *cpu_claims(8), jobs=[gpu_job(RequestGPUs=8)]))
