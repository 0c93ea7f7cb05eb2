"""The pieces that weights are written with."""

from __future__ import annotations

import pytest

from htcq.classads import Ad, Expr
from htcq.policy.weight import at_least_one, greatest, least, split_weight


@pytest.mark.parametrize(
    ("slot", "expected"),
    [
        ({"DynamicSlot": True, "Cpus": 5}, 3),
        ({"Cpus": 5}, 5),
        ({"DynamicSlot": False, "Cpus": 5}, 5),
        ({"Cpus": -2}, 0),
    ],
)
def test_the_claim_is_charged_its_dominant_charge_and_the_rest_never_negative(
    slot: dict[str, object], expected: int
) -> None:
    assert expected == Expr(split_weight("Cpus", "3")).evaluate(Ad(slot))


@pytest.mark.parametrize("choose", [least, greatest])
def test_one_term_needs_no_list(choose: object) -> None:
    assert choose(["Cpus"]) == "Cpus"  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (least(["2", "1", "3"]), 1),
        (greatest(["2", "1", "3"]), 3),
        (at_least_one(["0", "-1"]), 1),
        (at_least_one(["4"]), 4),
    ],
)
def test_choosing_among_terms(text: str, expected: int) -> None:
    assert expected == Expr(text).evaluate()
