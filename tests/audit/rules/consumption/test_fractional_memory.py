"""Read in Resource.cpp:create_dslot of 25.14: 100.5 MB are handed out as 100; 1.1 * 1024 is no whole number."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, policy_slot, pool

RULE = "fractional-memory"


def test_a_constant_fraction_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionMemory="100.5")))
    assert (
        "takes 100.5 memory, but the startd hands out 100, which is not enough" in finding.message
    )


def test_a_factor_makes_fractions() -> None:
    (finding,) = found(
        RULE, pool(policy_slot(ConsumptionMemory="1.1 * TARGET.RequestMemory"), jobs=[job("4.0")])
    )
    assert finding.message.startswith("job 4.0 takes 1126.4 memory")


def test_a_fractional_request_is_rounded_by_the_startd_unless_told_otherwise() -> None:
    bare = policy_slot(ConsumptionMemory="TARGET.RequestMemory")
    assert not found(RULE, pool(bare))
    assert found(
        RULE, pool(bare, execute={"node1": "MODIFY_REQUEST_EXPR_REQUESTMEMORY = UNDEFINED\n"})
    )


@pytest.mark.parametrize(
    "text", ["ceiling(1.1 * TARGET.RequestMemory)", "quantize(TARGET.RequestMemory, {128})"]
)
def test_rounding_up_is_the_cure(text: str) -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionMemory=text), jobs=[job()]))


def test_fractions_of_disk_are_rounded_up_and_do_no_harm() -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionDisk="10.2"), jobs=[job()]))
