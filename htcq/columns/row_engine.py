"""The engine where numpy is missing: the ClassAd library evaluates every row.

It has the methods of :class:`htcq.columns.engine.Engine` and gives the same values, as lists
instead of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.classads import Ad, Expr, Value, as_number, holds


@dataclass(frozen=True)
class RowValues:
    """The values of an expression for each row."""

    values: Sequence[Value]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, row: int) -> Value:
        return self.values[row]

    def listed(self) -> list[Value]:
        """Return the values as a list."""
        return list(self.values)

    def hold(self) -> list[bool]:
        """Return whether HTCondor takes each value for a condition that is met."""
        return [holds(value) for value in self.values]

    def numbers(self, otherwise: float) -> list[float]:
        """Return the values as reals; ``otherwise`` where one is no finite number."""
        numbers = (as_number(value) for value in self.values)
        return [otherwise if number is None else float(number) for number in numbers]


@dataclass(frozen=True)
class RowTable:
    """Ads that are asked for one by one."""

    rows: int
    ad_of: Callable[[int], Ad]

    def ad(self, row: int) -> Ad:
        """Return the ad of one row."""
        return self.ad_of(row if self.rows != 1 else 0)

    def at(self, rows: Sequence[int]) -> RowTable:
        """Return the table of some rows."""
        places = tuple(rows)
        return RowTable(len(places), lambda row: self.ad_of(places[row]))


@dataclass
class RowEngine:
    """Evaluates expressions about tables of ads; every row counts as left to the library."""

    evaluated: int = field(default=0, init=False)

    @property
    def fell_back(self) -> int:
        """How many rows the ClassAd library evaluated."""
        return self.evaluated

    def schema(self, texts: Mapping[str, str]) -> Mapping[str, str]:
        """Return what ads share; the library finds it in the ads."""
        return texts

    def table(
        self,
        schema: Mapping[str, str],
        own: Mapping[str, Sequence[object]],
        ad_of: Callable[[int], Ad],
        rows: int = 1,
    ) -> RowTable:
        """Return the table of ads, one for each cell of ``own``."""
        return RowTable(max((len(cells) for cells in own.values()), default=rows), ad_of)

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
