"""Read in cp_supports_policy of 25.14: every asset of MachineResources but swap needs its attribute."""

from __future__ import annotations

from tests.audit.sites import dynamic_slot, found, lines, policy_slot, pool, slot

RULE = "partial-consumption-policy"


def test_a_missing_consumption_is_named_and_written() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionGPUs=None)))
    assert "no ConsumptionGPUs" in finding.message
    assert lines(finding) == ["CONSUMPTION_GPUS = ceiling(TARGET.RequestGPUs ?: 0)"]


def test_a_custom_asset_needs_one_too() -> None:
    (finding,) = found(
        RULE,
        pool(policy_slot(MachineResources='"Cpus Memory Disk Swap GPUs Licenses"', Licenses=4)),
    )
    assert finding.evidence[-1].attribute == "ConsumptionLicenses"


def test_a_policy_without_machine_resources_is_none() -> None:
    (finding,) = found(RULE, pool(policy_slot(MachineResources=None)))
    assert "MachineResources is not a string" in finding.message


def test_a_whole_policy_and_none_at_all_are_fine() -> None:
    assert not found(RULE, pool(policy_slot(), slot("slot1@node2")))


def test_swap_needs_none() -> None:
    assert not found(RULE, pool(policy_slot(MachineResources='"Cpus, Memory, Disk, Swap, GPUs"')))


def test_dynamic_slots_are_not_asked() -> None:
    assert not found(RULE, pool(dynamic_slot(ConsumptionCpus="1")))
