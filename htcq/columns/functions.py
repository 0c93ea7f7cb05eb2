"""Functions of columns (src/classad/fnCall.cpp, HTCondor 25.14): those of numbers and of types.

All others are called in the ClassAd library (:mod:`htcq.columns.library`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Callable

import numpy as np

from htcq.columns import states
from htcq.columns.arithmetic import truth_as_number
from htcq.columns.column import (
    Column,
    booleans,
    constant,
    integers,
    real_numbers,
    select,
    with_state,
)
from htcq.columns.comparison import COMPARISONS

Array = Any
#: What each of these functions asks for.
TYPES: Mapping[str, int] = {
    "isundefined": states.UNDEFINED,
    "iserror": states.ERROR,
    "isstring": states.STRING,
    "isinteger": states.INTEGER,
    "isreal": states.REAL,
    "isboolean": states.BOOLEAN,
    "islist": 0,
    "isclassad": 0,
}
_ROUNDED: Mapping[str, Callable[[Array], Array]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "ceiling": np.ceil,
    "round": np.rint,
    "int": np.trunc,
}
#: Functions of one number; other arguments are left to the library.
OF_NUMBER = frozenset({*_ROUNDED, "real"})
#: Functions of a list of numbers, and how a better one compares.
BOUNDS = {"min": "<", "max": ">"}
_EXTREMES: Mapping[str, Callable[[Array, Array], Array]] = {"min": np.minimum, "max": np.maximum}
_END = 2.0**63


def is_type(function: str, column: Column) -> Column:
    """Return whether the rows of ``column`` are of the type that ``function`` asks for."""
    result = booleans(column.is_in(TYPES[function]))
    if not column.possible & states.UNKNOWN:
        return result
    return with_state(result, column.is_in(states.UNKNOWN), states.UNKNOWN)


def of_number(function: str, column: Column) -> Column:
    """Return a function of numbers; rows that are none mean nothing."""
    if function == "real":
        return real_numbers(column.reals())
    whole = integers(column.integers())
    if not column.possible & states.REAL:
        return whole
    found = _ROUNDED[function](column.real)
    # What becomes of a number without 64-bit equal depends on the processor.
    fits = (found >= -_END) & (found < _END)
    result = integers(np.where(fits, found, 0).astype(np.int64))
    result = with_state(result, ~fits, states.UNKNOWN)
    return select(column.is_in(states.REAL), result, whole)


def bound(function: str, columns: Sequence[Column]) -> Column:
    """Return the least or greatest of several numbers; those that are undefined do not count.

    As in HTCondor, a number that was compared with a real is a real from then on, and a truth value
    that was compared is an integer.
    """
    if len(columns) > 1 and all(column.possible == states.INTEGER for column in columns):
        return integers(reduce(_EXTREMES[function], [column.whole for column in columns]))
    result = constant(states.UNDEFINED)
    for column in columns:
        result = _better(COMPARISONS[BOUNDS[function]], column, result)
    return result


def _better(compare: Callable[[Array, Array], Array], column: Column, best: Column) -> Column:
    both = column.is_in(states.NUMBERS) & best.is_in(states.NUMBERS)
    one, other = _promoted(column, best)
    truth = compare(one.whole, other.whole)
    if (one.possible | other.possible) & states.REAL:
        real = one.is_in(states.REAL) & other.is_in(states.REAL)
        truth = np.where(real, compare(one.real, other.real), truth)
    result = select(
        both, select(truth, one, other), select(best.is_in(states.UNDEFINED), column, best)
    )
    for state, rows in (
        (states.ERROR, column.is_in(states.STRING | states.ERROR)),
        (states.ERROR, best.is_in(states.ERROR)),
        (states.UNKNOWN, column.is_in(states.UNKNOWN) | best.is_in(states.UNKNOWN)),
    ):
        if rows.any():
            result = with_state(result, rows, state)
    return result


def _promoted(one: Column, other: Column) -> tuple[Column, Column]:
    """Return both as numbers of one type by row: reals where one is a real, else integers."""
    one, other = truth_as_number(one), truth_as_number(other)
    if not (one.possible | other.possible) & states.REAL:
        return one, other
    real = one.is_in(states.REAL) | other.is_in(states.REAL)
    return (
        select(real, real_numbers(one.reals()), one),
        select(real, real_numbers(other.reals()), other),
    )
