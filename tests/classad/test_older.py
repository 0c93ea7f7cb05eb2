"""Expected values: what condor_status 23.9.6 and 25.14.1 print for the same expression of one ad."""

from __future__ import annotations

import pytest

from htcq.classad.older import as_before, reads_otherwise
from htcq.classads import Ad, Expr

#: Expression; its value to 23.9.6, and to 25.14.1. A is 1, B and C are undefined, M is "Hardlink".
SEEN = [
    ("5 + B ?: 7", 7, 12),
    ("B ?: 7 + 1", 8, 8),
    ("B ?: 1 > 3 ? 10 : 20", 20, 20),
    ("false ? 1 : B ?: 2 + 3", 5, 5),
    ('M ?: "" != "Copy"', "Hardlink", True),
    ("A ?: -1", 1, 1),
]


@pytest.mark.parametrize(("text", "older", "newer"), SEEN)
def test_both_readings_give_what_both_versions_give(
    text: str, older: object, newer: object
) -> None:
    ad = Ad({"A": 1, "M": "Hardlink"})

    assert Expr(text).evaluate(ad) == newer
    assert Expr(as_before(text) or text).evaluate(ad) == older


@pytest.mark.parametrize(
    "text",
    [
        "A ?: B", "(A ?: B) && C", "f(A ?: 0) > 1", "A ?: B ?: C", '"?: + 1"', "'A ?: + 1'", "A ?: -1", "A[0] ?: f(x)",
        "max({1, ceiling(TARGET.RequestCpus ?: 0)})", "[x = A ?: 1; y = B ?: 2]", "A ? B : C + 1",
    ],
)  # fmt: skip
def test_most_expressions_mean_the_same_to_both(text: str) -> None:
    assert not reads_otherwise(text)


@pytest.mark.parametrize(
    ("text", "older"),
    [
        ("A && B ?: C || D", "(A && B) ?: (C || D)"),
        ("{ A ?: 1, B ?: 2 * 3 }", "{ A ?: 1, B ?: (2 * 3) }"),
        ("[x = A ?: B + 1]", "[x = A ?: (B + 1)]"),
        ("-A ?: B ? C : D", "(-A) ?: (B ? C : D)"),
        ("A ?: B ?: C + 1", "A ?: B ?: (C + 1)"),
        ('(A + 1) ?: "?: + 1" + B // ?: C', '(A + 1) ?: ("?: + 1" + B) // ?: C'),
        ("A ? B ?: C + 1 : D", "A ? B ?: (C + 1) : D"),
    ],
)
def test_what_the_operator_took_is_in_parentheses(text: str, older: str) -> None:
    assert as_before(text) == older


@pytest.mark.parametrize(
    "text", ["(" * 5000 + "A ?: B + 1" + ")" * 5000, "A ?: " * 5000 + "B + 1", '"' * 999 + " ?: + 1", "A ? ?: :: + ("]
)  # fmt: skip
def test_what_nobody_can_read_does_no_harm(text: str) -> None:
    as_before(text)
