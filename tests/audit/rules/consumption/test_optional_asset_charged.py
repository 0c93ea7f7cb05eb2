"""Seen on 25.14.1: with quantize(target.RequestGPUs?:0,{1}) every job took a GPU; quantize(0,{1}) is 1."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, lines, policy_slot, pool

RULE = "optional-asset-charged"


LIST = "quantize(target.RequestGPUs ?: 0, {1})"


def test_a_list_charges_those_that_do_not_ask() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionGPUs=LIST, GPUs=4, TotalSlotGPUs=4)))
    assert "consumes 1 of the slot's 4 gpus: 4 such jobs use up all of them" in finding.message
    assert lines(finding) == ["CONSUMPTION_GPUS = ceiling(TARGET.RequestGPUs ?: 0)"]


def test_where_there_are_none_no_such_job_matches() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionGPUs=LIST)))
    assert "no such job matches" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "quantize(target.RequestGPUs ?: 0, 1)",
        "target.RequestGPUs ?: 0",
        "ifThenElse((target.RequestGPUs ?: 0) == 0, 0, quantize(target.RequestGPUs, {2}))",
    ],
)
def test_what_charges_nothing_to_those_is_fine(text: str) -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionGPUs=text, GPUs=4, TotalSlotGPUs=4)))


@pytest.mark.parametrize("text", ["1", "max({1, target.RequestTokens ?: 0})"])
def test_what_is_meant_to_charge_every_job_is_fine(text: str) -> None:
    changes = {
        "MachineResources": '"Cpus Memory Disk Swap GPUs Tokens"',
        "ConsumptionTokens": text,
        "Tokens": 12,
    }
    assert not found(RULE, pool(policy_slot(**changes)))


def test_a_claim_of_the_whole_slot_gets_its_gpus_too() -> None:
    whole = {
        "ConsumptionCpus": "TotalSlotCpus",
        "ConsumptionMemory": "TotalSlotMemory",
        "ConsumptionGPUs": "max({quantize(target.RequestGPUs ?: 0, {1}), TotalSlotGPUs})",
    }
    assert not found(RULE, pool(policy_slot(**whole, GPUs=4, TotalSlotGPUs=4)))
