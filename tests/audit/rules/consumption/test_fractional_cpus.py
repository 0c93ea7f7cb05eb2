"""Seen on 25.14.1: claims of 1.5 cpus are refused forever; of 16 of 0.5 on 8 cpus 8 run, with a whole cpu each."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, lines, policy_slot, pool, slot

RULE = "fractional-cpus"


UNCHANGED = {"node1": "MODIFY_REQUEST_EXPR_REQUESTCPUS = UNDEFINED\n"}


def test_a_claim_that_the_startd_refuses_for_ever_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionCpus="1.5")))
    assert "takes 1.5 cpus, but the startd hands out 1" in finding.message
    assert "forever" in finding.message
    assert lines(finding) == ["CONSUMPTION_CPUS = ceiling(1.5)"]


def test_half_a_cpu_becomes_a_whole_one() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionCpus="0.5")))
    assert "takes 0.5 cpus, but the startd hands out 1" in finding.message
    assert "forever" not in finding.message


def test_a_factor_makes_fractions() -> None:
    assert found(RULE, pool(policy_slot(ConsumptionCpus="1.5 * TARGET.RequestCpus"), jobs=[job()]))


def test_a_fractional_request_is_rounded_by_the_startd_unless_told_otherwise() -> None:
    bare = policy_slot(ConsumptionCpus="TARGET.RequestCpus")
    assert not found(RULE, pool(bare))
    (finding,) = found(RULE, pool(bare, execute=UNCHANGED))
    assert "takes 1.5 cpus" in finding.message


@pytest.mark.parametrize(
    "text", ["1", "quantize(TARGET.RequestCpus, {1})", "ceiling(TARGET.RequestCpus)"]
)
def test_whole_numbers_are_fine(text: str) -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionCpus=text), execute=UNCHANGED))


def test_without_a_policy_nobody_asks() -> None:
    assert not found(RULE, pool(slot(ConsumptionCpus="1.5")))
