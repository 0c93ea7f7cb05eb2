"""The items of a sweep: each is one simulation with options of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

#: Options whose values end in the name of a file, with the text before it.
_FILES = {
    "arrivals": re.compile(r""),
    "model": re.compile(r"(.*=)?"),
    "run-time": re.compile(r"history:"),
}


@dataclass(frozen=True)
class Item:
    """One simulation.

    ``name`` is valid as the name of a file. ``options`` are the options with their values (a flag
    has none). ``named`` says that the user chose the name; otherwise it lists the values.
    """

    name: str
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    named: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """The options as words of a command line.

        A word is ``--name=value``, so that a value may begin with a dash.
        """
        words: list[str] = []
        for name, values in self.options:
            if not values:
                words.append(f"--{name}")
            words += [f"--{name}={value}" for value in values]
        return tuple(words)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the options name."""
        files: dict[str, None] = {}
        for name, values in self.options:
            for value in values:
                file = file_in(name, value)
                if file:
                    files[file] = None
        return tuple(files)

    @property
    def values(self) -> dict[str, list[str]]:
        """The values by option."""
        return {name: list(values) for name, values in self.options}


def file_in(option: str, value: str) -> str:
    """Return the name of the file at the end of an option's value; empty without one."""
    if option not in _FILES:
        return ""
    before = _FILES[option].match(value)
    if before is None:
        return ""
    return value[before.end() :]


@dataclass(frozen=True)
class Sweep:
    """All items of a sweep."""

    items: tuple[Item, ...]

    @property
    def varying(self) -> tuple[str, ...]:
        """The options that differ between items."""
        given = [dict(item.options) for item in self.items]
        names = dict.fromkeys(chain.from_iterable(given))
        return tuple(name for name in names if len({options.get(name) for options in given}) > 1)
