"""Rows of a result under the columns that it declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

from htcq.report.column import Column, Row, for_people


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows with their columns.

    ``units`` has the name of the unit of each kind of amount (:attr:`Column.unit`); it is printed
    below the heading. A table that is too wide for a terminal is written in parts, each of which
    begins with the first ``repeat`` columns.
    """

    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    title: str = ""
    repeat: int = 1
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> list[Column[Row]]:
        """The columns that people see."""
        return for_people(self.columns)

    @property
    def narrow(self) -> Table[Row]:
        """The same table without the columns and the ends of texts that only a wide one has."""
        kept = [column.short() for column in self.columns if not column.wide]
        repeat = sum(not column.wide for column in self.shown[: self.repeat])
        return replace(self, columns=kept, repeat=repeat)

    @property
    def headings(self) -> list[str]:
        """Their headings, each with its unit on lines below."""
        return [self._heading(column) for column in self.shown]

    @property
    def cells(self) -> list[list[str]]:
        """What people see of each row."""
        columns = self.shown
        return [_cells(columns, row) for row in self.rows]

    def unit(self, column: Column[Row]) -> str:
        """Return the unit of a column's numbers; empty if they have none."""
        return self.units.get(column.unit, "")

    def _heading(self, column: Column[Row]) -> str:
        unit = self.unit(column).split()
        return "\n".join((column.heading, *unit))


def _cells(columns: Sequence[Column[Row]], row: Row) -> list[str]:
    return [column.cell(row) for column in columns]
