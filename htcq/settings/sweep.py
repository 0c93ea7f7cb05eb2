"""The file of a sweep as items, built from a mapping; htcq-simulate(1) describes it.

``[grid]`` has lists of values whose product are items, ``[base]`` what all items have,
``[[item]]`` items of their own. Their keys are the options of a simulation.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from htcq.errors import InputError
from htcq.settings.sweep_items import Item, Sweep
from htcq.settings.tables import check_keys

#: The largest number of items; nobody reads the results of more.
MAX_ITEMS = 10_000
TOP_KEYS = ("base", "grid", "item")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=+:,@-]*")
#: Characters that are replaced in file names.
_ODD = re.compile(r"[^A-Za-z0-9._=+:,@-]")
_LONGEST_NAME, _LONGEST_SHOWN, _GREATEST = 120, 80, 2**63
#: Options with their values: an empty tuple for a flag that is given, None for one that is not.
_Given = Sequence[tuple[str, Optional[tuple[str, ...]]]]


@dataclass(frozen=True)
class Option:
    """One option of a simulation.

    ``destination`` is the command line's name for its value. ``repeatable`` says that it can be
    given several times, ``flag`` that it has no value.
    """

    name: str
    destination: str = ""
    repeatable: bool = False
    flag: bool = False


class _Reader:
    """A reader of values, which names the place of a wrong one."""

    def __init__(self, file: str, options: Sequence[Option]) -> None:
        self.file = file
        self.options = {option.name: option for option in options}

    def refuse(self, where: str, value: Any, hint: str) -> InputError:
        """Return the error that ``value`` is wrong at ``where``."""
        try:
            if isinstance(value, (str, bool, int, float, list, dict)):
                shown = repr(value)
            else:
                shown = str(value)
        except ValueError:
            shown = "a very long number"
        if len(shown) > _LONGEST_SHOWN:
            shown = f"{shown[: _LONGEST_SHOWN - 3]}..."
        return InputError(f"{self.file}: {where} is {shown}", hint)

    def table(self, where: str, value: Any) -> Mapping[str, Any]:
        """Return a table of options by name."""
        table = self.plain_table(where, value)
        check_keys(f"{where}.", table, tuple(self.options), self.file)
        return table

    def plain_table(self, where: str, value: Any) -> Mapping[str, Any]:
        """Return a table of anything."""
        if not isinstance(value, Mapping):
            raise self.refuse(where, value, f"it must be a table: [{where}]")
        return value

    def values(self, where: str, name: str, value: Any) -> tuple[str, ...] | None:
        """Return the values of one option; None where it is a flag that is not given."""
        option = self.options[name]
        if option.flag:
            if not isinstance(value, bool):
                raise self.refuse(where, value, "it must be true or false")
            if value:
                return ()
            return None
        if isinstance(value, list):
            if not option.repeatable:
                raise self.refuse(where, value, "this option is given once")
            return tuple(self.text(where, each) for each in value) or None
        return (self.text(where, value),)

    def text(self, where: str, value: Any) -> str:
        """Return a text or a number as text, on one line."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self.refuse(where, value, "it must be a text or a number")
        if isinstance(value, int) and abs(value) > _GREATEST:
            raise self.refuse(where, value, "it must be a number of at most 64 bits")
        if isinstance(value, str) and not value.isprintable():
            raise self.refuse(where, value, "it must be one line without invisible characters")
        return str(value)

    def join(self, base: _Given, more: _Given) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return all options: repeatable ones are added to the base, others replace its values."""
        joined = dict(base)
        for name, values in more:
            if self.options[name].repeatable:
                both = (*(joined.get(name) or ()), *(values or ()))
                joined[name] = both or None
            else:
                joined[name] = values
        return tuple((name, values) for name, values in joined.items() if values is not None)


def sweep_from(content: Mapping[str, Any], options: Sequence[Option], file: str) -> Sweep:
    """Return the sweep of a parsed ``file``, whose simulations have ``options``.

    Raises:
        InputError: an unknown key (with the near one), a value of the wrong kind, two items of one
            name, no items, or more than :data:`MAX_ITEMS`.
    """
    if "submit" in content:
        raise InputError(
            f"{file}: submit is gone", "contrib/sweep has a submit file for simulations as jobs"
        )
    check_keys("", content, TOP_KEYS, file)
    reader = _Reader(file, options)
    base = _options(reader, "base", reader.table("base", content.get("base", {})))
    own = content.get("item", [])
    if not isinstance(own, list):
        raise InputError(f"{file}: item is not a list", "write [[item]] once per item")
    grid = _grid(reader, reader.table("grid", content.get("grid", {})), base, len(own))
    items = [*grid, *(_own(reader, number, each, base) for number, each in enumerate(own, 1))]
    if not items:
        raise InputError(
            f"{file} has no items", 'such as [grid] with demand = ["physics=x1", "physics=x2"]'
        )
    seen: set[str] = set()
    for item in items:
        if item.name in seen:
            raise InputError(
                f"{file}: two items are called {item.name}",
                "names must be unique, and so must values",
            )
        seen.add(item.name)
    return Sweep(tuple(items))


def _options(reader: _Reader, where: str, table: Mapping[str, Any]) -> _Given:
    return [(name, reader.values(f"{where}.{name}", name, value)) for name, value in table.items()]


def _grid(reader: _Reader, table: Mapping[str, Any], base: _Given, others: int) -> Iterable[Item]:
    axes: list[_Given] = []
    for name, values in table.items():
        if not isinstance(values, list) or not values:
            raise reader.refuse(f"grid.{name}", values, "it must be a list of values, one or more")
        axes.append([(name, reader.values(f"grid.{name}", name, value)) for value in values])
    count = 0
    if axes:
        count = math.prod(len(axis) for axis in axes)
    if count + others > MAX_ITEMS:
        shape = " x ".join(str(len(axis)) for axis in axes) or "no grid"
        if others:
            shape += f", and {others} of their own"
        raise InputError(
            f"{reader.file} has {count + others:,} items ({shape})",
            f"the maximum is {MAX_ITEMS:,}; split it into several files",
        )
    if not axes:
        return []
    return [Item(_called(point), reader.join(base, point)) for point in itertools.product(*axes)]


def _called(point: _Given) -> str:
    """Return a name for a point of the grid, which depends on its values alone."""
    text = ",".join(f"{name}={_shown(values)}" for name, values in point)
    name = _ODD.sub("_", text)
    if name == text and len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(repr(point).encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 9]}-{digest}"


def _shown(values: tuple[str, ...] | None) -> str:
    if values is None:
        return "none"
    if not values:
        return "yes"
    return "+".join(values)


def _own(reader: _Reader, number: int, value: Any, base: _Given) -> Item:
    where = f"item {number}"
    table = dict(reader.plain_table(where, value))
    name = table.pop("name", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        hint = f"it must be up to {_LONGEST_NAME} letters, digits and . _ = + : , @ - in quotes"
        if name is None:
            name = "missing"
        raise reader.refuse(f"{where}.name", name, hint)
    options = _options(reader, where, reader.table(where, table))
    return Item(name, reader.join(base, options), named=True)
