"""Devices that are detected, and those that slots offer."""

from __future__ import annotations

from tests.audit.sites import found, pool, slot

RULE = "gpus-offline"


def test_devices_that_no_slot_offers_are_found() -> None:
    given = slot(DetectedGPUs='"GPU-a, GPU-b, GPU-c, GPU-d"', TotalSlotGPUs=3, GPUs=3)
    (finding,) = found(RULE, pool(given))
    assert "1 of 4 detected GPUs are not offered, on 1 machine such as node1" in finding.message


def test_a_machine_that_offers_all_is_not() -> None:
    assert not found(RULE, pool(slot(DetectedGPUs=4, TotalSlotGPUs=4, GPUs=4)))
    assert not found(RULE, pool(slot()))
