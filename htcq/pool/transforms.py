"""The lines of a job transform that the schedd cannot use.

Follows MacroStreamXFormSource::open and ParseRulesCallback of src/condor_utils/xform_utils.cpp and
transformJob of src/condor_schedd.V6/job_transforms.cpp, HTCondor 25.14; tried on 25.14.1
(tests/golden/knobs/transforms.json). Requirements are read when the schedd starts, without macros;
the other lines when a job is submitted.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import NamedTuple

from htcq.classad.faults import fault_of
from htcq.pool.config_lines import SEVERAL_LINES, STATEMENTS, condition, lines_of
from htcq.pool.config_statements import is_refused

#: Each keyword, and how many arguments must follow it.
_ARGUMENTS = {
    "COPY": 2, "DEFAULT": 2, "DELETE": 1, "EVALMACRO": 2, "EVALSET": 2, "NAME": 1, "RENAME": 2,
    "REQUIREMENTS": 1, "SET": 2, "TRANSFORM": 0, "UNIVERSE": 1,
}  # fmt: skip
#: Their second argument is an expression.
_WITH_EXPRESSION = ("DEFAULT", "EVALMACRO", "EVALSET", "SET")
#: Their first argument may be a regular expression between slashes.
_WITH_PATTERN = ("COPY", "DELETE", "RENAME")
#: They are taken out before the rest is read.
_ENVELOPE = re.compile(r"\s*(NAME|REQUIREMENTS|TRANSFORM|UNIVERSE)\s+([^=:\s].*)", re.IGNORECASE)
_ASSIGNS = re.compile(r"[^\s=@+]+\s*(@=|\+?=)\s*(.*)", re.DOTALL)
_REST = re.compile(r"[=,]\s+")


class Loss(enum.Enum):
    """What the schedd does because of a broken line."""

    TRANSFORM = "ignores the transform"
    LINE = "goes on without this line, and its log does not say so"
    JOBS = "refuses each job that the transform is for"


class BrokenLine(NamedTuple):
    """One line: its text, what is wrong with it, and what the schedd does.

    ``expression`` is the part that must be an expression, ``place`` is where it stops to be one,
    counted from 0; without an expression ``wrong`` says what the line lacks.
    """

    text: str
    loss: Loss
    expression: str = ""
    place: int = 0
    wrong: str = ""


def broken_lines(text: str, expanded: bool = False) -> Iterator[BrokenLine]:
    """Yield the lines of a transform that the schedd cannot use.

    ``expanded``: the text is of a dump, where macros are replaced that the schedd expands for each
    job. What may be missing because of that is no flaw.
    """
    for broken in _broken_lines(text):
        if not expanded or broken.loss is Loss.TRANSFORM or _is_certain(broken):
            yield broken


def _is_certain(broken: BrokenLine) -> bool:
    """Return whether no macro without a value can be what is wrong with a line."""
    if broken.expression:
        return broken.expression[broken.place] in "()[]{}"
    return not broken.wrong.endswith(("argument", "arguments"))


def _broken_lines(text: str) -> Iterator[BrokenLine]:
    rest = []
    for line in text.split("\n"):
        found = _ENVELOPE.match(line)
        if found is None:
            rest.append(line)
        elif found.group(1).upper() == "REQUIREMENTS":
            expression = found.group(2).strip()
            place = fault_of(expression)
            if place is not None:
                yield BrokenLine(line.strip(), Loss.TRANSFORM, expression, place)
                return
        elif found.group(1).upper() == "TRANSFORM":
            break
    yield from _broken_rules("\n".join(rest))


def _broken_rules(text: str) -> Iterator[BrokenLine]:
    end = ""
    opened: list[str] = []
    for line in lines_of(text):
        assigns = _ASSIGNS.match(line.text)
        if end:
            end = "" if line.text == end else end
        elif assigns is not None and assigns.group(1) == SEVERAL_LINES:
            end = f"@{assigns.group(2).strip()}"
        elif assigns is None and not line.is_comment:
            broken = _broken_condition(line.text, opened) or _broken_rule(line.text)
            if broken is not None:
                yield broken
    if opened:
        yield BrokenLine(opened[-1], Loss.JOBS, wrong="there is no endif for it")


def _broken_condition(line: str, opened: list[str]) -> BrokenLine | None:
    """Follow a condition; ``opened`` are those that are open."""
    word, rest = condition(line)
    if word == "if":
        opened.append(line)
        if is_refused(rest):
            return BrokenLine(line, Loss.JOBS, wrong="HTCondor takes no such condition")
    elif word and not opened:
        return BrokenLine(line, Loss.JOBS, wrong=f"there is no if for this {word}")
    elif word == "endif":
        opened.pop()
    return None


def _broken_rule(line: str) -> BrokenLine | None:
    keyword, _, rest = line.replace("\t", " ").partition(" ")
    name, rest = keyword.upper(), rest.strip()
    if keyword.rstrip(":").lower() in STATEMENTS:
        return None
    if name not in _ARGUMENTS:
        return BrokenLine(line, Loss.JOBS, wrong=f"{keyword} is no keyword of transforms")
    needed = _ARGUMENTS[name]
    if name in _WITH_PATTERN and rest.startswith("/"):
        end = rest.find("/", 1)
        if end < 0:
            return BrokenLine(line, Loss.JOBS, wrong="the regular expression has no / at its end")
        rest = f"x{rest[end + 1 :]}"
    attribute, _, value = rest.partition(" ")
    value = _REST.sub("", value.strip(), count=1) if value.strip()[:1] in ("=", ",") else value
    if len([part for part in (attribute, value.strip(" =,")) if part]) < needed:
        wrong = f"{name} needs {needed} argument{'s' if needed > 1 else ''}"
        if "=" in attribute:
            wrong += ", with spaces around the equals sign"
        return BrokenLine(line, Loss.JOBS, wrong=wrong)
    value = value.strip()
    place = fault_of(value) if name in _WITH_EXPRESSION and "$" not in value else None
    return None if place is None else BrokenLine(line, Loss.LINE, value, place)
