"""Read in param_info.in of 25.14: the startd rounds RequestDisk to DiskQuantum, CONSUMPTION_DISK to 1024 KiB."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, lines, policy_slot, pool, slot

RULE = "disk-quantum-mismatch"


DEFAULT = "quantize(target.RequestDisk,{ 1024 })"


def test_the_default_consumption_does_not_fit_4_mib_extents() -> None:
    given = pool(
        policy_slot(DiskQuantum=4096, ConsumptionDisk=DEFAULT), jobs=[job("3.0", RequestDisk=5000)]
    )
    (finding,) = found(RULE, given)
    assert finding.message.startswith("job 3.0 consumes 5120 KiB of disk")
    assert lines(finding) == ["CONSUMPTION_DISK = quantize(ceiling(TARGET.RequestDisk ?: 0), 4096)"]


@pytest.mark.parametrize(
    "text", ["quantize(target.RequestDisk, 4096)", "quantize(target.RequestDisk, {8192})"]
)
def test_whole_extents_are_fine(text: str) -> None:
    given = pool(policy_slot(DiskQuantum=4096, ConsumptionDisk=text), jobs=[job(RequestDisk=5000)])
    assert not found(RULE, given)


def test_without_extents_any_amount_is_fine() -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionDisk=DEFAULT), jobs=[job(RequestDisk=5000)]))


def test_without_a_policy_the_startd_rounds_alone() -> None:
    assert not found(RULE, pool(slot(DiskQuantum=4096), jobs=[job(RequestDisk=5000)]))
