"""The lines of a TOML file at which its keys stand, found with the parser of TOML itself.

The parser says what a file holds, not where. A statement is parsed alone: it ends with the first
line at which the parser takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from htcq.settings.mistakes import Place

#: Returns what a text of TOML holds; raises ValueError where it is none.
Parse = Callable[[str], Mapping[str, Any]]

#: A longer statement is not looked into: nobody wrote it by hand.
_LONGEST = 2000


def line_of(text: str, place: Place, parse: Parse) -> int:
    """Return the number of the first line that speaks of ``place``; 0 where none is found.

    Of an item of a list it is the line at which the list begins.
    """
    keys = tuple(key for key in place if isinstance(key, str))
    return next((line for line, found in _statements(text, parse) if _speaks_of(found, keys)), 0)


def _statements(text: str, parse: Parse) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the first line of each statement with what it holds, within its table."""
    table: tuple[str, ...] = ()
    gathered: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        gathered.append(line)
        if len(gathered) > _LONGEST:
            return
        try:
            content = parse("\n".join(gathered))
        except ValueError:
            continue
        first = number - len(gathered) + 1
        is_header = gathered[0].lstrip().startswith("[")
        gathered = []
        if is_header:
            table = tuple(_header(content))
            content = {}
        if content or is_header:
            yield first, _within(table, content)


def _header(content: Any) -> Iterator[str]:
    """Yield the names of the table that a header begins; those of a list of tables count alike."""
    while content:
        if isinstance(content, list):
            content = content[0]
            continue
        key, content = next(iter(content.items()))
        yield key


def _within(table: tuple[str, ...], content: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in reversed(table):
        content = {key: content}
    return content


def _speaks_of(content: Any, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(content, Mapping) or key not in content:
            return False
        content = content[key]
    return True
