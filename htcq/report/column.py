"""A column of a result, declared once for text, CSV, JSON, HTML tables and JSON Schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, Union

from htcq.report.printable import one_line
from htcq.units import show_number

Row = TypeVar("Row")
Whole = TypeVar("Whole")
#: The value of a cell. A tuple is a list of texts; None means that there is nothing.
Value = Union[str, bool, int, float, "tuple[str, ...]", None]
#: What people see in place of nothing.
NONE = "-"
#: What stands for the rest of a text.
CUT = "…"
#: Words that keep their capital letters inside a sentence.
_UNITS = {"mb": "MB"}


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a result.

    ``name`` is its name in CSV and JSON; a column without one is for people only. ``heading`` is
    its heading in tables, with a line break where one belongs; a column without one is for
    programs only, unless it is ``headless``: tables have that under an empty heading.

    ``read`` returns the value of a row. ``show`` returns how people see it, if that is not what
    :func:`shown` makes of the value. ``about`` describes the value in a JSON Schema. ``unit`` is
    the kind of amount; the table knows what its unit is called. Numbers are aligned ``right``.
    A ``wide`` column is left out on a terminal, unless all columns are asked for; of a text that is
    longer than ``most`` letters, if that is not 0, a terminal then has the beginning.
    """

    name: str
    read: Callable[[Row], Value]
    heading: str = ""
    show: Callable[[Row], str] | None = None
    about: str = ""
    unit: str = ""
    right: bool = False
    headless: bool = False
    wide: bool = False
    most: int = 0

    def of(self, part: Callable[[Whole], Row]) -> Column[Whole]:
        """Return the same column for rows that have such a row as a part."""
        show: Callable[[Whole], str] | None = None
        if self.show is not None:
            show_part = self.show

            def show(row: Whole) -> str:
                return show_part(part(row))

        return Column(
            self.name,
            lambda row: self.read(part(row)),
            self.heading,
            show,
            self.about,
            self.unit,
            self.right,
            self.headless,
            self.wide,
            self.most,
        )

    @property
    def title(self) -> str:
        """The heading as it stands inside a sentence or in a page."""
        words = self.heading.lower().split()
        return " ".join(_UNITS.get(word, word) for word in words)

    def cell(self, row: Row) -> str:
        """Return what people see of a row."""
        if self.show is None:
            return shown(self.read(row))
        return self.show(row)

    def short(self) -> Column[Row]:
        """Return the same column with no more letters in a cell than a terminal has."""

        def beginning(row: Row) -> str:
            text = self.cell(row)
            if len(text) > self.most:
                text = f"{text[: self.most - 1]}{CUT}"
            return text

        if not self.most:
            return self
        return replace(self, show=beginning)


def for_people(columns: Iterable[Column[Row]]) -> list[Column[Row]]:
    """Return the columns that tables have."""
    return [column for column in columns if column.heading or column.headless]


def for_programs(columns: Iterable[Column[Row]]) -> list[Column[Row]]:
    """Return the columns that CSV and JSON have."""
    return [column for column in columns if column.name]


def names(columns: Iterable[Column[Row]]) -> list[str]:
    """Return the names of the columns in CSV."""
    return [column.name for column in for_programs(columns)]


def described(columns: Iterable[Column[Row]]) -> dict[str, str]:
    """Return by name what the values of columns mean, for the schema of their record."""
    return {column.name: column.about for column in columns if column.about}


def signed_number(number: float) -> str:
    """Return a difference with its sign."""
    sign = ""
    if number > 0:
        sign = "+"
    return f"{sign}{show_number(number)}"


def shown(value: Value) -> str:
    """Return a value as people see it."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    if isinstance(value, (int, float)):
        return show_number(value)
    if isinstance(value, tuple):
        return one_line(", ".join(value))
    return one_line(value)
