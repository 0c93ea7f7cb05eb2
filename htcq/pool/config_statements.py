"""What a configuration text says: assignments, and lines that assign nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

_ASSIGNMENT = re.compile(r"\s*([^\s=:#]+?)\s*(@?)=[ \t]*(.*)")
_PLACE = re.compile(r"\s*#\s*at:\s*(.*?)(?:,\s*line\s*(\d+).*)?\s*\Z")


class Statement(NamedTuple):
    """A line that assigns nothing, by its number; ``file`` is empty where the text is one file."""

    line: int
    text: str
    file: str = ""


@dataclass(frozen=True)
class Assignment:
    """One assignment in a configuration text.

    ``raw`` is its value before macros are expanded, ``place`` the file and line that a comment
    below it names. ``conditional`` says that it stands between ``if`` and ``endif``.
    """

    name: str
    raw: str
    place: str
    line: int
    conditional: bool = False


def said_by(text: str) -> tuple[list[Assignment], list[Statement]]:
    """Return the assignments and the other statements of ``text``."""
    found: list[Assignment] = []
    statements: list[Statement] = []
    lines = text.splitlines()
    index = depth = 0
    while index < len(lines):
        line, number = lines[index], index + 1
        index += 1
        place = _PLACE.match(line)
        if place and found:
            found[-1] = replace(found[-1], place=_place_text(place))
            continue
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ASSIGNMENT.match(line)
        if match is None:
            raw, index = _joined(lines, index, line)
            statements.append(Statement(number, raw.strip()))
            depth = max(0, depth + _deeper(raw))
            continue
        name, multiline, raw = match.groups()
        if multiline:
            body, index = _until(lines, index, f"@{raw.strip()}")
            raw = "\n".join(body)
        else:
            raw, index = _joined(lines, index, raw)
        found.append(Assignment(name, raw.strip(), "", number, depth > 0))
    return found, statements


def _deeper(statement: str) -> int:
    """Return by how much the lines after ``statement`` are deeper within conditions."""
    words = statement.lower().split(maxsplit=1)
    return {"if": 1, "endif": -1}.get("".join(words[:1]), 0)


def _place_text(place: re.Match[str]) -> str:
    file, line = place.groups()
    if line:
        return f"{file}:{line}"
    return str(file)


def _joined(lines: list[str], index: int, raw: str) -> tuple[str, int]:
    """Return ``raw`` with the lines that continue it, and the index of the line after them."""
    while raw.endswith("\\") and index < len(lines):
        raw = raw[:-1] + lines[index].strip()
        index += 1
    return raw, index


def _until(lines: list[str], start: int, end: str) -> tuple[list[str], int]:
    for index in range(start, len(lines)):
        if lines[index].strip() == end:
            return lines[start:index], index + 1
    return lines[start:], len(lines)
