"""The configuration of one daemon's machine: every knob with its value, its raw text and where it was set.

The text is what ``condor_config_val -dump`` prints, with ``-verbose`` file and line too. Values come from HTCondor's
own parser; this module only remembers where the text said so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Callable

_ASSIGNMENT = re.compile(r"\s*([^\s=:#]+)\s*(@?)=[ \t]*(.*)")
#: What HTCondor takes for the name of a knob (src/condor_utils/config.cpp:is_valid_param_name, 25.14).
LEGAL_NAME = re.compile(r"[A-Za-z0-9_./]+\Z")
_READS_FILES = frozenset(
    (
        "LOCAL_CONFIG_FILE", "LOCAL_CONFIG_DIR", "USER_CONFIG_FILE", "LOCAL_ROOT_CONFIG_FILE",
        "REQUIRE_LOCAL_CONFIG_FILE", "ENABLE_PERSISTENT_CONFIG", "ENABLE_RUNTIME_CONFIG", "PERSISTENT_CONFIG_DIR",
    )
)  # fmt: skip
_END = "htcq_end_of_value"
_PLACE = re.compile(r"\s*#\s*at:\s*(.*?)(?:,\s*line\s*(\d+).*)?\s*\Z")


@dataclass(frozen=True)
class Knob:
    """One knob: its name as written, its value with all macros filled in, and file and line where they are known."""

    name: str
    value: str
    raw: str = ""
    place: str = ""


@dataclass(frozen=True)
class Configuration:
    """The knobs of one machine, by name whatever its case.

    ``statements`` are the lines that assign nothing and are no comments (``include``, ``use``, ``if`` …), each with its
    number; a dump has none, a configuration file may.
    """

    source: str
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[tuple[int, str], ...] = ()

    def __contains__(self, name: str) -> bool:
        return name.upper() in self.knobs

    def __iter__(self) -> Iterator[Knob]:
        return iter(self.knobs.values())

    def knob(self, name: str) -> Knob | None:
        """Return the knob ``name``; None where the text does not have it."""
        return self.knobs.get(name.upper())

    def value(self, name: str, default: str = "") -> str:
        """Return the value of ``name``: the text's, else HTCondor's default, else ``default``."""
        knob = self.knobs.get(name.upper())
        if knob is not None:
            return knob.value
        return self.defaults.get(name.upper(), default)

    def truth(self, name: str, default: bool) -> bool:
        """Return a knob as HTCondor reads truth values: true, yes, t, 1 and their opposites; else ``default``."""
        text = self.value(name).strip().lower()
        if text in ("true", "t", "yes", "y", "1"):
            return True
        return False if text in ("false", "f", "no", "n", "0") else default


@dataclass(frozen=True)
class Assignment:
    """One line of a configuration text: the knob, its raw value, and the place that a comment below it names."""

    name: str
    raw: str
    place: str
    line: int


def assignments(text: str) -> list[Assignment]:
    """Return what a dump assigns, in its order; file and line from its ``# at:`` comments where it has them."""
    return _read(text)[0]


def _read(text: str) -> tuple[list[Assignment], list[tuple[int, str]]]:
    """Return the assignments and the other statements of ``text``."""
    found: list[Assignment] = []
    statements: list[tuple[int, str]] = []
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        line, number = lines[index], index + 1
        index += 1
        place = _PLACE.match(line)
        if place and found:
            last = found[-1]
            where = f"{place.group(1)}:{place.group(2)}" if place.group(2) else place.group(1)
            found[-1] = Assignment(last.name, last.raw, where, last.line)
            continue
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ASSIGNMENT.match(line)
        raw = line if match is None else match.group(3)
        if match is not None and match.group(2):
            body, index = _until(lines, index, f"@{raw.strip()}")
            raw = "\n".join(body)
        else:
            while raw.endswith("\\") and index < len(lines):
                raw, index = raw[:-1] + lines[index].strip(), index + 1
        if match is None:
            statements.append((number, raw.strip()))
        else:
            found.append(Assignment(match.group(1), raw.strip(), "", number))
    return found, statements


def safe_text(found: Iterable[Assignment]) -> str:
    """Return a text of plain assignments only, for HTCondor's parser.

    A configuration from elsewhere must not run a command or read a file here, as ``include`` and some knobs do; names
    that HTCondor refuses would end its parser and are left out too.
    """
    lines = []
    for each in found:
        if LEGAL_NAME.match(each.name) and each.name.upper() not in _READS_FILES:
            several = "\n" in each.raw
            lines.append(f"{each.name} @={_END}\n{each.raw}\n@{_END}" if several else f"{each.name} = {each.raw}")
    return "\n".join(lines) + "\n"


Parse = Callable[[str, Sequence[str]], tuple[dict[str, str], dict[str, str]]]


def configuration_from(source: str, text: str, parse: Parse) -> Configuration:
    """Return the configuration that ``text`` holds; ``parse`` is HTCondor's own parser.

    Raises:
        InputError: the parser refuses even plain assignments of it.
    """
    found, statements = _read(text)
    names = [each.name for each in found]
    values, defaults = parse(safe_text(found), names)
    knobs = {
        each.name.upper(): Knob(each.name, values.get(each.name, each.raw), each.raw, each.place) for each in found
    }
    return Configuration(source, knobs, {name.upper(): value for name, value in defaults.items()}, tuple(statements))


def _until(lines: list[str], start: int, end: str) -> tuple[list[str], int]:
    for index in range(start, len(lines)):
        if lines[index].strip() == end:
            return lines[start:index], index + 1
    return lines[start:], len(lines)
