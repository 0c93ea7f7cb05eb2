"""A job that asks for a GPU, and slots that do not compare."""

from __future__ import annotations

from tests.audit.sites import found, job, pool, slot

RULE = "gpus-unchecked"
#: A slot whose MachineResources have no GPUs compares nothing of them.
NO_GPUS = {
    "MachineResources": '"Cpus Memory Disk"', "GPUs": None, "TotalSlotGPUs": None,
    "WithinResourceLimits": "TARGET.RequestCpus <= MY.Cpus",
}  # fmt: skip


def test_a_gpu_job_that_a_slot_without_gpus_would_take_is_found() -> None:
    (finding,) = found(RULE, pool(slot(**NO_GPUS), jobs=[job(RequestGPUs=1, Requirements="true")]))
    assert "1 idle job such as 1.0 requests 1 GPU, and 1 slot without a GPU" in finding.message


def test_a_comparison_on_either_side_is_enough() -> None:
    assert not found(RULE, pool(slot(), jobs=[job(RequestGPUs=1, Requirements="true")]))
    checked = job(RequestGPUs=1, Requirements="TARGET.GPUs >= RequestGPUs")
    assert not found(RULE, pool(slot(**NO_GPUS), jobs=[checked]))


def test_jobs_without_gpus_are_not() -> None:
    assert not found(RULE, pool(slot(**NO_GPUS), jobs=[job(Requirements="true")]))
