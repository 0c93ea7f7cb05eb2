"""A column that a result declares once; text, CSV, JSON, HTML tables and JSON Schemas take what they need of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar, Union

from htcq.report.printable import one_line
from htcq.units import show_number

Row = TypeVar("Row")
Whole = TypeVar("Whole")
#: What a column holds; a tuple is a list of texts, None stands where there is nothing.
Value = Union[str, bool, int, float, "tuple[str, ...]", None]
#: What people see in place of nothing.
NONE = "-"


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a result.

    ``name`` stands in CSV and JSON; without it only people see the column. ``heading`` stands in
    tables, with a line break where one belongs; without it only programs read the column.
    ``read`` returns the value of a row, ``show`` how people see it, where that is not what
    :func:`shown` makes of the value. ``about`` says in a schema what the value means. ``unit``
    names what it is an amount of; a table says how that is called. Numbers are aligned
    ``right``.
    """

    name: str
    read: Callable[[Row], Value]
    heading: str = ""
    show: Callable[[Row], str] | None = None
    about: str = ""
    unit: str = ""
    right: bool = False

    def of(self, part: Callable[[Whole], Row]) -> Column[Whole]:
        """Return the same column of rows that have such a row as a part."""
        show = self.show
        return Column(
            self.name,
            lambda row: self.read(part(row)),
            self.heading,
            None if show is None else lambda row: show(part(row)),
            self.about,
            self.unit,
            self.right,
        )

    @property
    def title(self) -> str:
        """The heading inside a sentence or a page."""
        return self.heading.replace("\n", " ").lower()

    def cell(self, row: Row) -> str:
        """Return what people see of a row."""
        return shown(self.read(row)) if self.show is None else self.show(row)


def for_people(columns: Iterable[Column[Row]]) -> list[Column[Row]]:
    """Return the columns that stand in tables."""
    return [column for column in columns if column.heading]


def for_programs(columns: Iterable[Column[Row]]) -> list[Column[Row]]:
    """Return the columns that stand in CSV and JSON."""
    return [column for column in columns if column.name]


def names(columns: Iterable[Column[Row]]) -> list[str]:
    """Return the names of the columns that stand in CSV."""
    return [column.name for column in for_programs(columns)]


def described(columns: Iterable[Column[Row]]) -> dict[str, str]:
    """Return by name what the values of columns mean, for the schema of the record that they are read from."""
    return {column.name: column.about for column in columns if column.about}


def shown(value: Value) -> str:
    """Return a value as people see it."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return show_number(value)
    return one_line(", ".join(value) if isinstance(value, tuple) else value)
