"""Slots that are filled with claims, and what is charged for them meanwhile."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.fill import fill_alone, fill_in_order, fill_mixed, fill_once, quotient
from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.shape import Shape
from htcq.node import Node

SMALL = Shape({"cpus": 1, "memory": 1024, "disk": 1000})
LARGE = Shape({"cpus": 4, "memory": 8192, "disk": 1000})
WEIGHTS = {"cpus": Fraction(1, 2), "memory": Fraction(1, 4096)}


def _slot(cpus: int = 8, memory: int = 16384, **settings: Any) -> Slot:
    return lay_out(Node(cpus, memory, 10**8), (SlotType(Choice(**settings)),))[0]


def test_jobs_of_one_shape_fill_the_slot() -> None:
    fill = fill_alone(_slot(weights=WEIGHTS).charges(), SMALL)

    assert fill.running == (8,)
    assert (fill.match_cost, fill.standing_charge, fill.weight_left) == (6, 6, 2)
    assert (fill.left["cpus"], fill.left["memory"]) == (0, 8192)
    assert (fill.min_weight, fill.max_weight, fill.max_factor, fill.factor) == (8, 8, 1, 1)


def test_a_charge_above_the_match_cost_shows_at_its_worst_and_when_full() -> None:
    """64 cpus and 512 GiB at 4 GiB a claim: 2 cpus and 32 GiB cost 2 of 64 at first, and the last claims all the rest.

    Every claim is charged 8 while it runs: 16 of them 128, on a slot of 64.
    """
    charges = {"cpus": Fraction(1), "memory": Fraction(4096)}
    slot = _slot(64, 524288, model="minimum-charge", charges=charges)
    fill = fill_alone(slot.charges(), Shape({"cpus": 2, "memory": 32768, "disk": 1000}))

    assert fill.running == (16,)
    assert (fill.match_cost, fill.standing_charge) == (64, 128)
    assert (fill.min_weight, fill.max_weight) == (64, 128)
    assert (fill.max_factor, fill.factor) == (4, 2)


def test_with_scheduler_splitting_the_one_match_pays_for_the_whole_slot() -> None:
    fill = fill_alone(_slot(weights=WEIGHTS, splitting="scheduler").charges(), SMALL)

    assert fill.max_factor == pytest.approx(6 / 8)


def test_once_is_as_many_as_there_are() -> None:
    charges = _slot(weights=WEIGHTS).charges()

    assert fill_once(charges, [Shape(SMALL.amounts, 2), Shape(LARGE.amounts, 3)]).running == (2, 1)
    assert fill_once(charges, [Shape(LARGE.amounts, 1), Shape(SMALL.amounts, 3)]).running == (1, 3)


def test_in_order_begins_again_until_nothing_fits() -> None:
    charges = _slot(weights=WEIGHTS).charges()

    assert fill_in_order(charges, [Shape(SMALL.amounts, 2), Shape(LARGE.amounts, 1)]).running == (
        4,
        1,
    )


def test_a_mix_keeps_the_shares_of_its_shapes() -> None:
    charges = _slot(24, 49152, weights=WEIGHTS).charges()
    fill = fill_mixed(charges, [Shape(SMALL.amounts, 800), Shape(LARGE.amounts, 200)])

    assert fill.running == (12, 3)


def test_a_shape_that_never_fits_leaves_the_others_alone() -> None:
    charges = _slot(weights=WEIGHTS).charges()
    never = Shape({"cpus": 9})

    assert fill_mixed(charges, [never, SMALL]).running == (0, 8)
    assert fill_alone(charges, never).max_factor == 1


def test_a_slot_of_a_huge_weight_loses_digits_and_no_quota() -> None:
    weights = {
        "cpus": Fraction(1, 1000),
        "memory": Fraction(1, 1000),
        "disk": Fraction(2138327, 40000),
    }
    fill = fill_alone(
        _slot(1, 500, weights=weights).charges(), Shape({"cpus": 1, "memory": 1, "disk": 1})
    )

    assert fill.match_cost != fill.standing_charge
    assert (fill.max_factor, fill.factor) == (1, 1)


@pytest.mark.parametrize(
    ("standing", "cost", "expected"),
    [(2, 1, 2), (1, 4, 0.25), (0, 0, 1), (3, 0, math.inf), (3, -1, math.inf), (0.1 + 0.2, 0.3, 1)],
)
def test_a_quotient_of_charges(standing: float, cost: float, expected: float) -> None:
    assert quotient(standing, cost) == expected
