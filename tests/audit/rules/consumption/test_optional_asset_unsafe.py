"""Seen on 25.14.1: with either of the two expressions jobs without RequestGPUs were never matched."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, lines, look, policy_slot, pool

RULE = "optional-asset-unsafe"


@pytest.mark.parametrize("text", ["target.RequestGPUs", "quantize(target.RequestGPUs, {1})"])
def test_a_bare_request_is_found(text: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionGPUs=text)))
    assert "only jobs that request gpus run there" in finding.message
    assert lines(finding) == ["CONSUMPTION_GPUS = ceiling(TARGET.RequestGPUs ?: 0)"]


@pytest.mark.parametrize(
    "text",
    [
        "target.RequestGPUs ?: 0",
        "ifThenElse(target.RequestGPUs =?= undefined, 0, target.RequestGPUs)",
        "0",
        "1",
    ],
)
def test_an_expression_that_is_always_a_number_is_not(text: str) -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionGPUs=text)))


def test_what_is_undefined_for_every_job_is_another_matter() -> None:
    given = pool(policy_slot(ConsumptionGPUs="target.RequestGpu"))
    assert not found(RULE, given)
    assert look("consumption-undefined", given).findings


@pytest.mark.parametrize("start", ["TARGET.RequestGPUs > 0", "(RequestGPUs ?: 0) >= 1"])
def test_where_only_jobs_that_ask_are_let_in_nobody_else_is_lost(start: str) -> None:
    assert not found(
        RULE, pool(policy_slot(ConsumptionGPUs="target.RequestGPUs", Start=start, GPUs=4))
    )


def test_a_start_that_asks_for_something_else_lets_others_in() -> None:
    assert found(
        RULE, pool(policy_slot(ConsumptionGPUs="target.RequestGPUs", Start='TARGET.Owner == "ada"'))
    )


def test_built_in_assets_are_always_asked_for() -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionCpus="target.RequestCpus")))
