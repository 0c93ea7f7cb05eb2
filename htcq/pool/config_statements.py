"""What a configuration text says, in its order: assignments, and lines that assign nothing.

Follows src/condor_utils/config.cpp (Parse_macros, ConfigIfStack, read_meta_config), 25.14. Of a
condition only what needs no look-up is decided: of the others all branches are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from htcq.pool.config_lines import (
    ADDS,
    SEVERAL_LINES,
    SPACE,
    STATES,
    Line,
    Parts,
    condition,
    lines_of,
    parts_of,
)
from htcq.pool.metaknobs import Templates, Use, filled_in, uses_of

_PLACE = re.compile(r"#\s*at:\s*(.*?)(?:,\s*line\s*(\d+).*)?\s*\Z")
#: CONFIG_MAX_NESTING_DEPTH of condor_config.h.
_DEEPEST = 20
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]*)?\Z")
#: A version follows a space, needs its minor number, and is 6.0 or newer.
_ASKS = re.compile(
    r"!?\s*(?:defined\s+\S|version\s+(?:!=|[<=>]=?)\s*(?:\$|v?(?:[6-9]|[1-9][0-9]+)\.[0-9]))",
    re.IGNORECASE,
)
_MACRO = re.compile(r"\$[A-Za-z_]*\([^()]*\)")
_COMPARES = re.compile(r"[<=>&|]")
_TRUE, _FALSE = frozenset(("true", "yes", "t")), frozenset(("false", "no", "f"))


class Statement(NamedTuple):
    """A line that assigns nothing, by its number; ``file`` is empty where the text is one file.

    ``flaw`` says why HTCondor refuses it, ``column`` where; both are empty for a sound one.
    ``sets`` is the knob that an assignment sets, where HTCondor ignores words after its name: they
    are the rest of ``text``, which has no value then.
    """

    line: int
    text: str
    file: str = ""
    column: int = 0
    flaw: str = ""
    sets: str = ""


@dataclass(frozen=True)
class Assignment:
    """One assignment in a configuration text.

    ``raw`` is its value before macros are expanded, ``place`` the file and line that a comment
    below it names. ``conditional`` says that it stands between ``if`` and ``endif``. ``is_odd``
    says that it has a colon for the equals sign, or words between the name and it. ``column`` is
    where the value begins in its line, counted from 1; 0 where it is not all in that line.
    """

    name: str
    raw: str
    place: str
    line: int
    conditional: bool = False
    is_odd: bool = False
    column: int = 0


class Said(NamedTuple):
    """What a text says; ``uses`` are its metaknobs that are not expanded."""

    assignments: list[Assignment]
    statements: list[Statement]
    uses: list[Use]


def said_by(text: str, templates: Templates | None = None) -> Said:
    """Return what ``text`` says, its metaknobs expanded by ``templates`` where these are given."""
    reader = _Reader(templates)
    reader.read(lines_of(text))
    return Said(reader.assigned, reader.statements, reader.uses)


@dataclass
class _Branch:
    """An ``if`` that is open: whether the lines after it count, None where that is not decided."""

    line: Line
    counts: bool | None
    #: Whether a branch before this one counts.
    done: bool | None


class _Reader:
    """Collects what lines say."""

    def __init__(self, templates: Templates | None) -> None:
        self.assigned: list[Assignment] = []
        self.statements: list[Statement] = []
        self.uses: list[Use] = []
        self._templates = templates
        self._branches: list[_Branch] = []
        self._known: set[str] = set()
        #: The line and the metaknob that the lines stand for, where they come from a template.
        self._from: tuple[Line, str] | None = None

    def read(self, lines: Iterator[Line], depth: int = 0) -> None:
        outer = len(self._branches)
        for line in lines:
            if line.is_comment:
                self._placed(line)
                continue
            text = line.text
            if text.startswith(":") and (self._branches or condition(text[1:])[0] == "if"):
                text = text[1:]
            word, rest = condition(text)
            if word and rest.startswith("="):
                # As HTCondor prints a knob of such a name, which no file of its can set.
                self._refuse(line, f"{word} is no name of a knob")
                self._state(line, text, lines, depth)
            elif word:
                self._decide(line, word, rest, outer)
            elif not self._passed_over:
                self._state(line, text, lines, depth)
        for branch in self._branches[outer:]:
            self._refuse(branch.line, "there is no endif for it")
        del self._branches[outer:]

    def _placed(self, line: Line) -> None:
        place = _PLACE.match(line.text)
        if place and self.assigned and self._from is None:
            file, number = place.groups()
            text = f"{file}:{number}" if number else str(file)
            self.assigned[-1] = replace(self.assigned[-1], place=text)

    def _decide(self, line: Line, word: str, rest: str, outer: int) -> None:
        if word != "if" and len(self._branches) <= outer:
            self._refuse(line, f"there is no if for this {word}")
            return
        asked = word == "if" and all(each.counts for each in self._branches)
        decided = self._decided(line, word, rest)
        if asked and is_refused(rest):
            self._refuse(line, f"HTCondor takes no such condition: {rest}")
        elif not decided and self._from is None:
            self.statements.append(Statement(line.number, line.text))

    def _decided(self, line: Line, word: str, rest: str) -> bool:
        """Follow a condition; return whether it is known if the lines after it count."""
        if word == "if":
            counts = False if self._passed_over else _literal(rest)
            self._branches.append(_Branch(line, counts, counts))
            return counts is not None
        branch = self._branches[-1]
        if word == "endif":
            self._branches.pop()
        elif branch.done is False:
            branch.counts = branch.done = word == "else" or _literal(rest)
        elif branch.done is True:
            branch.counts = False
        return branch.done is not None

    def _state(self, line: Line, text: str, lines: Iterator[Line], depth: int) -> None:
        """Take up a line that is no condition."""
        parts = parts_of(text)
        if parts is None:
            return
        if parts.word:
            self._do(line, parts, depth)
            return
        if parts.flaw:
            self._refuse(line, parts.flaw, parts.at)
            if not parts.operator:
                return
        if parts.extra and self._from is None:
            written = f"{parts.name} {parts.extra}"
            self.statements.append(Statement(line.number, written, sets=parts.name))
        raw, column = parts.value, 0
        if self._from is None and not line.goes_on and parts.operator not in (SEVERAL_LINES, ADDS):
            column = line.indent + len(line.text) - len(text) + parts.begins + 1
        if parts.operator == SEVERAL_LINES:
            body, ended = _until(lines, raw)
            raw = "\n".join(body)
            if not ended:
                self._refuse(line, f"there is no line @{parts.value} that ends its value")
        elif parts.operator == ADDS and parts.name.upper() in self._known:
            raw = f"$({parts.name}){parts.separator}{raw}"
        self._known.add(parts.name.upper())
        number = self._from[0].number if self._from else line.number
        odd = parts.operator == STATES or bool(parts.extra)
        found = Assignment(parts.name, raw.strip(), "", number, bool(self._branches), odd, column)
        self.assigned.append(found)

    def _do(self, line: Line, parts: Parts, depth: int) -> None:
        """Take up ``use``, ``include``, ``error`` or ``warning``."""
        if parts.word == "use" and self._templates is not None and "$" not in parts.extra:
            self._expand(line, parts, self._templates, depth)
        elif parts.word == "error" and not any(branch.counts is None for branch in self._branches):
            self._refuse(line, f"it ends the daemon: {parts.value}")
        elif self._from is None:
            self.statements.append(Statement(line.number, line.text))
            if parts.word == "use":
                self.uses += uses_of(parts.extra, parts.value)

    def _expand(self, line: Line, parts: Parts, templates: Templates, depth: int) -> None:
        for use in uses_of(parts.extra, parts.value):
            template = templates.get(use.key)
            if template is None or depth >= _DEEPEST:
                self._refuse(line, f"HTCondor has no metaknob {use}")
                continue
            before = self._from
            self._from = before or (line, str(use))
            self.read(lines_of(filled_in(template, use.arguments)), depth + 1)
            self._from = before

    @property
    def _passed_over(self) -> bool:
        return any(branch.counts is False for branch in self._branches)

    def _refuse(self, line: Line, flaw: str, at: int = 0) -> None:
        if self._from is not None:
            line, use = self._from
            flaw, at = f"{use}: {flaw}", 0
        column = line.indent + at + 1
        self.statements.append(Statement(line.number, line.text, "", column, flaw))


def _literal(text: str) -> bool | None:
    """Return a condition that is a number or a truth value; None for another one."""
    negated = text.startswith("!")
    word = text[negated:].strip(SPACE).lower()
    if word in _TRUE | _FALSE:
        return (word in _TRUE) is not negated
    if _NUMBER.match(word):
        return (float(word) != 0) is not negated
    return None


def is_refused(text: str) -> bool:
    """Return whether ``text`` is a condition that HTCondor takes for an error.

    It takes numbers, truth values, ``defined NAME`` and ``version >= NUMBER``, and macros that
    become one of these.
    """
    if _ASKS.match(text) or _literal(text) is not None:
        return False
    return "$" not in text or bool(_COMPARES.search(_MACRO.sub("", text)))


def _until(lines: Iterator[Line], tag: str) -> tuple[list[str], bool]:
    """Return the lines up to ``@tag``, and whether there is one."""
    body: list[str] = []
    for line in lines:
        if line.text == f"@{tag}":
            return body, True
        if not line.is_comment:
            body.append(line.text)
    return body, False
