"""The items of a sweep: each is one simulation with options of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

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
        return tuple(
            word
            for name, values in self.options
            for word in ([f"--{name}={value}" for value in values] or [f"--{name}"])
        )

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the options name."""
        named = (file_in(name, value) for name, values in self.options for value in values)
        return tuple(dict.fromkeys(name for name in named if name))

    def moved(self, places: Mapping[str, str]) -> Item:
        """Return the item with the names of files replaced by those of ``places``."""
        options = tuple(
            (name, tuple(_moved(name, value, places) for value in values))
            for name, values in self.options
        )
        return replace(self, options=options)

    @property
    def values(self) -> dict[str, list[str]]:
        """The values by option."""
        return {name: list(values) for name, values in self.options}


def file_in(option: str, value: str) -> str:
    """Return the name of the file at the end of an option's value; empty without one."""
    before = _FILES[option].match(value) if option in _FILES else None
    return value[before.end() :] if before else ""


def _moved(option: str, value: str, places: Mapping[str, str]) -> str:
    file = file_in(option, value)
    return value[: -len(file)] + places[file] if file in places else value


@dataclass(frozen=True)
class Sweep:
    """All items, and the commands of HTCondor's submit language that jobs need besides."""

    items: tuple[Item, ...]
    submit: Mapping[str, str]

    @property
    def varying(self) -> tuple[str, ...]:
        """The options that differ between items."""
        named = dict.fromkeys(name for item in self.items for name, _ in item.options)
        given = [dict(item.options) for item in self.items]
        return tuple(name for name in named if len({each.get(name) for each in given}) > 1)
