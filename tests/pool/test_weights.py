"""Weights of many slots: what each expression says of each slot, evaluated once for equal values."""

from __future__ import annotations

import pytest

from htcq.classads import ERROR, UNDEFINED, Expr
from htcq.errors import PolicyError
from htcq.pool.weights import Weights
from tests.audit.sites import pool, slot, static_slot


def test_every_slot_has_the_weight_of_its_own_amounts() -> None:
    slots = (
        pool(
            *[slot(f"slot1@n{cpus}", Cpus=cpus, SlotWeight="Cpus * 2") for cpus in (8, 3, 8, 0)]
        ).slots
        or ()
    )

    assert [Weights().of(each) for each in slots] == [16, 6, 16, 0]


def test_what_the_weight_names_is_followed() -> None:
    policy = {
        "SlotWeight": "Points / 2",
        "Points": "Share * 2",
        "Share": "Memory + TotalSlotMemory",
    }
    slots = pool(slot(Memory=10, **policy), slot("slot1@node2", Memory=20, **policy)).slots or ()
    weights = Weights()

    assert [weights.of(each) for each in slots] == [16394, 16404]


def test_numbers_that_are_equal_but_not_the_same_weigh_what_they_weigh() -> None:
    """7 / 2 = 3, 7.0 / 2 = 3.5."""
    slots = (
        pool(
            slot(Cpus=7, SlotWeight="Cpus / 2"),
            slot("slot1@node2", Cpus="7.0", SlotWeight="Cpus / 2"),
        ).slots
        or ()
    )
    weights = Weights()

    assert [weights.of(each) for each in slots] == [3, 3.5]


def test_a_name_that_is_put_together_is_looked_up_too() -> None:
    text = 'eval(strcat("C", "pus"))'
    slots = (
        pool(slot(Cpus=7, SlotWeight=text), slot("slot1@node2", Cpus=2, SlotWeight=text)).slots
        or ()
    )
    weights = Weights()

    assert [weights.of(each) for each in slots] == [7, 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NoSuchThing", UNDEFINED),
        ("1 / 0", ERROR),
        ('"8"', "8"),
        (None, UNDEFINED),
        ("SlotWeight", UNDEFINED),
    ],
)
def test_what_is_no_number_comes_back_as_it_is(text: str | None, expected: object) -> None:
    (one,) = pool(slot(SlotWeight=text)).slots or ()

    assert Weights().of(one) == expected


def test_another_expression_can_be_asked_of_all_slots() -> None:
    slots = pool(slot(), static_slot("slot2@node1")).slots or ()
    weights = Weights("Cpus + Memory / 1024")

    assert [weights.of(each) for each in slots] == [24, 3]
    assert [Expr("Cpus + Memory / 1024").evaluate(each.ad()) for each in slots] == [24, 3]


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(PolicyError):
        Weights("max(")
