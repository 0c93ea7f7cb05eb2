"""Read in ResAttributes.cpp of 25.14: what a startd writes there refuses a job when an asset is gone."""

from __future__ import annotations

from tests.audit.sites import found, job, look, policy_slot, pool, slot

RULE = "no-resource-limits"


def test_limits_that_a_configuration_took_away_are_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(WithinResourceLimits="true")))
    assert "consumes cpus, memory and disk when nothing is left" in finding.message


def test_limits_that_forget_one_asset_are_found() -> None:
    text = (
        "MY.ConsumptionCpus <= MY.Cpus && MY.ConsumptionDisk <= MY.Disk && MY.ConsumptionGPUs <= "
        "MY.GPUs"
    )
    (finding,) = found(RULE, pool(policy_slot(WithinResourceLimits=text)))
    assert "consumes memory when nothing is left" in finding.message


def test_an_asset_that_nobody_takes_needs_no_limit() -> None:
    text = (
        "MY.ConsumptionCpus <= MY.Cpus && MY.ConsumptionMemory <= MY.Memory && "
        "MY.ConsumptionDisk <= MY.Disk"
    )
    assert not found(RULE, pool(policy_slot(WithinResourceLimits=text), jobs=[job()]))


def test_what_the_startd_writes_is_fine() -> None:
    assert not found(
        RULE, pool(policy_slot(GPUs=4, TotalSlotGPUs=4), jobs=[job(), job("2.0", RequestGPUs=1)])
    )


def test_without_a_policy_it_is_none_of_its_business() -> None:
    assert not found(RULE, pool(slot(WithinResourceLimits="true")))


def test_ads_without_limits_are_not_checked() -> None:
    (missing,) = look(RULE, pool(policy_slot(WithinResourceLimits=None))).not_checked
    assert "WithinResourceLimits" in missing.missing
