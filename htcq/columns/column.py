"""One value for each of many rows, typed as ClassAd values are."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from htcq.classads import ERROR, UNDEFINED, Missing, Value
from htcq.columns import states
from htcq.columns.texts import Texts

Array = Any
#: What a row of a table may be: a value, or None where the ad lacks the attribute.
Cell = Union[Value, None]
_NO_WHOLE, _NO_REAL = np.zeros(1, np.int64), np.zeros(1, np.float64)
_FITS = 2**63
_STATES = {1 << bit: np.full(1, 1 << bit, np.uint8) for bit in range(8)}


class Column(NamedTuple):
    """Values by row; each array has one element for each row, or a single one that holds for all.

    ``possible`` is a superset of the states that occur. ``whole`` has booleans, integers and the
    numbers of strings, ``real`` has reals; where ``state`` says otherwise, they mean nothing.
    The array of a column of booleans alone may be one of booleans.
    """

    possible: int
    state: Array
    whole: Array = _NO_WHOLE
    real: Array = _NO_REAL

    @property
    def rows(self) -> int:
        """How many rows it has; 1 where one value holds for all."""
        return max(len(self.state), len(self.whole), len(self.real))

    @property
    def size(self) -> int:
        """How many bytes it takes; one value for all rows counts for nothing."""
        return sum(part.nbytes for part in self[1:] if len(part) > 1)

    def at(self, rows: Array) -> Column:
        """Return the values of some rows."""
        possible, state, whole, real = self
        if len(state) > 1:
            state = state[rows]
        if len(whole) > 1:
            whole = whole[rows]
        if len(real) > 1:
            real = real[rows]
        return Column(possible, state, whole, real)

    def with_rows(self, count: int, rows: Array, values: Column) -> Column:
        """Return ``count`` values, those of ``values`` in some rows."""
        parts = []
        for part, put in zip(self[1:], values[1:]):
            # A value of another type may need more room; a single element stands for all rows.
            whole = np.empty(count, np.promote_types(part.dtype, put.dtype))
            whole[:] = part
            whole[rows] = put
            parts.append(whole)
        return Column(self.possible | values.possible, *parts)

    def is_in(self, wanted: int) -> Array:
        """Return whether each row is in one of the states ``wanted``."""
        return (self.state & wanted) != 0

    def integers(self) -> Array:
        """Return booleans and integers as 64-bit numbers."""
        return self.whole.astype(np.int64, copy=False)

    def reals(self) -> Array:
        """Return the numbers as reals."""
        if not self.possible & states.WHOLE:
            return self.real
        whole = self.whole.astype(np.float64)
        if not self.possible & states.REAL:
            return whole
        return np.where(self.is_in(states.REAL), self.real, whole)


def spread(values: Array, rows: int) -> Array:
    """Return so many values; a single one stands for all."""
    if len(values) == rows:
        return values
    return values.repeat(rows)


def constant(state: int) -> Column:
    """Return a column that is ``state`` in every row."""
    return Column(state, _STATES[state])


UNKNOWN = constant(states.UNKNOWN)


def booleans(truth: Array) -> Column:
    """Return a column of truth values."""
    return Column(states.BOOLEAN, _STATES[states.BOOLEAN], truth)


def integers(whole: Array) -> Column:
    """Return a column of integers."""
    return Column(states.INTEGER, _STATES[states.INTEGER], whole)


def real_numbers(real: Array) -> Column:
    """Return a column of reals."""
    return Column(states.REAL, _STATES[states.REAL], _NO_WHOLE, real)


def select(first: Array, one: Column, other: Column) -> Column:
    """Return the rows of ``one`` where ``first`` holds, and those of ``other`` elsewhere."""
    return Column(
        one.possible | other.possible,
        np.where(first, one.state, other.state),
        _selected(first, one.whole, other.whole, _NO_WHOLE),
        _selected(first, one.real, other.real, _NO_REAL),
    )


def _selected(first: Array, one: Array, other: Array, unused: Array) -> Array:
    if one is unused:
        return other
    return one if other is unused else np.where(first, one, other)


def with_state(column: Column, rows: Array, state: int) -> Column:
    """Return ``column`` with another state in some rows."""
    return column._replace(
        possible=column.possible | state, state=np.where(rows, np.uint8(state), column.state)
    )


def column_of(cells: Sequence[Cell], texts: Texts) -> Column:
    """Return the column of ``cells``."""
    found = {_state(kind) for kind in set(map(type, cells))}
    if len(found) == 1 and (column := _of_one_type(found.pop(), cells, texts)) is not None:
        return column
    return _of_each(cells, texts)


def _of_one_type(state: int, cells: Sequence[Any], texts: Texts) -> Column | None:
    """Return the column of cells of one type; None where each must be looked at."""
    if state == states.INTEGER and min(cells) >= -_FITS and max(cells) < _FITS:
        return integers(np.array(cells, np.int64))
    if state == states.REAL:
        return real_numbers(np.array(cells, np.float64))
    if state == states.BOOLEAN:
        return booleans(np.array(cells, bool))
    if state == states.STRING and not any("\0" in cell for cell in cells):
        codes = np.array([texts.code(cell) for cell in cells], np.int64)
        return Column(state, _STATES[state], codes)
    return None


def _of_each(cells: Sequence[Cell], texts: Texts) -> Column:
    state = np.zeros(len(cells), np.uint8)
    whole, real = np.zeros(len(cells), np.int64), np.zeros(len(cells))
    for row, cell in enumerate(cells):
        found = state[row] = _state_of(cell)
        if found == states.STRING:
            whole[row] = texts.code(cell)  # type: ignore[arg-type]
        elif found & states.WHOLE:
            whole[row] = cell  # type: ignore[assignment]
        elif found == states.REAL:
            real[row] = cell  # type: ignore[assignment]
    possible = functools.reduce(operator.or_, np.unique(state).tolist(), 0)
    return Column(
        possible,
        state,
        whole if possible & (states.WHOLE | states.STRING) else _NO_WHOLE,
        real if possible & states.REAL else _NO_REAL,
    )


def stored(cell: Cell) -> Cell:
    """Return ``cell`` as an ad keeps it: a number beyond 64 bits is a real (htcq.classads.Ad)."""
    if isinstance(cell, str) and not cell.isascii():
        return cell.encode("utf-8", "replace").decode("utf-8")
    if isinstance(cell, int) and abs(cell) >= _FITS:
        return float(cell)
    return cell


def _state(kind: type) -> int:
    """Return the state of cells of one Python type; 0 where the value decides."""
    return {
        bool: states.BOOLEAN, int: states.INTEGER, float: states.REAL, str: states.STRING,
        type(None): states.ABSENT,
    }.get(kind, 0)  # fmt: skip


def _state_of(cell: Cell) -> int:
    if isinstance(cell, Missing):
        return states.UNDEFINED if cell is UNDEFINED else states.ERROR
    state = _state(type(cell))
    if isinstance(cell, int) and not -_FITS <= cell < _FITS:
        return states.UNKNOWN
    return states.UNKNOWN if isinstance(cell, str) and "\0" in cell else state


def value_at(column: Column, row: int, texts: Texts) -> Value | None:
    """Return the value of one row; None where it is left to the library or absent."""
    state, whole, real = (part[row if len(part) > 1 else 0] for part in column[1:])
    if state == states.INTEGER:
        return int(whole)
    if state == states.BOOLEAN:
        return bool(whole)
    if state == states.REAL:
        return float(real)
    if state == states.STRING:
        return texts.known[int(whole)]
    if state == states.UNDEFINED:
        return UNDEFINED
    return ERROR if state == states.ERROR else None
