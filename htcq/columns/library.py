"""Functions evaluated by the ClassAd library, once for each distinct set of arguments.

What a function makes of equal arguments is the same wherever it stands, so that this is exact; and
slots have few distinct strings. Only functions whose value depends on nothing else are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from htcq.classad.tree import Literal
from htcq.classads import ERROR, Ad, Expr, Missing, Value, parsed
from htcq.columns import states
from htcq.columns.column import UNKNOWN, Cell, Column, column_of, value_at, with_state
from htcq.columns.program import ColumnStep
from htcq.columns.texts import Texts

Array = Any
#: Functions of src/classad/fnCall.cpp and src/condor_utils/compat_classad.cpp (25.14) that depend
#: on their arguments alone: on no clock, no dice, no configuration, no ad.
PURE = frozenset({
    "isundefined", "iserror", "isstring", "isinteger", "isreal", "islist", "isclassad", "isboolean",
    "member", "identicalmember", "size", "sum", "avg", "min", "max", "anycompare", "allcompare",
    "strcat", "join", "toupper", "tolower", "substr", "strcmp", "stricmp",
    "versioncmp", "versionle", "versionlt", "versionge", "versiongt", "versioneq",
    "version_in_range", "regexp", "regexpmember", "regexps", "replace", "replaceall",
    "int", "real", "string", "bool", "floor", "ceil", "ceiling", "round", "pow", "quantize",
    "ifthenelse", "interval", "stringlistsintersect", "stringlistsize", "stringlistsum",
    "stringlistavg", "stringlistmin", "stringlistmax", "stringlistmember", "stringlistimember",
    "stringlistsubsetmatch", "stringlistisubsetmatch", "stringlist_regexpmember",
    "splitusername", "splitslotname", "split",
})  # fmt: skip
_MOST_KNOWN = 200_000


class Library:
    """Values of functions, kept by the text and the arguments; and of literals."""

    def __init__(self, strings: Texts) -> None:
        self.strings = strings
        self._literals: dict[Literal, Column] = {}
        self._known: dict[tuple[object, ...], Cell] = {}
        #: Calls by their text and the steps of their arguments, which all expressions share.
        self.steps: dict[tuple[object, ...], ColumnStep] = {}
        #: How many evaluations the ClassAd library made.
        self.calls = 0

    def literal(self, tree: Literal) -> Column:
        """Return a value that an expression spells out, as a column."""
        column = self._literals.get(tree)
        if column is None:
            if len(self._literals) > _MOST_KNOWN:
                self._literals.clear()
            column = self._literals[tree] = column_of((tree.value,), self.strings)
        return column

    def of(self, text: str, arguments: Sequence[Column]) -> Column:
        """Return what ``text`` is with A0, A1, … as ``arguments``; unknown where one is."""
        expression = parsed(text)
        if expression is None or not text.isascii():
            return UNKNOWN
        if all(column.rows == 1 for column in arguments):
            cell = self._value(expression, self._cells(arguments, 0))
            return UNKNOWN if cell is None else column_of((cell,), self.strings)
        rows, inverse = distinct(arguments)
        found = [self._value(expression, self._cells(arguments, row)) for row in rows]
        column = column_of([_unabsent(cell) for cell in found], self.strings)
        if None in found:
            missing = np.array([cell is None for cell in found])
            column = with_state(column, missing, states.UNKNOWN)
        return column if column.rows == 1 else column.at(inverse)

    def _cells(self, arguments: Sequence[Column], row: int) -> tuple[Cell, ...]:
        return tuple(value_at(column, row, self.strings) for column in arguments)

    def _value(self, expression: Expr, cells: tuple[Cell, ...]) -> Cell:
        """Return the value of ``expression``; None where it is left to the whole."""
        if any(cell is None or not _is_plain(cell) for cell in cells):
            return None
        # 1, 1.0 and true are equal keys, 0.0 and -0.0 are; an expression tells them apart.
        key = (expression.text, *map(repr, cells))
        if key not in self._known:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._evaluated(expression, cells)
        return self._known[key]

    def _evaluated(self, expression: Expr, cells: tuple[Cell, ...]) -> Cell:
        self.calls += 1
        ad = Ad()
        for place, cell in enumerate(cells):
            ad[f"A{place}"] = Expr(cell.value) if isinstance(cell, Missing) else cell  # type: ignore[assignment]
        value = expression.evaluate(ad)
        if value is ERROR:
            # A list and a failure look like an error as well, and mean more where they stand.
            genuine = Expr(f"isError({expression.text})").evaluate(ad) is True
            return ERROR if genuine else None
        return value if _is_plain(value) else None


def _is_plain(value: Value) -> bool:
    """Return whether a value passes a function as it is: the bytes of a letter could be parted."""
    return not isinstance(value, str) or value.isascii()


def _unabsent(cell: Cell) -> Value:
    return ERROR if cell is None else cell


def distinct(columns: Sequence[Column]) -> tuple[Array, Array]:
    """Return a row for each distinct set of values, and for each row which of these it has."""
    codes = np.zeros(1, np.int64)
    for column in columns:
        for part in _parts(column):
            values, inverse = np.unique(part, return_inverse=True)
            if len(values) > 1:
                # Numbered anew each time, so that the product does not overflow.
                codes = np.unique(codes * len(values) + inverse, return_inverse=True)[1]
    _, rows, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return rows, inverse


def _parts(column: Column) -> list[Array]:
    """Return the arrays that tell rows apart; reals by their bits."""
    parts: list[Array | None] = [column.state]
    if column.possible & (states.WHOLE | states.STRING):
        parts.append(column.whole)
    if column.possible & states.REAL:
        parts.append(column.real.view(np.int64))
    return [part for part in parts if part is not None and len(part) > 1]
