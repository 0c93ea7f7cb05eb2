"""The engine: expressions evaluated for all rows of a table, by columns as far as possible.

Every value is that of the ClassAd library (:meth:`htcq.classads.Expr.evaluate`), bit by bit. An
engine keeps strings and the values of functions from one evaluation to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from htcq.classad.parser import parse
from htcq.classads import Expr, Value
from htcq.columns import arrays, states
from htcq.columns.alike import alike
from htcq.columns.column import Cell, Column, column_of, spread, stored, value_at
from htcq.columns.compiler import Compiler, Program, TableShapes
from htcq.columns.library import Library
from htcq.columns.program import SIDES, ColumnRun, ColumnStep
from htcq.columns.table import AdOf, Schema, Table, TableShape
from htcq.columns.texts import Texts

Array = Any
#: Expressions that stay compiled.
_MAX_COMPILED = 10_000


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

    @property
    def is_constant(self) -> bool:
        """Whether one value holds for all rows."""
        return self.column.rows == 1

    def listed(self) -> list[Value]:
        """Return the values as a list."""
        return [self[row] for row in range(self.rows)]

    def counted(self, rows: Array, counts: Sequence[int] = ()) -> Mapping[Value, int]:
        """Return the values of some ``rows`` with how many there are of each.

        ``counts`` says for how many each row stands, if not for one.
        """
        weights = np.asarray(counts, np.int64)[rows] if len(counts) else np.ones(len(rows), int)
        if self.is_constant:
            return {self[0]: int(weights.sum())} if len(rows) else {}
        spread_out = (spread(part, self.rows)[rows] for part in self.column[1:])
        state, whole, real = spread_out
        bits = np.ascontiguousarray(real, np.float64).view(np.int64)
        keys = np.stack((state.astype(np.int64), whole.astype(np.int64), bits), axis=1)
        _, firsts, places = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        sums = np.bincount(places.reshape(-1), weights=weights, minlength=len(firsts))
        found: dict[Value, int] = {}
        for first, number in zip(firsts.tolist(), sums.tolist()):
            value = self[int(rows[first])]
            # What stands in the arrays beside a value's own state tells nothing apart.
            found[value] = found.get(value, 0) + int(number)
        return found

    def hold(self) -> Array:
        """Return an array of booleans: whether HTCondor takes each value for a condition met."""
        column = self.column
        if column.possible == states.BOOLEAN:
            return self._spread(column.whole)
        truth = column.is_in(states.WHOLE) & (column.whole != 0)
        if column.possible & states.REAL:
            real = np.isfinite(column.real) & (column.real != 0)
            truth = truth | (column.is_in(states.REAL) & real)
        return self._spread(truth)

    def _spread(self, values: Array) -> Array:
        return spread(values, self.rows)

    def numbers(self, otherwise: float) -> Array:
        """Return the values as reals; ``otherwise`` where one is no finite number."""
        numbers = self.column.reals()
        if self.column.possible in (states.INTEGER, states.BOOLEAN):
            return self._spread(numbers)
        usable = self.column.is_in(states.NUMBERS) & np.isfinite(numbers)
        return self._spread(np.where(usable, numbers, otherwise))

    def amounts(self) -> Column:
        """Return the values as amounts: integers where they are whole, absent where no number.

        As :func:`htcq.classads.as_number` reads them.
        """
        return arrays.as_amounts(self.column)


class Engine:
    """Evaluates expressions about tables of ads."""

    #: Arithmetic with arrays of numbers, for rooms that do not import numpy.
    arrays = arrays

    def __init__(self) -> None:
        self.strings = Texts()
        self._library = Library(self.strings)
        self._schemas: dict[frozenset[tuple[str, str]], Schema] = {}
        self._compiled: dict[tuple[str, TableShape, TableShape | None], ColumnStep] = {}
        self._programs: dict[tuple[object, ...], list[Program]] = {}
        #: Rows that were evaluated, and those of them that were left to the ClassAd library.
        self.evaluated = 0
        self.fell_back = 0

    @property
    def library_calls(self) -> int:
        """How many evaluations the ClassAd library made of single functions."""
        return self._library.calls

    def schema(self, texts: Mapping[str, str]) -> Schema:
        """Return what ads share: texts of expressions by the attributes' names.

        The same object for the same texts, as long as expressions stay compiled.
        """
        key = frozenset(texts.items())
        found = self._schemas.get(key)
        if found is None:
            found = self._schemas[key] = Schema(texts, self.strings)
        return found

    def column(self, cells: Sequence[Cell]) -> Column:
        """Return a column of values as an ad has them; None stands for an absent attribute."""
        return column_of([stored(cell) for cell in cells], self.strings)

    def value(self, column: Column, row: int) -> Cell:
        """Return the value of one row of ``column``; None where it is absent."""
        return value_at(column, row, self.strings)

    def table_of(
        self, schema: Schema, rows: int, columns: Mapping[str, Column], ad_of: AdOf
    ) -> Table:
        """Return the table of ads with ``columns`` of their own."""
        return Table(schema, rows, columns, ad_of)

    def table(
        self,
        schema: Schema,
        own: Mapping[str, Sequence[Cell]],
        ad_of: AdOf | None = None,
        rows: int = 1,
    ) -> Table:
        """Return the table of ads with attributes of their own: cells by name, one for each row."""
        columns = {name.lower(): self.column(cells) for name, cells in own.items()}
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
            column = self._program(expression, my, target).of(ColumnRun(my, target))
        self.evaluated += rows
        if column.possible & states.UNKNOWN:
            column = self._completed(column, expression, my, target, rows)
        return Values(column, rows, self.strings)

    def looks_at_my(self, expression: Expr, my: Table, target: Table | None = None) -> bool:
        """Return whether the values of ``expression`` depend on the ads of ``my``."""
        return bool(self._program(expression, my, target).sides & SIDES[0])

    def _program(self, expression: Expr, my: Table, target: Table | None) -> ColumnStep:
        shape = None
        if target is not None:
            shape = target.shape
        key = (expression.text, my.shape, shape)
        found = self._compiled.get(key)
        if found is None:
            if len(self._compiled) >= _MAX_COMPILED:
                self._compiled.clear()
                self._programs.clear()
                self._schemas.clear()
            found = self._compiled[key] = self._compile(expression, (my.shape, shape))
        return found

    def _compile(self, expression: Expr, shapes: TableShapes) -> ColumnStep:
        # Those that differ in what the expression itself names are not compared; in TARGET, most of
        # it means nothing.
        named = [shapes[0].found(word) for word in expression.words()]
        programs = self._programs.setdefault((expression.text, *named), [])
        for program in programs:
            if program.suits(shapes):
                return program.step
        program = Compiler(shapes, self._library).program(parse(expression.text))
        programs.append(program)
        return program.step

    def _completed(
        self, column: Column, expression: Expr, my: Table, target: Table | None, rows: int
    ) -> Column:
        """Return ``column`` with the rows that are unknown from the ClassAd library."""
        unknown = np.flatnonzero(spread(column.is_in(states.UNKNOWN), rows))
        if not len(unknown):
            return column
        self.fell_back += len(unknown)
        firsts, which = alike(expression, my, target, unknown)
        found = []
        for row in firsts:
            other = None if target is None else target.ad(int(row))
            found.append(expression.evaluate(my.ad(int(row)), other))
        values = column_of(found, self.strings).at(which)
        completed = column.with_rows(rows, unknown, values)
        return completed._replace(possible=completed.possible & ~states.UNKNOWN | values.possible)
