"""Lines of configuration text as HTCondor's parser sees them.

Follows src/condor_utils/config.cpp (getline_implementation, Parse_macros), 25.14: a line ends at a
line feed alone, and goes on in the next one after a backslash. A comment between the lines of a
value is dropped but for its last character; that is what HTCondor does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: What C takes for white space; Python knows more.
SPACE = " \t\v\f\r"
#: What HTCondor takes for the name of a knob (is_valid_param_name).
LEGAL_NAME = re.compile(r"[A-Za-z0-9_./]+\Z")
ASSIGNS, SEVERAL_LINES, ADDS, STATES = "=", "@=", "+=", ":"
#: Words that decide which of the lines after them count.
CONDITIONS = frozenset(("if", "elif", "else", "endif"))
#: Words that do something where a colon follows.
_DOES = frozenset(("include", "use", "error", "warning"))
#: Names that are statements; the parser ends the process where one is incomplete.
STATEMENTS = CONDITIONS | _DOES
#: $(NAME) within the name of a knob.
_MACRO = re.compile(r"\$[A-Za-z_]*\([^()]*\)")
_NAME = re.compile(rf"[^{SPACE}=:]*")
_BEFORE_OPERATOR = re.compile(r"[^=:@+]*")
_OPERATOR = re.compile(r"[=:]|@=|\+(?P<separator>([,;|&*])\2?)?=")
_WORD = re.compile(rf"[^{SPACE}]*")


class Line(NamedTuple):
    """One line with those that continue it: the number of the first, its indentation, its text.

    ``goes_on`` says that others continue it.
    """

    number: int
    indent: int
    text: str
    goes_on: bool = False

    @property
    def is_comment(self) -> bool:
        """Whether the line says nothing to HTCondor."""
        return not self.text or self.text.startswith("#")


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of ``text``, comments and empty ones too."""
    # What a line is made of so far, without empty parts; joined once, as there may be many.
    parts: list[str] = []
    number = indent = 0
    for place, part in enumerate(text.split("\n"), 1):
        line = part.strip(SPACE)
        if not parts:
            number, indent = place, len(part) - len(part.lstrip(SPACE))
        if line.startswith("#"):
            if not parts:
                yield Line(number, indent, line)
                continue
            line = line[-1:]
        if line:
            parts.append(line)
        if parts and parts[-1].endswith("\\"):
            last = parts.pop()[:-1]
            if last:
                parts.append(last)
            continue
        yield Line(number, indent, "".join(parts), place > number)
        parts = []
    if parts:
        yield Line(number, indent, "".join(parts), True)


class Parts(NamedTuple):
    """A line taken apart: ``name operator value``.

    ``operator`` is one of the four of this module. ``separator`` is what += puts between the value
    so far and the new one. ``extra`` are words between name and operator, which HTCondor ignores in
    assignments; ``flaw`` says why the line is no statement of HTCondor, ``at`` is the index of what
    is wrong. ``begins`` is the index of the value.
    """

    name: str
    operator: str = ""
    value: str = ""
    separator: str = " "
    extra: str = ""
    flaw: str = ""
    at: int = 0
    begins: int = 0

    @property
    def word(self) -> str:
        """The statement's word, such as ``use``; empty where the line is an assignment."""
        name = self.name[self.name.startswith("@") :].lower()
        if self.operator == STATES and name in _DOES:
            return name
        return ""


def condition(text: str) -> tuple[str, str]:
    """Return the word of a condition and the rest of the line; empty for another line."""
    found = _WORD.match(text)
    word = found.group() if found else ""
    if word.lower() in CONDITIONS:
        return word.lower(), text[len(word) :].strip(SPACE)
    return "", ""


def parts_of(text: str) -> Parts | None:
    """Return the parts of a line that is no condition; None where HTCondor passes over it."""
    named = _NAME.match(text)
    name = named.group() if named else ""
    rest = text[len(name) :]
    if not rest:
        if name.startswith("["):
            return None
        return Parts(name, flaw=f"no = after {name}", at=len(name))
    before = ""
    if rest[0] not in "=:":
        found = _BEFORE_OPERATOR.match(rest)
        before = found.group() if found else ""
    at = len(name) + len(before)
    operator = _OPERATOR.match(text, at)
    extra = before.strip(SPACE)
    if operator is None:
        sign = ":" if name.lower() in _DOES else "="
        return Parts(name, extra=extra, flaw=f"no {sign} after {name}", at=len(name))
    sign = operator.group()
    kind = ADDS if sign.startswith("+") else sign
    begins = len(text) - len(text[operator.end() :].lstrip(SPACE))
    value = text[begins:].rstrip(SPACE)
    parts = Parts(name, kind, value, _spaced(operator["separator"]), extra, begins=begins)
    if not parts.word and not LEGAL_NAME.match(_MACRO.sub("x", name)):
        return _misnamed(parts)
    return parts


#: What some editors put before a text, and HTCondor takes for letters of a name.
_BYTE_ORDER_MARK = "\ufeff"


def _misnamed(parts: Parts) -> Parts:
    """Return the parts of a line whose name is none; ``NAME+=`` and ``NAME@=`` lack a space."""
    name = parts.name
    flaw = f"{name or 'nothing'} is no name of a knob"
    if name.startswith(_BYTE_ORDER_MARK):
        flaw = "an invisible byte order mark stands before the line"
    operator = f"{name[-1:]}{parts.operator}"
    if operator in (ADDS, SEVERAL_LINES):
        flaw += f": a space is missing before {operator}"
        return parts._replace(name=name[:-1], operator=operator, flaw=flaw)
    return parts._replace(flaw=flaw)


def _spaced(separator: str | None) -> str:
    """Return what stands between two values that += joins: ``&&`` has spaces around it."""
    if not separator:
        return " "
    if len(separator) == 2:
        return f" {separator} "
    return separator
