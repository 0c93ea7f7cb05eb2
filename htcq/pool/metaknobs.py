"""Metaknobs: the templates that ``use CATEGORY : NAME(arguments)`` stands for.

The templates are HTCondor's own, from the library that is installed. Arguments are filled in as
src/condor_utils/config.cpp does (MetaKnobAndArgs::init_from_string, expand_meta_args, 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from htcq.pool.config_lines import SPACE, lines_of, parts_of

#: Templates by category and name, in upper case.
Templates = Mapping[tuple[str, str], str]
_KNOB = re.compile(rf"[^{SPACE},(]+")
_ARGUMENT = re.compile(r"\$\((?=[0-9])")
_INSIDE = re.compile(r"([0-9]+)([?#+]?)(:?)(.*)\Z", re.DOTALL)
_CLOSES = {"(": ")", "[": "]"}


class Use(NamedTuple):
    """One metaknob that a line names, with its arguments."""

    category: str
    name: str
    arguments: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Category and name in upper case."""
        return self.category.upper(), self.name.upper()

    def __str__(self) -> str:
        return f"{self.category}:{self.name}"


def uses_of(category: str, value: str) -> Iterator[Use]:
    """Yield the metaknobs of ``use category : value``; it may name several."""
    at = 0
    while True:
        found = _KNOB.search(value, at)
        if found is None:
            return
        at = found.end()
        while value[at : at + 1] in tuple(SPACE):
            at += 1
        arguments = ""
        if value[at : at + 1] == "(":
            end = _end_of(value, at)
            arguments, at = value[at + 1 : end], end + 1
        yield Use(category, found.group(), arguments)


def uses_in(text: str) -> Iterator[Use]:
    """Yield every metaknob that lines of ``text`` name, whatever conditions they stand under."""
    for line in lines_of(text):
        parts = None if line.is_comment else parts_of(line.text.lstrip(":"))
        if parts is not None and parts.word == "use":
            yield from uses_of(parts.extra, parts.value)


def closure(wanted: Iterable[Use], template: Callable[[str, str], str | None]) -> Templates:
    """Return the templates of ``wanted`` and of all that these use in turn.

    ``template`` returns that of a category and a name; None where HTCondor does not have it.
    """
    found: dict[tuple[str, str], str] = {}
    waiting = list(wanted)
    while waiting:
        use = waiting.pop()
        text = None if use.key in found else template(*use.key)
        if text is not None:
            found[use.key] = text
            waiting += uses_in(text)
    return found


def filled_in(template: str, arguments: str) -> str:
    """Return ``template`` with its arguments in the place of $(1), $(2?), $(3+), $(0#), $(1:…)."""
    given = [each.strip(SPACE) for each in arguments.split(",") if each.strip(SPACE)]
    return _filled(template, arguments.strip(SPACE), given)


def _filled(text: str, everything: str, given: list[str]) -> str:
    found = _ARGUMENT.search(text)
    if found is None:
        return text
    end = _end_of(text, found.end() - 1)
    inside = _INSIDE.match(text[found.end() : end])
    if inside is None:
        return text
    index, suffix, colon, default = inside.groups()
    value = _argument(int(index), suffix, everything, given)
    if not value and colon:
        value = _filled(default, everything, given).strip(SPACE)
    if suffix == "?":
        value = str(int(bool(value)))
    return text[: found.start()] + value + _filled(text[end + 1 :], everything, given)


def _argument(index: int, suffix: str, everything: str, given: list[str]) -> str:
    if index == 0:
        return str(len(given)) if suffix == "#" else everything
    if suffix in ("#", "+"):
        return ", ".join(given[index - 1 :])
    return "".join(given[index - 1 : index])


def _end_of(text: str, at: int) -> int:
    """Return the index of the bracket that closes the one at ``at``; the text's end where none."""
    expected: list[str] = []
    for place in range(at, len(text)):
        character = text[place]
        if expected and character == expected[-1]:
            expected.pop()
            if not expected:
                return place
        elif character in _CLOSES:
            expected.append(_CLOSES[character])
    return len(text)
