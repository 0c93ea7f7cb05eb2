"""Read in cp_sufficient_assets of 25.14: 'Missing … asset' makes the negotiator crash; seen on 25.14.1."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, policy_slot, pool, slot

RULE = "asset-without-amount"


@pytest.mark.parametrize("amount", [None, "undefined", '"much"'])
def test_an_amount_that_is_no_number_is_found(amount: str | None) -> None:
    (finding,) = found(RULE, pool(policy_slot(Memory=amount)))
    assert "Memory is not a number" in finding.message


def test_a_custom_asset_that_is_missing_is_found() -> None:
    changes = {"MachineResources": '"Cpus Memory Disk Swap GPUs Tokens"', "ConsumptionTokens": "1"}
    (finding,) = found(RULE, pool(policy_slot(**changes)))
    assert finding.evidence[-1].attribute == "Tokens"


def test_only_the_slots_that_lack_it_count() -> None:
    slots = [policy_slot(f"slot1@node{number}") for number in range(5)]
    (finding,) = found(RULE, pool(*slots, policy_slot("slot1@odd", GPUs=None)))
    assert finding.count == 1
    assert finding.subject == "slot slot1@odd"


def test_an_asset_of_which_nothing_is_left_is_there() -> None:
    changes = {
        "MachineResources": '"Cpus Memory Disk Swap GPUs Tokens"',
        "ConsumptionTokens": "1",
        "Tokens": 0,
    }
    assert not found(RULE, pool(policy_slot(**changes, Cpus=0)))


def test_without_a_policy_nothing_is_deducted() -> None:
    assert not found(RULE, pool(slot(Memory=None)))
