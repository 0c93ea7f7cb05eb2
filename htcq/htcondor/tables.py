"""Reads the data files of this package: tab-separated, a comment on their origin, then a header.

``importlib.resources`` would take 15 ms to load; ``pkgutil`` asks the package's own loader for the
bytes, wherever it is installed.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


class Row(NamedTuple):
    """One row: its first cell, and the rest, which is taken apart when it is asked for."""

    key: str
    rest: str
    columns: tuple[str, ...]

    def cells(self) -> dict[str, str]:
        """Return the cells by the names of the columns; what it lacks at its end is empty."""
        cells = [self.key, *self.rest.split("\t")]
        cells += [""] * (len(self.columns) - len(cells))
        return dict(zip(self.columns, cells))


def rows(name: str) -> Iterator[Row]:
    """Yield the rows of the file ``name``."""
    lines = iter(_text(name).splitlines())
    origin = next(lines)
    assert origin.startswith("# "), name
    columns = tuple(next(lines).split("\t"))
    for line in lines:
        key, _, rest = line.partition("\t")
        yield Row(key, rest, columns)


def rest_of(name: str, key: str) -> Iterator[str]:
    """Yield what follows the first cell in the rows of the file ``name`` that begin with ``key``.

    For a few rows it is faster than to read all.
    """
    text, beginning = _text(name), f"\n{key}\t"
    place = text.find(beginning)
    while place >= 0:
        end = text.find("\n", place + 1)
        yield text[place + len(beginning) : end]
        place = text.find(beginning, end)


@lru_cache(maxsize=16)
def _text(name: str) -> str:
    data = pkgutil.get_data(__package__, name)
    assert data is not None, name
    return data.decode()
