"""Tables for people: rich where the output is a colour terminal, aligned plain text everywhere else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TextIO

_GAP = "  "


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], stream: TextIO) -> None:
    """Write ``rows`` under their ``columns`` to ``stream``; NO_COLOR (https://no-color.org) asks for plain text too."""
    if stream.isatty() and not os.environ.get("NO_COLOR"):
        _rich(title, columns, rows, stream)
    else:
        _plain(title, columns, rows, stream)


def _plain(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], stream: TextIO) -> None:
    widths = [max(len(row[index]) for row in (columns, *rows)) for index in range(len(columns))]
    print(title, file=stream)
    for row in (columns, ["-" * width for width in widths], *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths))
        print(_GAP.join(cells).rstrip(), file=stream)


def _rich(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], stream: TextIO) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        # Text, because rich would read [square brackets] in a value as markup.
        table.add_row(*(Text(cell) for cell in row))
    Console(file=stream).print(table)
