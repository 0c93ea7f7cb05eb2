"""The doorway to ClassAds."""

from __future__ import annotations

import pytest

from htcq.classads import ERROR, UNDEFINED, Ad, Expr, Value, as_number, is_number
from htcq.errors import PolicyError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 1", 2),
        ("1.5", 1.5),
        ("true", True),
        ('"text"', "text"),
        ("NoSuchThing", UNDEFINED),
        ("error", ERROR),
        ("1 / 0", ERROR),
        ("{1, 2}", ERROR),
        ("floor(7.9)", 7),
    ],
)
def test_what_an_expression_answers(text: str, expected: Value) -> None:
    assert expected == Expr(text).evaluate()


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2, 2), (2.0, 2), (2.5, 2.5), (True, 1), ("2", None), (UNDEFINED, None), (ERROR, None), (float("nan"), None)],
)
def test_what_counts_as_a_number(value: Value, expected: float | None) -> None:
    """src/classad/value.cpp, 25.14: booleans do, texts do not; and undefined is not 2.0, as float() would have it."""
    assert expected == as_number(value)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite_is_no_number(value: float) -> None:
    assert as_number(value) is None


@pytest.mark.parametrize(("value", "expected"), [(1, True), (1.5, True), (False, True), ("1", False), (ERROR, False)])
def test_which_values_htcondor_takes_for_numbers(value: Value, expected: bool) -> None:
    assert expected is is_number(value)


def test_my_and_target() -> None:
    slot, job = Ad({"Cpus": 8, "Half": Expr("Cpus / 2")}), Ad({"RequestCpus": 3})

    assert Expr("Cpus - target.RequestCpus").evaluate(slot, job) == 5
    assert Expr("MY.Half").evaluate(slot, job) == 4
    assert Expr("Half").evaluate(slot) == 4
    assert Expr("target.RequestCpus").evaluate(slot) is UNDEFINED


def test_attributes_come_and_go_whatever_their_case() -> None:
    ad = Ad({"Cpus": 8})
    assert "CPUS" in ad

    del ad["cpus"]
    assert "Cpus" not in ad


@pytest.mark.parametrize("text", ["max(", "1 +", "", "a b"])
def test_what_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(PolicyError) as refused:
        Expr(text)

    assert refused.value.hint
