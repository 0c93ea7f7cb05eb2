"""Read in command.cpp:activate_claim of 25.14: at activation the consumption is evaluated on the dynamic slot."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, policy_slot, pool

RULE = "larger-on-dynamic-slot"


def test_a_consumption_that_grows_as_the_slot_shrinks_is_found() -> None:
    """1024 of 16384 MB on 8 cpus; on a dynamic slot of 1 cpu the same expression says 8192 of 1024."""
    text = "max({TARGET.RequestMemory, 8192 / Cpus})"
    (finding,) = found(RULE, pool(policy_slot(ConsumptionMemory=text), jobs=[job("5.0")]))
    assert finding.message.startswith("job 5.0 consumes 1024 memory of the slot")
    assert "it consumes 8192 of 1024" in finding.message


def test_a_consumption_that_is_undefined_there_is_found() -> None:
    text = "ifThenElse(PartitionableSlot =?= true, TARGET.RequestMemory, undefined)"
    assert found(RULE, pool(policy_slot(ConsumptionMemory=text), jobs=[job()]))


@pytest.mark.parametrize(
    "text",
    [
        (
            "ifThenElse(DynamicSlot =?= true, TARGET.RequestMemory, max({TARGET.RequestMemory, 8192 "
            "/ Cpus}))"
        ),
        "max({TARGET.RequestMemory, TotalSlotMemory})",
        "max({TARGET.RequestMemory, TotalMemory / 8})",
        "quantize(TARGET.RequestMemory, {128})",
    ],
)
def test_what_fits_into_what_it_got_is_fine(text: str) -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionMemory=text), jobs=[job()]))
