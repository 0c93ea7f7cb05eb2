"""The engine where numpy is missing: the ClassAd library evaluates every row.

It has the methods of :class:`htcq.columns.engine.Engine` that a matchmaker calls and gives the same
values, as lists instead of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.classads import Ad, Expr, Value, as_number, holds
from htcq.columns import row_arrays
from htcq.columns.row_arrays import Cells, Vector

_AdOf = Callable[[int], Ad]


@dataclass(frozen=True, eq=False)
class RowSchema:
    """What ads share: texts of expressions by attribute."""

    texts: Mapping[str, str]


class RowValues:
    """The values of an expression for each row."""

    def __init__(self, values: Sequence[Value]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, row: int) -> Value:
        return self.values[row]

    def listed(self) -> list[Value]:
        """Return the values as a list."""
        return list(self.values)

    def counted(self, rows: Sequence[int], counts: Sequence[int] = ()) -> Mapping[Value, int]:
        """Return the values of some rows with how many there are of each."""
        found: dict[Value, int] = {}
        for row in rows:
            value = self[row]
            found[value] = found.get(value, 0) + (counts[row] if counts else 1)
        return found

    def hold(self) -> Vector:
        """Return whether HTCondor takes each value for a condition that is met."""
        return Vector(holds(value) for value in self.values)

    def numbers(self, otherwise: float) -> Vector:
        """Return the values as reals; ``otherwise`` where one is no finite number."""
        numbers = (as_number(value) for value in self.values)
        return Vector(otherwise if number is None else float(number) for number in numbers)

    def amounts(self) -> Cells:
        """Return the values as amounts: whole where they are whole, None where no number."""
        return Cells(as_number(value) for value in self.values)


class RowTable:
    """Ads that are asked for one by one; ``columns`` are values that their owner changes."""

    def __init__(self, rows: int, columns: Mapping[str, Cells], ad_of: _AdOf) -> None:
        self.rows, self._ad_of = rows, ad_of
        self._columns = {name.lower(): column for name, column in columns.items()}

    def ad(self, row: int) -> Ad:
        """Return the ad of one row."""
        return self._ad_of(row if self.rows != 1 else 0)

    def own(self, name: str) -> Cells | None:
        """Return the column of ``name``, in lower case; None where it has none."""
        return self._columns.get(name)

    def replaced(
        self, columns: Mapping[str, Cells], ad_of: _AdOf | None = None, rows: int | None = None
    ) -> RowTable:
        """Return the table with other columns, for ads that have them too."""
        names = {name.lower(): column for name, column in columns.items()}
        rows = self.rows if rows is None else rows
        return RowTable(rows, {**self._columns, **names}, ad_of or self._ad_of)

    def at(self, rows: Sequence[int]) -> RowTable:
        """Return the table of some rows."""
        places = tuple(rows)
        columns = {name: column.at(places) for name, column in self._columns.items()}
        return RowTable(len(places), columns, lambda row: self.ad(places[row]))

    def fill(self, rows: Sequence[int], columns: Mapping[str, Cells]) -> None:
        """Give some rows other values, by lower-case name."""
        for name, values in columns.items():
            column = self._columns.get(name, Cells([None]))
            if column.rows != self.rows:
                column = self._columns[name] = Cells(list(column) * self.rows)
            for place, row in enumerate(rows):
                column[row] = values[place if values.rows > 1 else 0]


@dataclass
class RowEngine:
    """Evaluates expressions about tables of ads; every row counts as left to the library."""

    #: What a matchmaker does with lists in place of arrays.
    arrays = row_arrays
    evaluated: int = field(default=0, init=False)

    @property
    def fell_back(self) -> int:
        """How many rows the ClassAd library evaluated."""
        return self.evaluated

    def schema(self, texts: Mapping[str, str]) -> RowSchema:
        """Return what ads share; the library finds it in the ads."""
        return RowSchema(texts)

    def column(self, cells: Sequence[Value | None]) -> Cells:
        """Return a column of values as an ad has them; None stands for an absent attribute."""
        return Cells(cells)

    def value(self, column: Cells, row: int) -> Value | None:
        """Return the value of one row of ``column``; None where it is absent."""
        found: Value | None = column[row if column.rows > 1 else 0]
        return found

    def table_of(
        self, schema: RowSchema, rows: int, columns: Mapping[str, Cells], ad_of: _AdOf
    ) -> RowTable:
        """Return the table of ads."""
        return RowTable(rows, columns, ad_of)

    def table(
        self,
        schema: RowSchema,
        own: Mapping[str, Sequence[Value | None]],
        ad_of: _AdOf,
        rows: int = 1,
    ) -> RowTable:
        """Return the table of ads, one for each cell of ``own``."""
        rows = max((len(cells) for cells in own.values()), default=rows)
        return RowTable(rows, {name: Cells(cells) for name, cells in own.items()}, ad_of)

    def looks_at_my(self, expression: Expr, my: RowTable, target: RowTable | None = None) -> bool:
        """Tell that the values of ``expression`` may depend on the ads of ``my``."""
        return True

    def evaluate(self, expression: Expr, my: RowTable, target: RowTable | None = None) -> RowValues:
        """Return the values of ``expression`` in each ad of ``my`` with the one of ``target``."""
        rows = my.rows
        if target is not None and rows == 1:
            rows = target.rows
        self.evaluated += rows
        found = []
        for row in range(rows):
            other = None if target is None else target.ad(row)
            found.append(expression.evaluate(my.ad(row), other))
        return RowValues(found)
