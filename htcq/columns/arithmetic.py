"""Arithmetic and bits of columns.

Follows doArithmetic and doBitwise of src/classad/operators.cpp, HTCondor 25.14. Integers wrap
at 64 bits. A real result of plus infinity is an error; minus infinity and NaN are values. A
remainder of reals is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

from htcq.columns import states
from htcq.columns.column import Column, integers, real_numbers, select, with_state
from htcq.columns.comparison import strict

Array = Any
_LOWEST, _HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
ARITHMETIC = frozenset("+-*/%")
_PLAIN: Mapping[str, Callable[[Array, Array], Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
}
_BITS: Mapping[str, Callable[[Array, Array], Array]] = {
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}


def computed(operator: str, left: Column, right: Column) -> Column:
    """Return the sum, difference, product, quotient or remainder; booleans count as 0 and 1."""
    possible = left.possible | right.possible
    joint = left.state | right.state
    if not possible & states.REAL:
        result = _of_integers(operator, left.integers(), right.integers())
    elif left.possible & states.WHOLE and right.possible & states.WHOLE:
        result = select(
            (joint & states.REAL) == 0,
            _of_integers(operator, left.integers(), right.integers()),
            _of_reals(operator, left.reals(), right.reals()),
        )
    else:
        result = _of_reals(operator, left.reals(), right.reals())
    if not possible & ~states.NUMBERS:
        return result
    return strict(result, joint, possible, (states.NUMBERS,))


def _of_integers(operator: str, left: Array, right: Array) -> Column:
    if operator in _PLAIN:
        return integers(_PLAIN[operator](left, right))
    zero = right == 0
    # The lowest number has no positive twin, so that its division by -1 is an exception.
    overflow = (left == _LOWEST) & (right == -1)
    divisor = np.where(zero | overflow, 1, right)
    rest = np.fmod(left, divisor)
    if operator == "%":
        found = np.where(overflow, 0, rest)
    else:
        found = np.where(overflow, _HIGHEST, (left - rest) // divisor)
    result = integers(found)
    return with_state(result, zero, states.ERROR) if zero.any() else result


def _of_reals(operator: str, left: Array, right: Array) -> Column:
    if operator == "%":
        return with_state(real_numbers(np.zeros(1)), np.ones(1, bool), states.ERROR)
    found = left / right if operator == "/" else _PLAIN[operator](left, right)
    result = real_numbers(found)
    infinite = found == np.inf
    return with_state(result, infinite, states.ERROR) if infinite.any() else result


def negated(column: Column) -> Column:
    """Return ``-column``; of a truth value it is an error."""
    result = select(
        column.is_in(states.REAL), real_numbers(-column.real), integers(-column.integers())
    )
    return _of_numbers(result, column)


def plus(column: Column) -> Column:
    """Return ``+column``, which is an error of a truth value or a string."""
    return _of_numbers(column, column)


def _of_numbers(result: Column, operand: Column) -> Column:
    return strict(result, operand.state, operand.possible, (states.INTEGER | states.REAL,))


def inverted(column: Column) -> Column:
    """Return ``~column``; of anything but an integer it is an error."""
    return strict(integers(~column.integers()), column.state, column.possible, (states.INTEGER,))


def bitwise(operator: str, left: Column, right: Column) -> Column:
    """Return the bits of two integers joined, or those of one shifted."""
    if operator in _BITS:
        result = integers(_BITS[operator](left.integers(), right.integers()))
    else:
        result = _shifted(operator, left.integers(), right.integers())
    joint = left.state | right.state
    return strict(result, joint, left.possible | right.possible, (states.INTEGER,))


def _shifted(operator: str, bits: Array, by: Array) -> Column:
    # What the library makes of other distances depends on the processor.
    sensible = (by >= 0) & (by < 64)
    if operator == ">>>":
        sensible = sensible & ((by > 0) | (bits >= 0))
    by = np.where(sensible, by, 0)
    if operator == "<<":
        found = np.left_shift(bits, by)
    elif operator == ">>":
        found = np.right_shift(bits, by)
    else:
        found = np.right_shift(bits.astype(np.uint64), by.astype(np.uint64)).astype(np.int64)
    result = integers(found)
    return result if sensible.all() else with_state(result, ~sensible, states.UNKNOWN)


def truth_as_number(column: Column) -> Column:
    """Return ``column`` with truth values as 0 and 1."""
    if not column.possible & states.BOOLEAN:
        return column
    number = integers(column.integers())
    return select(column.is_in(states.BOOLEAN), number, column)
