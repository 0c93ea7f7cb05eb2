"""Sums and floats as C++ has them."""

from __future__ import annotations

import math

from htcq.quota.cpp_float import as_float, total


def test_a_sum_is_rounded_after_every_number() -> None:
    """0.1 ten times comes to a bit less than 1 in doubles, 1e16 swallows a 1: no compensation as in newer Pythons."""
    assert total([0.1] * 10) == 0.9999999999999999
    assert total([1e16, 1.0, -1e16]) == 0.0


def test_a_sum_of_whole_numbers_stays_whole() -> None:
    """Weights that are integers are shown without a point."""
    assert str(total([1, 2, 3])) == "6"
    assert str(total([])) == "0"


def test_a_float_has_24_binary_digits() -> None:
    """IEEE 754 single precision: 2**24 + 1 is the first whole number that it does not have."""
    assert as_float(2.0**24 + 1) == 2.0**24
    assert as_float(0.1) != 0.1
    assert as_float(1e300) == math.inf
    assert as_float(-1e300) == -math.inf
