"""Declared tables as text for people at a terminal."""

from __future__ import annotations

from typing import TextIO

from htcq.report.column import Row
from htcq.report.table import Table
from htcq.report.terminal import show_table


def show(table: Table[Row], stream: TextIO) -> None:
    """Write the columns that have a heading, numbers aligned right."""
    right = [index for index, column in enumerate(table.shown) if column.right]
    show_table(table.title, table.headings, table.cells, stream, right, table.repeat)
