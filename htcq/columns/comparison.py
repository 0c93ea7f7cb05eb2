"""Comparison of columns (src/classad/operators.cpp:doComparison, HTCondor 25.14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

from htcq.columns import states
from htcq.columns.column import Column, booleans, with_state
from htcq.columns.texts import Texts

Array = Any
_Compare = Callable[[Array, Array], Array]
COMPARISONS: Mapping[str, _Compare] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
IDENTITIES = frozenset({"=?=", "=!="})


def compared(operator: str, left: Column, right: Column, texts: Texts) -> Column:
    """Return ``left operator right``; strings are compared without case."""
    compare = COMPARISONS[operator]
    possible = left.possible | right.possible
    if not possible & ~states.NUMBERS:
        return booleans(_numbers(compare, left, right))
    if possible == states.STRING:
        return booleans(_of_strings(operator, left.whole, right.whole, texts))
    joint = left.state | right.state
    truth = _numbers(compare, left, right)
    both_possible = left.possible & right.possible & states.STRING
    if both_possible:
        same = _strings(operator, left, right, texts)
        truth = np.where(joint == states.STRING, same, truth)
    return strict(booleans(truth), joint, possible, (states.NUMBERS, states.STRING))


def strict(result: Column, joint: Array, possible: int, allowed: tuple[int, ...]) -> Column:
    """Return ``result`` with the exceptions that operands bring in.

    ``joint`` has the states of both operands in each row; they must be in one of the sets
    ``allowed``, or the row is an error. An error hides undefined.
    """
    if possible & states.STRING or len(allowed) == 1:
        fits = np.zeros(1, bool)
        for each in allowed:
            fits = fits | ((joint & ~np.uint8(each | states.EXCEPTIONS)) == 0)
        if not fits.all():
            result = with_state(result, ~fits, states.ERROR)
    for exception in (states.UNDEFINED, states.ERROR, states.UNKNOWN):
        if possible & exception:
            rows = (joint & exception) != 0
            if rows.any():
                result = with_state(result, rows, exception)
    return result


def _numbers(compare: _Compare, left: Column, right: Column) -> Array:
    """Compare what are numbers: as integers where both are, else as reals."""
    if not (left.possible | right.possible) & states.REAL:
        return compare(left.whole, right.whole)
    truth = compare(left.reals(), right.reals())
    if not (left.possible & states.WHOLE and right.possible & states.WHOLE):
        return truth
    both_whole = ((left.state | right.state) & states.REAL) == 0
    return np.where(both_whole, compare(left.whole, right.whole), truth)


def _strings(operator: str, left: Column, right: Column, texts: Texts) -> Array:
    # Rows that are no strings have numbers that are no codes.
    one = np.where(left.is_in(states.STRING), left.whole, 0)
    other = np.where(right.is_in(states.STRING), right.whole, 0)
    return _of_strings(operator, one, other, texts)


def _of_strings(operator: str, one: Array, other: Array, texts: Texts) -> Array:
    if operator in ("==", "!="):
        return COMPARISONS[operator](texts.folded(one), texts.folded(other))
    return COMPARISONS[operator](*texts.ranks(one, other))


def identical(operator: str, left: Column, right: Column) -> Column:
    """Return ``left =?= right`` or ``left =!= right``: equal in type and value, strings in case."""
    possible = left.possible | right.possible
    same = left.state == right.state
    if possible & (states.WHOLE | states.STRING):
        differ = left.is_in(states.WHOLE | states.STRING) & (left.whole != right.whole)
        same = same & ~differ
    if possible & states.REAL:
        # A NaN is not even itself.
        same = same & ~(left.is_in(states.REAL) & (left.real != right.real))
    result = booleans(same if operator == "=?=" else ~same)
    if possible & states.UNKNOWN:
        unknown = ((left.state | right.state) & states.UNKNOWN) != 0
        result = with_state(result, unknown, states.UNKNOWN)
    return result
