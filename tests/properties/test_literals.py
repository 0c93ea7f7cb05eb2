"""What htcq reads of a text by itself is what HTCondor's library returns for that text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from htcq.classads import Expr, Value, literal
from htcq.errors import PolicyError

_SIGNS = st.sampled_from(["", "-", "+", "--", "- "])
_DIGITS = st.text("0123456789", min_size=1, max_size=25)
_POINTS = st.sampled_from(["", "."])
_EXPONENTS = st.builds(
    "{}{}{}".format,
    st.sampled_from("eE"),
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 420),
)
#: Numbers of every length, some of them misspelled.
_NUMBERS = st.builds(
    "{}{}{}{}{}".format,
    _SIGNS,
    st.one_of(_DIGITS, st.just("")),
    _POINTS,
    st.one_of(_DIGITS, st.just("")),
    st.one_of(_EXPONENTS, st.just("")),
)
_WHOLE = st.integers(-(2**65), 2**65).map(str)
_NEAR_NUMBERS = st.text("019-+.eExXkK_ ", max_size=8)
_WORDS = st.sampled_from(["true", "False", "UNDEFINED", "eRRor", "t", "inf", "NaN", "nan", "truE "])
_STRINGS = st.text("ab 0\t\n\r\x01\x7fé😀'\\\"{}$#", max_size=8).map(lambda text: f'"{text}"')


def _of_library(text: str) -> Value | None:
    """Return what the library makes of ``text``; None where it refuses it."""
    try:
        return Expr(text).evaluate()
    except PolicyError:
        return None


@given(st.one_of(_NUMBERS, _WHOLE, _NEAR_NUMBERS, _WORDS, _STRINGS))
@example("010")
@example("08")
@example("-010")
@example("08.5")
@example("5.")
@example("5.e3")
@example("+5")
@example(" 5 ")
@example("0x1F")
@example("1e400")
@example("-0")
@example("-0.0")
@example("9223372036854775807")
@example("9223372036854775808")
@example("123456789012345678901")
def test_a_literal_is_none_or_what_the_library_returns(text: str) -> None:
    found = literal(text)

    if found is not None:
        # repr() tells -0.0 from 0.0, and 1 from 1.0 and true.
        assert repr(found) == repr(_of_library(text))


@pytest.mark.parametrize(
    "text", ["010", "08", "-00", "5.", "5.e3", "9223372036854775807", "1000000000000000000"]
)
def test_numbers_that_the_library_reads_in_its_own_way_are_no_literals(text: str) -> None:
    assert literal(text) is None


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_whole_numbers_of_18_digits_are_literals(number: int) -> None:
    assert literal(str(number)) == number == _of_library(str(number))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_reals_are_literals_as_python_writes_them(number: float) -> None:
    found = literal(repr(number))

    assert repr(found) == repr(number) == repr(_of_library(repr(number)))
