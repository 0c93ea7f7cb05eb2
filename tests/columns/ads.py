"""Ads for the engine and for the ClassAd library from one description, and the comparison of both."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from htcq.classads import Ad, Expr, Missing, Value, parsed
from htcq.columns.column import Cell
from htcq.columns.engine import Engine
from htcq.columns.table import Table


@dataclass(frozen=True)
class Ads:
    """Ads that share the expressions ``texts``; ``own`` has a cell for each ad, None where it is absent."""

    texts: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Sequence[Cell]] = field(default_factory=dict)

    def __len__(self) -> int:
        return max((len(cells) for cells in self.own.values()), default=1)

    @cached_property
    def ads(self) -> list[Ad]:
        """The ads for the library."""
        return [self._ad(row) for row in range(len(self))]

    def ad(self, row: int) -> Ad:
        """Return the ad of one row."""
        return self.ads[row if len(self) > 1 else 0]

    def _ad(self, row: int) -> Ad:
        ad = Ad()
        for name, text in self.texts.items():
            ad[name] = parsed(text) or Expr("error")
        for name, cells in self.own.items():
            cell = cells[row if len(cells) > 1 else 0]
            if isinstance(cell, Missing):
                ad[name] = Expr(cell.value)
            elif cell is not None:
                ad[name] = cell
        return ad

    def table(self, engine: Engine) -> Table:
        """Return the ads as a table."""
        return engine.table(engine.schema(self.texts), self.own, self.ad)


def by_library(text: str, my: Ads, target: Ads | None = None) -> list[Value]:
    """Return what the ClassAd library says, row by row."""
    expression = Expr(text)
    rows = max(len(my), 1 if target is None else len(target))
    return [
        expression.evaluate(my.ad(row), None if target is None else target.ad(row))
        for row in range(rows)
    ]


def by_engine(engine: Engine, text: str, my: Ads, target: Ads | None = None) -> list[Value]:
    """Return what the engine says."""
    other = None if target is None else target.table(engine)
    return engine.evaluate(Expr(text), my.table(engine), other).listed()


def bits(value: Value) -> tuple[object, ...]:
    """Return what is equal only for values of one type that are equal to the last bit; all NaN are one."""
    if isinstance(value, float):
        return (float, "nan" if value != value else struct.pack("<d", value))
    return (type(value), value)


def differences(
    engine: Engine, text: str, my: Ads, target: Ads | None = None
) -> list[tuple[int, Value, Value]]:
    """Return the rows in which engine and library differ, with what each says."""
    pairs = zip(by_engine(engine, text, my, target), by_library(text, my, target))
    return [(row, one, two) for row, (one, two) in enumerate(pairs) if bits(one) != bits(two)]
