"""Tables and progress for people: rich where the output is a colour terminal, aligned plain text everywhere else."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from htcq.report.printable import in_cell, one_line, printable

_GAP = "  "
#: How far columns are apart at most, whoever draws them.
_WIDEST_GAP = 3
#: Text is not broken into less than so many columns, however deep it is indented.
_NARROWEST = 20
_STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold cyan",
    "strong": "bold",
    "quiet": "dim",
}


def show_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    stream: TextIO,
    right: Collection[int] = (),
    repeat: int = 0,
) -> None:
    """Write ``rows`` under their ``columns`` to ``stream``; NO_COLOR (https://no-color.org) asks for plain text too.

    A column's heading may have several lines. Columns whose numbers are in ``right`` are aligned
    there. A table that is too wide for a terminal is written in parts if its first ``repeat``
    columns can begin each of them.
    """
    coloured = stream.isatty() and not os.environ.get("NO_COLOR")
    width = shutil.get_terminal_size().columns if stream.isatty() and repeat else 0
    rows = [[in_cell(cell) for cell in row] for row in rows]
    for part in _parts(columns, rows, repeat, width):
        heads, body = (
            [columns[index] for index in part],
            [[row[index] for index in part] for row in rows],
        )
        ends = {place for place, index in enumerate(part) if index in right}
        (_rich if coloured else _plain)(one_line(title), heads, body, stream, ends)
        title = ""


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(len(line) for row in (columns, *rows) for line in row[index].split("\n"))
        for index in range(len(columns))
    ]


def _parts(
    columns: Sequence[str], rows: Sequence[Sequence[str]], repeat: int, width: int
) -> Iterator[Sequence[int]]:
    """Yield which columns stand beside each other."""
    first, widths = list(range(repeat)), _widths(columns, rows) if width else []
    part = list(first)
    for index in range(repeat, len(columns)):
        used = sum(widths[each] + _WIDEST_GAP for each in (*part, index)) if width else 0
        if used > width and len(part) > len(first):
            yield part
            part = list(first)
        part.append(index)
    yield part


def _plain(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    stream: TextIO,
    right: Collection[int],
) -> None:
    widths = _widths(columns, rows)
    print(title, file=stream)
    for row in (*_heading(columns), ["-" * width for width in widths], *rows):
        cells = (
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths))
        )
        print(_GAP.join(cells).rstrip(), file=stream)


def _heading(columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of the headings, which stand on one ground."""
    heads = [column.split("\n") for column in columns]
    height = max(len(head) for head in heads)
    for line in range(height):
        yield [head[line - height] if len(head) >= height - line else "" for head in heads]


def _rich(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    stream: TextIO,
    right: Collection[int],
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(
            column, overflow="fold", justify="right" if index in right else "left", no_wrap=index in right,
            vertical="bottom" if right else "top",
        )  # fmt: skip
    for row in rows:
        # Text, because rich would read [square brackets] in a value as markup.
        table.add_row(*(Text(cell) for cell in row))
    Console(file=stream).print(table)


class Silent:
    """A progress bar where there is no terminal."""

    def step(self, done: int, total: int, what: str) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Have nothing to take away."""


class Bar:
    """A progress bar on a terminal that vanishes at its end; drawn at each step only, by no thread."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
        )
        self._progress = Progress(
            *columns, console=Console(file=stream), auto_refresh=False, transient=True
        )
        self._task = self._progress.add_task("", total=None)
        self._progress.start()

    def step(self, done: int, total: int, what: str) -> None:
        """Draw that ``done`` of ``total`` are done, last the one called ``what``."""
        self._progress.update(
            self._task, completed=done, total=total, description=one_line(what), refresh=True
        )

    def close(self) -> None:
        """Take the bar away."""
        self._progress.stop()


def progress(stream: TextIO | None = None) -> Silent | Bar:
    """Return a progress bar on ``stream`` (standard error), silent on what is no terminal and with NO_COLOR."""
    stream = sys.stderr if stream is None else stream
    return Bar(stream) if stream.isatty() and not os.environ.get("NO_COLOR") else Silent()


@dataclass(frozen=True)
class Line:
    """A line of text: pieces with the name of a style each (empty: none); a ``verbatim`` one is never broken."""

    pieces: tuple[tuple[str, str], ...] = ()
    indent: int = 0
    verbatim: bool = False

    @property
    def text(self) -> str:
        """The line without its styles."""
        return "".join(text for text, _ in self.pieces)


def line(text: str, style: str = "", indent: int = 0) -> Line:
    """Return ``text``, which strangers may have written, as one line in one style."""
    return Line(((one_line(text), style),), indent)


def show_lines(lines: Iterable[Line], stream: TextIO, plain: bool = False) -> None:
    """Write ``lines``, broken to the width of a terminal, in colour unless NO_COLOR or ``plain`` forbids it."""
    if stream.isatty() and not plain and not os.environ.get("NO_COLOR"):
        _rich_lines(lines, stream)
        return
    width = shutil.get_terminal_size().columns if stream.isatty() else 0
    for line in lines:
        for row in _broken(line, width):
            print(f"{' ' * line.indent}{row}".rstrip(), file=stream)


def _broken(line: Line, width: int) -> list[str]:
    text = printable(line.text)
    if line.verbatim or not width:
        return [text]
    return textwrap.wrap(text, max(width - line.indent, _NARROWEST), break_on_hyphens=False) or [""]


def _rich_lines(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    for line in lines:
        text = Text.assemble(
            *((printable(text), _STYLES.get(style, style)) for text, style in line.pieces)
        )
        width = max(console.width - line.indent, _NARROWEST)
        rows = [text] if line.verbatim else text.wrap(console, width) or [text]
        for row in rows:
            row.rstrip()
            # Whoever copies a verbatim line gets it whole: the terminal breaks it, not htcq.
            console.print(Text(" " * line.indent).append_text(row), soft_wrap=True)
