"""Accountant.cpp:GetSlotWeight takes 1 for a negative weight; matchmaker.cpp has its own SLOT_WEIGHT where none is."""

from __future__ import annotations

import pytest

from tests.audit.sites import dynamic_slot, found, policy_slot, pool, slot, static_slot

RULE = "weight-counted-as-one"


@pytest.mark.parametrize(
    ("weight", "counts"),
    [
        ("-1", "counts as 1"),
        ("Licenses", "counts as 8 by"),
        ('"eight"', "counts as 8 by"),
        (None, "counts as 8 by"),
    ],
)
def test_a_weight_that_is_none_or_negative_is_found(weight: str | None, counts: str) -> None:
    (finding,) = found(RULE, pool(slot(SlotWeight=weight)))
    assert counts in finding.message


def test_dynamic_slots_count_even_with_a_consumption_policy() -> None:
    child = dynamic_slot(SlotWeight="Cpus - 2")
    (finding,) = found(RULE, pool(policy_slot(), child))
    assert finding.subject == "slot slot1_1@node1"


def test_many_slots_are_one_finding() -> None:
    (finding,) = found(
        RULE, pool(*[static_slot(f"slot{number}@node1", SlotWeight="Mem") for number in range(40)])
    )
    assert finding.count == 40
    assert len(finding.examples) == 3


def test_ordinary_weights_are_not() -> None:
    slots = [
        slot(),
        dynamic_slot(Cpus=0),
        static_slot("slot2@b", SlotWeight="0"),
        slot("slot1@c", SlotWeight="Cpus/2.0"),
    ]
    assert not found(RULE, pool(*slots))


@pytest.mark.parametrize(
    "knob", ["FORCE_NEGOTIATOR_SLOT_WEIGHT = True", "NEGOTIATOR_USE_SLOT_WEIGHTS = False"]
)
def test_where_the_slots_weights_do_not_count_they_are_not(knob: str) -> None:
    assert not found(RULE, pool(slot(SlotWeight="-1"), config=f"{knob}\n"))
