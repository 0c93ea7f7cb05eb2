"""Every CSV that htcq prints: text of strangers in it is printable, and no formula for a spreadsheet.

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
    """Write the columns that have a name; truths are true and false, numbers have all their digits."""
    write_table(names(columns), (cells(columns, row) for row in rows), stream)


def cells(columns: Iterable[Column[Row]], row: Row) -> list[Cell]:
    """Return one row as :func:`write` writes it."""
    return [_written(column.read(row)) for column in for_programs(columns)]


def _written(value: Value) -> Cell:
    if isinstance(value, bool):
        return "true" if value else "false"
    return Figure(plain_number(value)) if isinstance(value, float) else value


def write_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], stream: TextIO) -> None:
    """Write a header and ``rows`` to ``stream``; None is empty."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_safe(cell) for cell in row] for row in rows)


def _safe(cell: Cell) -> str | float | int | None:
    if isinstance(cell, tuple):
        text = "\n".join(in_cell(line) for line in cell)
    elif isinstance(cell, str) and not isinstance(cell, Figure):
        text = one_line(cell).strip()
    else:
        return cell
    return f"'{text}" if text.startswith(_FORMULA) else text
