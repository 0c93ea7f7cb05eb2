"""The doorway to ClassAds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from htcq.classads import ERROR, LONGEST, UNDEFINED, Ad, Expr, Value, as_number, is_number, literal
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
    [
        (2, 2),
        (2.0, 2),
        (2.5, 2.5),
        (True, 1),
        ("2", None),
        (UNDEFINED, None),
        (ERROR, None),
        (float("nan"), None),
    ],
)
def test_what_counts_as_a_number(value: Value, expected: float | None) -> None:
    """src/classad/value.cpp, 25.14: booleans do, texts do not; and undefined is not 2.0, as float() would have it."""
    assert expected == as_number(value)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite_is_no_number(value: float) -> None:
    assert as_number(value) is None


@pytest.mark.parametrize(
    ("value", "expected"), [(1, True), (1.5, True), (False, True), ("1", False), (ERROR, False)]
)
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


ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "expression",
    [
        'split("a, b c")[1] == "b"',
        'versionGE("25.14.1", "25.12.0")',
        'versionGE(split("$CondorVersion: 25.14.1 2026-10-16 $")[1], "25.12.0")',
        'stringListMember("b", "a,b")',
        'size(split("a b")) == 2',
    ],
)
def test_functions_of_htcondor_are_known_from_the_first_evaluation_on(expression: str) -> None:
    """In a process that has parsed nothing before; the default Requirements of jobs use them."""
    program = f"from htcq.classads import Expr; print(Expr({expression!r}).evaluate())"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )

    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("-8", -8),
        ("0.5", 0.5),
        ("-1.0E+10", -1e10),
        ("3e2", 300.0),
        ("true", True),
        ("FALSE", False),
        ("undefined", UNDEFINED),
        ("Error", ERROR),
        ('"text"', "text"),
        ('""', ""),
        ("999999999999999999", 999999999999999999),
    ],
)
def test_a_literal_is_what_the_library_says_it_is(text: str, value: Value) -> None:
    found = literal(text)

    assert (found, type(found)) == (value, type(value))
    assert Expr(text).evaluate() == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Cpus",
        "1 + 1",
        "{1}",
        '"a" + "b"',
        '"',
        '"a" "b"',
        "1.5.2",
        "0x10",
        "1K",
        "- 8",
        "1e",
        '"a\0b"',
        "8 ",
    ],
)
def test_everything_else_is_no_literal(text: str) -> None:
    assert literal(text) is None


def test_references_are_told_apart_by_scope() -> None:
    found = Expr(
        'MY.Cpus > TARGET.RequestCpus && Other == "Text" && size(split(TARGET.List)) > my.x.y'
    ).references()

    assert found.own == {"cpus", "other", "x"}
    assert found.target == {"requestcpus", "list"}


def test_references_of_a_chain_too_long_for_the_library_are_its_words() -> None:
    assert Expr("a" + ".b" * 10_000).references().own == {"a", "b"}


@pytest.mark.parametrize("text", ["1" + " + 1" * LONGEST, "(" * 300 + "1" + ")" * 300, "1 \0+ 1"])
def test_what_would_overflow_the_library_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(PolicyError) as refused:
        Expr(text)

    assert refused.value.hint


def test_an_expression_too_deep_to_evaluate_is_an_error_as_in_the_daemons() -> None:
    assert Expr("1" + " + 1" * 5000).evaluate() is ERROR


def test_a_text_may_have_any_byte() -> None:
    """Bytes that are no UTF-8 are surrogates, as Python's own functions for files have them."""
    text = b"Jos\xe9\xff".decode("utf-8", "surrogateescape")

    assert Expr(f'strcat("{text}", "b")').evaluate() == f"{text}b"
    assert Ad({"A": text}).value("A") == text
    assert Expr(f'A == "{text}"').evaluate(Ad({"A": text})) is True
    # A list of the bytes of letters.
    assert Expr('split("\u00c9", "\u00e9")').evaluate() is ERROR


@pytest.mark.parametrize(
    ("value", "held"),
    [("\ud800", "?"), ("é", "é"), (10**300, 1e300), (-(2**63) - 1, -(2.0**63)), (2**62, 2**62)],
)
def test_an_ad_holds_whatever_it_is_given(value: int | str, held: Value) -> None:
    """A lone surrogate would end the process, and a whole number of more than 64 bits is none to the library."""
    assert Ad({"A": value}).value("A") == held


def test_a_number_beyond_64_bits_is_no_whole_number() -> None:
    assert isinstance(as_number(1e300), float)
    assert isinstance(as_number(1e15), int)
