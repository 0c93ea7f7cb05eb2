"""Three-valued logic of columns.

Follows shortCircuit and doLogical of src/classad/operators.cpp, HTCondor 25.14. Each row is
one of six cases, and each operator is a table of them. A number counts as true where it is not 0,
a NaN too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from htcq.columns import states
from htcq.columns.column import Column, booleans, constant, select, with_state

Array = Any
_CASES = "FTUESX"
_FALSE, _TRUE, _UNDEFINED, _ERROR, _STRING, _UNKNOWN = range(len(_CASES))
#: Rows: the left operand is false, true, undefined, an error, a string, unknown; columns: the
#: right one.
_AND = """
    F F F F F F
    F T U E E X
    F U U E E X
    E E E E E E
    E E E E E X
    X X X X X X
"""
_OR = """
    F T U E E X
    T T T T T T
    U T U E E X
    E E E E E E
    E E E E E X
    X X X X X X
"""
_STATE = np.array(
    [states.BOOLEAN, states.BOOLEAN, states.UNDEFINED, states.ERROR, states.ERROR, states.UNKNOWN],
    np.uint8,
)
_NOT = np.array([_TRUE, _FALSE, _UNDEFINED, _ERROR, _ERROR, _UNKNOWN], np.uint8)


def _table(text: str) -> Array:
    return np.array([_CASES.index(case) for case in text.split()], np.uint8)


_TABLES = {"&&": _table(_AND), "||": _table(_OR)}


def _true(whole: Array) -> Array:
    return whole if whole.dtype == bool else whole != 0


def _cases(column: Column) -> Array:
    """Return the case of each row."""
    cases = _true(column.whole).view(np.uint8)
    if column.possible & states.REAL:
        real = (column.real != 0).view(np.uint8)
        cases = np.where(column.is_in(states.REAL), real, cases)
    if not column.possible & ~states.NUMBERS:
        return cases
    for state, case in (
        (states.UNDEFINED, _UNDEFINED),
        (states.ERROR, _ERROR),
        (states.STRING, _STRING),
        (states.UNKNOWN, _UNKNOWN),
    ):
        if column.possible & state:
            cases = np.where(column.is_in(state), np.uint8(case), cases)
    return cases


def _column(cases: Array) -> Column:
    found = _STATE[cases]
    possible = int(np.bitwise_or.reduce(found))
    if possible == states.BOOLEAN:
        return booleans(cases.view(bool))
    return Column(possible, found, cases == _TRUE)


def joined(operator: str, left: Column, right: Column) -> Column:
    """Return ``left && right`` or ``left || right``."""
    if not (left.possible | right.possible) & ~states.WHOLE:
        join = np.logical_and if operator == "&&" else np.logical_or
        return booleans(join(left.whole, right.whole))
    return _column(_TABLES[operator][_cases(left) * len(_CASES) + _cases(right)])


def decided(operator: str, left: Column) -> bool:
    """Return whether the left operand alone decides every row."""
    if not left.possible & ~states.WHOLE:
        return not left.whole.any() if operator == "&&" else bool(left.whole.all())
    rows = _cases(left)
    deciding = _FALSE if operator == "&&" else _TRUE
    return bool(((rows == deciding) | (rows == _ERROR) | (rows == _UNKNOWN)).all())


def opposite(column: Column) -> Column:
    """Return ``!column``."""
    if not column.possible & ~states.WHOLE:
        return booleans(np.logical_not(column.whole))
    return _column(_NOT[_cases(column)])


def always(condition: Column) -> bool | None:
    """Return which branch a condition takes in all rows; None where there is no one branch."""
    if condition.possible == states.BOOLEAN and len(condition.whole) == 1:
        return bool(condition.whole[0])
    rows = _cases(condition)
    if (rows == _TRUE).all():
        return True
    return False if (rows == _FALSE).all() else None


def chosen(condition: Column, then: Column, otherwise: Column) -> Column:
    """Return ``condition ? then : otherwise``."""
    rows = _cases(condition)
    result = select(rows == _TRUE, then, otherwise)
    for case, state in (
        (_UNDEFINED, states.UNDEFINED),
        (_ERROR, states.ERROR),
        (_STRING, states.ERROR),
        (_UNKNOWN, states.UNKNOWN),
    ):
        found = rows == case
        if found.any():
            result = select(found, constant(state), result)
    return _hidden(result, rows, then, otherwise)


def _hidden(result: Column, rows: Array, then: Column, otherwise: Column) -> Column:
    """Leave to the library where a condition is no truth value and a branch is unknown.

    The library may evaluate both branches then, and a failure of one fails the whole.
    """
    if not (then.possible | otherwise.possible) & states.UNKNOWN:
        return result
    neither = (rows == _UNDEFINED) | (rows == _STRING)
    unknown = then.is_in(states.UNKNOWN) | otherwise.is_in(states.UNKNOWN)
    return with_state(result, neither & unknown, states.UNKNOWN)


def defaulted(column: Column, otherwise: Column) -> Column:
    """Return ``column ?: otherwise``: the other where the first is undefined."""
    return select(column.is_in(states.UNDEFINED), otherwise, column)
