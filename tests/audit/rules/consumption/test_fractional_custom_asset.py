"""Read in Resource.cpp:create_dslot of 25.14: custom assets are cut to whole units, half a GPU is none."""

from __future__ import annotations

from tests.audit.sites import found, job, policy_slot, pool

RULE = "fractional-custom-asset"


GPUS = {"GPUs": 4, "TotalSlotGPUs": 4}


def test_half_a_gpu_is_found() -> None:
    given = pool(
        policy_slot(ConsumptionGPUs="0.5 * (TARGET.RequestGPUs ?: 0)", **GPUS),
        jobs=[job(RequestGPUs=1)],
    )
    (finding,) = found(RULE, given)
    assert "takes 0.5 gpus, but the startd hands out 0" in finding.message


def test_a_share_of_any_other_asset_is_found() -> None:
    changes = {
        "MachineResources": '"Cpus Memory Disk Swap GPUs Tokens"',
        "ConsumptionTokens": "0.25",
        "Tokens": 8,
    }
    (finding,) = found(RULE, pool(policy_slot(**changes)))
    assert "tokens" in finding.message


def test_half_a_gpu_for_two_is_a_whole_one() -> None:
    given = pool(
        policy_slot(ConsumptionGPUs="0.5 * (TARGET.RequestGPUs ?: 0)", **GPUS),
        jobs=[job(RequestGPUs=2)],
    )
    assert not found(RULE, given)


def test_whole_gpus_and_fractional_cpus_are_not_its_business() -> None:
    assert not found(
        RULE, pool(policy_slot(ConsumptionCpus="1.5", **GPUS), jobs=[job(RequestGPUs=1)])
    )
