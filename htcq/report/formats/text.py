"""Declared tables as text for people at a terminal."""

from __future__ import annotations

from typing import TextIO

from htcq.report.column import Row
from htcq.report.table import Table
from htcq.report.terminal import line, show_lines, show_table


def show(table: Table[Row], stream: TextIO, wide: bool = False) -> None:
    """Write the columns that have a heading, numbers aligned right.

    A terminal has the narrow table and the number of columns that are left out, unless ``wide``
    asks for all. Files and pipes have all columns: scripts read them.
    """
    chosen = table
    if stream.isatty() and not wide:
        chosen = table.narrow
    right = [index for index, column in enumerate(chosen.shown) if column.right]
    show_table(chosen.title, chosen.headings, chosen.cells, stream, right, chosen.repeat)
    more = len(table.shown) - len(chosen.shown)
    if more:
        show_lines([line(f"--wide shows all columns, {more} more", "quiet")], stream)
