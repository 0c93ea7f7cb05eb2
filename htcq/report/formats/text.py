"""Declared tables as text for people at a terminal."""

from __future__ import annotations

from typing import TextIO

from htcq.report.column import CUT, Row
from htcq.report.table import Table
from htcq.report.terminal import line, show_lines, show_table


def show(table: Table[Row], stream: TextIO, wide: bool = False) -> None:
    """Write the columns that have a heading, numbers aligned right.

    A terminal has the narrow table and what is left out of it, unless ``wide`` asks for all. Files
    and pipes have all columns: scripts read them.
    """
    chosen = table
    if stream.isatty() and not wide:
        chosen = table.narrow
    right = [index for index, column in enumerate(chosen.shown) if column.right]
    cells = chosen.cells
    show_table(chosen.title, chosen.headings, cells, stream, right, chosen.repeat)
    left_out = []
    more = len(table.shown) - len(chosen.shown)
    if more:
        left_out.append(f"all columns, {more} more")
    if chosen is not table and any(cell.endswith(CUT) for row in cells for cell in row):
        left_out.append("whole texts")
    if left_out:
        show_lines([line(f"--wide shows {' and '.join(left_out)}", "quiet")], stream)
