"""Numbers and truth values as param_double and param_boolean of HTCondor 25.14 take them."""

from __future__ import annotations

import math

import pytest

from htcq.quota.knobs import Knobs, TreeProblem, number_of, truth_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12.0),
        ("-1.5e2", -150.0),
        (".5", 0.5),
        ("0x10", 16.0),
        (f"0x{'f' * 400}", math.inf),
        (f"-0x{'f' * 400}", -math.inf),
        ("2 * 0.25", 0.5),
        ("floor(10 / 3)", 3.0),
        ("true", 1.0),
        ("some_other_knob", None),
        ('"5"', None),
        ("1_0", None),
        ("1.5.2", None),
        ('real("NaN")', None),
        ("1 / 0", None),
    ],
)
def test_a_number_is_a_literal_or_an_expression_that_yields_one(
    text: str, expected: float | None
) -> None:
    assert expected == number_of(text)


def test_a_number_may_be_infinite_and_is_then_out_of_every_range() -> None:
    knobs = Knobs({"GROUP_QUOTA_a": "1e999"})

    assert knobs.number("GROUP_QUOTA_a", 0, 0, 10, "a") == 10
    assert [problem.kind for problem in knobs.problems] == ["out-of-range"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TRUE", True),
        ("1", True),
        ("False", False),
        ("0", False),
        ("3 > 2", True),
        ("0.0", False),
        ("2", True),
        ("yes", None),
        ('"true"', None),
        ("(", None),
    ],
)
def test_a_truth_value_is_a_word_or_an_expression_that_yields_one(
    text: str, expected: bool | None
) -> None:
    assert truth_of(text) is expected


def test_names_are_found_whatever_their_case_and_an_empty_value_is_none() -> None:
    knobs = Knobs({"Group_Names": " a, b ", "GROUP_QUOTA_a": "  "})

    assert knobs.text("GROUP_NAMES") == "a, b"
    assert knobs.text("GROUP_QUOTA_A") is None
    assert knobs.number("GROUP_QUOTA_a", 7, 0, 10) == 7
    assert knobs.problems == []


def test_what_is_neither_true_nor_false_is_reported_and_the_default_stands() -> None:
    knobs = Knobs({"GROUP_ACCEPT_SURPLUS_a": "maybe"})

    assert knobs.boolean("GROUP_ACCEPT_SURPLUS_a", True, "a") is True
    assert knobs.problems == [TreeProblem("not-a-boolean", "a", "GROUP_ACCEPT_SURPLUS_a", "maybe")]
    assert knobs.problems[0].fatal
    assert knobs.problems[0].message == "GROUP_ACCEPT_SURPLUS_a is neither true nor false: maybe"
