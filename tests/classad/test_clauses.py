"""Conditions taken apart at their outermost operators, with the texts that their authors wrote."""

from __future__ import annotations

import pytest

from htcq.classad.clauses import bare, choice, comparison, conjuncts, disjuncts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A && B && C", ["A", "B", "C"]),
        ("( (A && B) && (C) )", ["A && B", "C"]),
        ("A && (B && C)", ["A", "B && C"]),
        ("A && B || C", ["A && B || C"]),
        ("A && B ? C : D", ["A && B ? C : D"]),
        ('regexp("^te\\w+$", A) && B', ['regexp("^te\\w+$", A)', "B"]),
        ('A == "a && \\" && b" && B', ['A == "a && \\" && b"', "B"]),
        ("A // && C\n && B", ["A", "B"]),
        ("A /* && */ && 'B && C'", ["A", "'B && C'"]),
        (" A &&& B ", ["A &&& B"]),
    ],
)
def test_what_must_all_hold(text: str, expected: list[str]) -> None:
    assert conjuncts(text) == expected


def test_what_one_of_must_hold() -> None:
    assert disjuncts("A && B || (C || D) || !E") == ["A && B", "C || D", "!E"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(Memory >= (50 * 1024))", ("Memory", ">=", "50 * 1024")),
        ("A + 1 < B ?: 2", ("A + 1", "<", "B ?: 2")),
        ("1 < A < 3", None),
        ("(1 < A) < 3", ("1 < A", "<", "3")),
        ("A < B && C", None),
        ("A < B == C", None),
    ],
)
def test_a_comparison_by_size(text: str, expected: tuple[str, str, str] | None) -> None:
    assert comparison(text) == expected


def test_a_choice() -> None:
    assert choice("IfThenElse( A, (B) , f(C, D))") == ("A", "B", "f(C, D)")
    assert choice("ifThenElse(A, B, C) && D") is None


def test_brackets_around_all_of_it() -> None:
    assert bare(" ( ((A) + (B)) ) ") == "(A) + (B)"
    assert bare("(" * 3000 + "A" + ")" * 3000).startswith("((")
