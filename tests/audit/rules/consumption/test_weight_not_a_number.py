"""Measured on 25.14.1: floor(NoSuchThing/2) makes the negotiator crash at the first match of the pool."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
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
    slots = [
        policy_slot(f"slot1@node{number}", SlotWeight="floor(NoSuchThing/2)")
        for number in range(50)
    ]
    (finding,) = found(RULE, pool(*slots))
    assert finding.count == 50
    assert len(finding.examples) == 3


def test_a_weight_that_is_always_a_number_is_not() -> None:
    assert not found(RULE, pool(policy_slot(SlotWeight="min({Cpus, floor(Memory/2048)})")))


def test_without_a_consumption_policy_the_negotiator_does_not_exit() -> None:
    assert not found(RULE, pool(slot(SlotWeight="floor(NoSuchThing/2)")))


def test_a_sound_weight_of_the_central_manager_takes_its_place() -> None:
    """Seen on 25.14.1 with NEGOTIATOR.SLOT_WEIGHT = Cpus: the jobs run, and the negotiator does not exit."""
    (finding,) = found(
        RULE, pool(policy_slot(SlotWeight="floor(NoSuchThing/2)"), config="SLOT_WEIGHT = Cpus\n")
    )
    assert finding.severity is Severity.WARNING
    assert "its own SLOT_WEIGHT, Cpus, instead" in finding.message


@pytest.mark.parametrize(
    ("weight", "central"),
    [
        ("floor(NoSuchThing/2)", "floor(NoSuchThing/2)"),
        ("floor(NoSuchThing/2)", "64/(Cpus-7)"),
        ("floor(NoSuchThing/2)", "Cpus +"),
        ("64/(Cpus-7)", "Cpus"),
    ],
)
def test_a_broken_weight_of_the_central_manager_or_one_that_fails_later_does_not_help(
    weight: str, central: str
) -> None:
    (finding,) = found(
        RULE, pool(policy_slot(SlotWeight=weight), config=f"SLOT_WEIGHT = {central}\n")
    )
    assert finding.severity is Severity.ERROR
