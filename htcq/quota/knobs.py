"""Knobs of group quotas, read as the negotiator reads them, with the problems it would meet.

Follows param_double, param_integer and param_boolean of src/condor_utils/condor_config.cpp,
HTCondor 25.14: a plain literal first, else a ClassAd expression evaluated on its own; an empty
value is no value; on a value that is no number, no truth value or out of range the daemon exits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from htcq.classads import parsed

ProblemKind = Literal[
    "missing-parent",
    "duplicate",
    "reserved-name",
    "illegal-name",
    "no-quota",
    "both-kinds",
    "out-of-range",
    "not-a-number",
    "not-a-boolean",
    "not-an-expression",
]
#: On these the negotiator exits, again and again after each start by its master.
FATAL: frozenset[ProblemKind] = frozenset(
    {"out-of-range", "not-a-number", "not-a-boolean", "not-an-expression"}
)

_MESSAGES: Mapping[ProblemKind, str] = {
    "missing-parent": "group {group} is ignored: its parent {value} does not exist",
    "duplicate": "group {group} is ignored: it is the same as group {value}",
    "reserved-name": "group {group} is ignored: the name is that of the root group",
    "illegal-name": (
        "no knob can be set for group {group}: names of knobs consist of letters, digits, '_', "
        "'.' and '/'"
    ),
    "no-quota": "group {group} has neither {knob} nor GROUP_QUOTA_DYNAMIC_{group}: its quota is 0",
    "both-kinds": "{knob} is ignored: GROUP_QUOTA_{group} is set as well",
    "out-of-range": "{knob} is out of range: {value}",
    "not-a-number": "{knob} is not a number: {value}",
    "not-a-boolean": "{knob} is neither true nor false: {value}",
    "not-an-expression": "{knob} is not a ClassAd expression: {value}",
}
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[-+]?0[xX][0-9a-fA-F]+")


@dataclass(frozen=True)
class TreeProblem:
    """A problem in the groups' configuration, which the negotiator ignores or exits on.

    ``group`` is empty where the knob is for all groups. ``value`` is the knob's text, or the
    name of the other group.
    """

    kind: ProblemKind
    group: str
    knob: str
    value: str = ""

    @property
    def fatal(self) -> bool:
        """Return whether the negotiator exits on it."""
        return self.kind in FATAL

    @property
    def message(self) -> str:
        """Say in one line what is wrong."""
        return _MESSAGES[self.kind].format(group=self.group, knob=self.knob, value=self.value)


def number_of(text: str) -> float | None:
    """Return the number that ``text`` is or evaluates to; None where it is none, NaN included."""
    if _HEXADECIMAL.fullmatch(text):
        return _from_hexadecimal(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    value = _evaluated(text)
    if value is None or math.isnan(value):
        return None
    return value


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        # C's strtod returns the same.
        if text.startswith("-"):
            return -math.inf
        return math.inf


def truth_of(text: str) -> bool | None:
    """Return the truth value that ``text`` is or evaluates to; None where it is none."""
    known = {"true": True, "1": True, "false": False, "0": False}.get(text.lower())
    if known is not None:
        return known
    value = _evaluated(text)
    if value is None:
        return None
    return value != 0


def _evaluated(text: str) -> float | None:
    # A comment at the end ends with the line.
    expression = parsed(f"{text}\n")
    if expression is None:
        return None
    value = expression.evaluate()
    if isinstance(value, (int, float)):
        return float(value)
    return None


class Knobs:
    """Knobs by name, whatever its case, and the problems met while reading them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts: dict[str, str] = {}
        self._emptied: set[str] = set()
        self.problems: list[TreeProblem] = []
        for name, text in texts.items():
            if text.strip():
                self._texts[name.lower()] = text.strip()
            else:
                self._emptied.add(name.lower())

    def text(self, name: str) -> str | None:
        """Return the knob's text; None where it is not set or empty."""
        return self._texts.get(name.lower())

    def text_or(self, name: str, default: str) -> str:
        """Return the knob's text, or ``default`` where it is not set.

        An empty value counts as set.
        """
        if name.lower() in self._emptied:
            return ""
        return self.text(name) or default

    def report(self, kind: ProblemKind, group: str, knob: str, value: str = "") -> None:
        """Note a problem."""
        self.problems.append(TreeProblem(kind, group, knob, value))

    def number(
        self, name: str, default: float, least: float, most: float, group: str = ""
    ) -> float:
        """Return the knob's number within ``least`` and ``most``.

        ``default`` where it is not set or no number.
        """
        text = self.text(name)
        if text is None:
            return default
        value = number_of(text)
        if value is None:
            self.report("not-a-number", group, name, text)
            return default
        if not least <= value <= most:
            self.report("out-of-range", group, name, text)
        return min(max(value, least), most)

    def boolean(self, name: str, default: bool, group: str = "") -> bool:
        """Return the knob's truth value, ``default`` where it is not set or none."""
        text = self.text(name)
        if text is None:
            return default
        value = truth_of(text)
        if value is None:
            self.report("not-a-boolean", group, name, text)
            return default
        return value
