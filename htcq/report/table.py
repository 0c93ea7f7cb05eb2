"""Rows of a result under the columns that it declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from htcq.report.column import Column, Row, for_people


@dataclass(frozen=True)
class Table(Generic[Row]):
    """Rows with their columns, of which tables for people show those that have a heading.

    ``units`` has by a column's unit what this result calls it, which stands below the heading. A
    table that is too wide for a terminal is written in parts that all begin with the first
    ``repeat`` columns.
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
    def headings(self) -> list[str]:
        """Their headings, each with its unit on lines below."""
        return ["\n".join((column.heading, *self.unit(column).split())) for column in self.shown]

    @property
    def cells(self) -> list[list[str]]:
        """What people see of each row."""
        return [[column.cell(row) for column in self.shown] for row in self.rows]

    def unit(self, column: Column[Row]) -> str:
        """Return what a column's numbers are amounts of; empty where they are none."""
        return self.units.get(column.unit, "")
