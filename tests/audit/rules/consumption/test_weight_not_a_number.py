"""Measured on 25.14.1: floor(NoSuchThing/2) ends the negotiator at the first match of the pool."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, policy_slot, pool, slot

RULE = "weight-not-a-number"


@pytest.mark.parametrize(
    "weight",
    [
        "floor(NoSuchThing/2)",
        "ifThenElse(Cpus==0,undefined,1)",
        '"eight"',
        "64/(Cpus-7)",
        "64/(Cpus-3)",
        "Cpus*ifThenElse(Memory > TotalSlotMemory-1024,1,undefined)",
    ],
)
def test_a_weight_that_is_no_number_in_some_state_is_found(weight: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(SlotWeight=weight)))
    assert finding.subject == "slot slot1@node1"
    assert finding.evidence[0].value == weight


def test_the_same_weight_on_many_slots_is_one_finding() -> None:
    slots = [policy_slot(f"slot1@node{number}", SlotWeight="floor(NoSuchThing/2)") for number in range(50)]
    (finding,) = found(RULE, pool(*slots))
    assert finding.count == 50
    assert len(finding.examples) == 3


def test_a_weight_that_is_always_a_number_is_not() -> None:
    assert not found(RULE, pool(policy_slot(SlotWeight="min({Cpus, floor(Memory/2048)})")))


def test_without_a_consumption_policy_the_negotiator_does_not_exit() -> None:
    assert not found(RULE, pool(slot(SlotWeight="floor(NoSuchThing/2)")))
