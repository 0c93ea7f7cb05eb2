"""Tables, lines and progress for people.

rich writes them on a colour terminal; everywhere else, and without rich, they are aligned plain
text.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, TextIO, TypeVar

from htcq.report.printable import in_cell, one_line, printable

Step = TypeVar("Step")

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
    """Write ``rows`` under their ``columns`` to ``stream``.

    NO_COLOR (https://no-color.org) asks for plain text on a terminal too.
    A column's heading may have several lines. Columns whose numbers are in ``right`` are aligned
    there. A table that is too wide for a terminal is written in parts if its first ``repeat``
    columns can begin each of them.
    """
    write = _plain
    if _coloured(stream):
        write = _rich
    width = 0
    if repeat:
        width = _width(stream)
    rows = [[in_cell(cell) for cell in row] for row in rows]
    for part in _parts(columns, rows, repeat, width):
        heads = [columns[index] for index in part]
        body = [[row[index] for index in part] for row in rows]
        ends = {place for place, index in enumerate(part) if index in right}
        write(one_line(title), heads, body, stream, ends)
        title = ""


def _coloured(stream: TextIO) -> bool:
    """Return whether rich writes to ``stream``: packages only recommend it."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and find_spec("rich") is not None


def _width(stream: TextIO) -> int:
    """Return how many columns a terminal has; 0 where there is none, and lines are never broken."""
    if not stream.isatty():
        return 0
    return shutil.get_terminal_size().columns


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    widths = []
    for cells in zip(columns, *rows):
        lines = "\n".join(cells).split("\n")
        widths.append(max(map(len, lines)))
    return widths


def _parts(
    columns: Sequence[str], rows: Sequence[Sequence[str]], repeat: int, width: int
) -> Iterator[Sequence[int]]:
    """Yield which columns stand beside each other; all of them where there is no ``width``."""
    if not width:
        yield range(len(columns))
        return
    first, widths = list(range(repeat)), _widths(columns, rows)
    part = list(first)
    for index in range(repeat, len(columns)):
        used = sum(widths[each] + _WIDEST_GAP for each in (*part, index))
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
        cells = []
        for index, (cell, width) in enumerate(zip(row, widths)):
            aligned = cell.ljust
            if index in right:
                aligned = cell.rjust
            cells.append(aligned(width))
        print(_GAP.join(cells).rstrip(), file=stream)


def _heading(columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of the headings, which stand on one ground."""
    heads = [column.split("\n") for column in columns]
    height = max(len(head) for head in heads)
    raised = [[""] * (height - len(head)) + head for head in heads]
    yield from map(list, zip(*raised))


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
    vertical: Literal["bottom", "top"] = "bottom" if right else "top"
    for index, column in enumerate(columns):
        number = index in right
        table.add_column(
            column,
            overflow="fold",
            justify="right" if number else "left",
            no_wrap=number,
            vertical=vertical,
        )
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
    """A progress bar on a terminal that vanishes at its end.

    No thread draws it: it changes only at a step.
    """

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
    """Return a progress bar on ``stream``, which is standard error unless it is given.

    It is silent where there is no terminal, and with NO_COLOR.
    """
    if stream is None:
        stream = sys.stderr
    if _coloured(stream):
        return Bar(stream)
    return Silent()


def with_progress(steps: Sequence[Step], name: Callable[[Step], str]) -> Iterator[Step]:
    """Yield ``steps``, and show on standard error which one is under way."""
    bar = progress()
    try:
        for number, step in enumerate(steps):
            bar.step(number, len(steps), name(step))
            yield step
    finally:
        bar.close()


@dataclass(frozen=True)
class Line:
    """A line of text: pieces with the name of a style each, which is empty for none.

    A ``verbatim`` line is never broken.
    """

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
    """Write ``lines``, broken to the width of a terminal.

    They are in colour on a terminal, unless NO_COLOR or ``plain`` forbids it.
    """
    if _coloured(stream) and not plain:
        _rich_lines(lines, stream)
        return
    width = _width(stream)
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
        rows: Iterable[Text] = [text]
        if not line.verbatim:
            rows = text.wrap(console, width) or [text]
        for row in rows:
            row.rstrip()
            # Whoever copies a verbatim line gets it whole: the terminal breaks it, not htcq.
            console.print(Text(" " * line.indent).append_text(row), soft_wrap=True)
