"""The engine: expressions evaluated for all rows of a table, by columns as far as possible.

Every value is that of the ClassAd library (:meth:`htcq.classads.Expr.evaluate`), bit by bit. An
engine keeps strings and the values of functions from one evaluation to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from htcq.classads import Expr, Value
from htcq.columns import states
from htcq.columns.alike import alike
from htcq.columns.column import Cell, Column, column_of, stored, value_at
from htcq.columns.evaluation import Evaluation
from htcq.columns.library import Library
from htcq.columns.parser import parse
from htcq.columns.table import AdOf, Schema, Table
from htcq.columns.texts import Texts

Array = Any


@dataclass(frozen=True)
class Values:
    """The values of an expression for each row."""

    column: Column
    rows: int
    strings: Texts

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, row: int) -> Value:
        value = value_at(self.column, row, self.strings)
        assert value is not None
        return value

    def listed(self) -> list[Value]:
        """Return the values as a list."""
        return [self[row] for row in range(self.rows)]

    def hold(self) -> Array:
        """Return an array of booleans: whether HTCondor takes each value for a condition met."""
        column = self.column
        truth = column.is_in(states.WHOLE) & (column.whole != 0)
        if column.possible & states.REAL:
            real = np.isfinite(column.real) & (column.real != 0)
            truth = truth | (column.is_in(states.REAL) & real)
        return np.broadcast_to(truth, self.rows)

    def numbers(self, otherwise: float) -> Array:
        """Return the values as reals; ``otherwise`` where one is no finite number."""
        numbers = self.column.reals()
        usable = self.column.is_in(states.NUMBERS) & np.isfinite(numbers)
        return np.broadcast_to(np.where(usable, numbers, otherwise), self.rows)


class Engine:
    """Evaluates expressions about tables of ads."""

    def __init__(self) -> None:
        self.strings = Texts()
        self._library = Library(self.strings)
        #: Rows that were evaluated, and those of them that were left to the ClassAd library.
        self.evaluated = 0
        self.fell_back = 0

    @property
    def library_calls(self) -> int:
        """How many evaluations the ClassAd library made of single functions."""
        return self._library.calls

    def schema(self, texts: Mapping[str, str]) -> Schema:
        """Return what ads share: texts of expressions by the attributes' names."""
        return Schema(texts, self.strings)

    def column(self, cells: Sequence[Cell]) -> Column:
        """Return a column of values as an ad has them; None stands for an absent attribute."""
        return column_of([stored(cell) for cell in cells], self.strings)

    def table(
        self,
        schema: Schema,
        own: Mapping[str, Sequence[Cell]],
        ad_of: AdOf | None = None,
        rows: int = 1,
    ) -> Table:
        """Return the table of ads with attributes of their own: cells by name, one for each row."""
        columns = {name: self.column(cells) for name, cells in own.items()}
        rows = max((len(cells) for cells in own.values()), default=rows)
        return Table(schema, rows, columns, ad_of)

    def evaluate(self, expression: Expr, my: Table, target: Table | None = None) -> Values:
        """Return the values of ``expression`` in each ad of ``my`` with the one of ``target``.

        Where both have many rows, row by row.
        """
        if target is my:
            # The library takes it for an ad without a target.
            target = None
        rows = my.rows
        if target is not None and rows == 1:
            rows = target.rows
        if not rows:
            return Values(column_of((), self.strings), 0, self.strings)
        with np.errstate(all="ignore"):
            evaluation = Evaluation(my, target, self._library)
            column = evaluation.of(parse(expression.text))
        self.evaluated += rows
        if column.possible & states.UNKNOWN:
            column = self._completed(column, expression, my, target, rows)
        return Values(column, rows, self.strings)

    def _completed(
        self, column: Column, expression: Expr, my: Table, target: Table | None, rows: int
    ) -> Column:
        """Return ``column`` with the rows that are unknown from the ClassAd library."""
        unknown = np.flatnonzero(np.broadcast_to(column.is_in(states.UNKNOWN), rows))
        if not len(unknown):
            return column
        self.fell_back += len(unknown)
        firsts, which = alike(expression, my, target, unknown)
        found = []
        for row in firsts:
            other = None if target is None else target.ad(int(row))
            found.append(expression.evaluate(my.ad(int(row)), other))
        return _filled(column, rows, unknown, column_of(found, self.strings).at(which))


def _filled(column: Column, rows: int, places: Array, values: Column) -> Column:
    parts = []
    for part, put in zip(column[1:], values[1:]):
        # A value of another type may need more room.
        whole = np.array(np.broadcast_to(part, rows), np.promote_types(part.dtype, put.dtype))
        whole[places] = put
        parts.append(whole)
    possible = (column.possible & ~states.UNKNOWN) | values.possible
    return Column(possible, *parts)
