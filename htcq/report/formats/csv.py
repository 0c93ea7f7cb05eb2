"""CSV: text from elsewhere is printable, and never a formula for a spreadsheet.

A spreadsheet takes a cell for a formula that begins with one of a few signs, quoted or not. An
apostrophe before it makes it text there (https://owasp.org/www-community/attacks/CSV_Injection).
Numbers are what htcq has computed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO, Union

from htcq.report.column import Column, Row, Value, for_programs, names
from htcq.report.printable import in_cell, one_line
from htcq.units import plain_number

#: A tuple is one cell with several lines.
Cell = Union[str, float, int, tuple[str, ...], None]
#: With the wide forms that East Asian input methods write.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class Figure(str):
    """A number that is written out already: unlike other texts it may begin with a sign."""

    __slots__ = ()


def write(columns: Sequence[Column[Row]], rows: Iterable[Row], stream: TextIO) -> None:
    """Write the columns that have a name.

    Truth values are written as true and false, numbers with all their digits.
    """
    write_table(names(columns), (cells(columns, row) for row in rows), stream)


def cells(columns: Iterable[Column[Row]], row: Row) -> list[Cell]:
    """Return one row as :func:`write` writes it."""
    return [_written(column.read(row)) for column in for_programs(columns)]


def _written(value: Value) -> Cell:
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, float):
        return Figure(plain_number(value))
    return value


def write_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], stream: TextIO) -> None:
    """Write a header and ``rows`` to ``stream``; None is empty."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_safe(cell) for cell in row])


def _safe(cell: Cell) -> str | float | int | None:
    if isinstance(cell, tuple):
        text = "\n".join(in_cell(line) for line in cell)
    elif isinstance(cell, str) and not isinstance(cell, Figure):
        text = one_line(cell).strip()
    else:
        return cell
    if text.startswith(_FORMULA):
        return f"'{text}"
    return text
