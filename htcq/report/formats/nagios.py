"""What a monitoring plugin prints, whatever it looked at: its states, its line, its performance data.

Follows https://www.monitoring-plugins.org/doc/guidelines.html; Nagios, Icinga and their kin read it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from htcq.poolquota.health import Ailment
from htcq.report.formats.thresholds import Range
from htcq.report.printable import one_line

OK, WARNING, CRITICAL, UNKNOWN = range(4)
_WORDS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
#: Most lines of details unless more are asked for: Nagios reads no more than 8 KiB of all output.
MAX_LINES = 10
#: Ailments, and things that are missing, on the first line: a pager shows no more.
_MAX_FIRST = 2


@dataclass(frozen=True)
class Measure:
    """One number of the performance data, the ranges in which it is fine, and the least and the most that it can be.

    It has no unit: the guidelines know none for weights.
    """

    label: str
    value: float
    warning: Range | None = None
    critical: Range | None = None
    least: float | None = None
    most: float | None = None

    @property
    def status(self) -> int:
        """The state that the value stands for; a value that is no number is unknown."""
        if math.isnan(self.value):
            return UNKNOWN
        if self.critical is not None and self.critical.alerts(self.value):
            return CRITICAL
        return WARNING if self.warning is not None and self.warning.alerts(self.value) else OK


def state_of(found: int, health: Sequence[Ailment], gaps: Sequence[str]) -> int:
    """Return the state of a pool: that of what was found, but never OK where nobody could look.

    CRITICAL where its daemons are not well. UNKNOWN where nothing was found, and ``gaps`` are missing to be sure of it.
    """
    if any(each.certain for each in health):
        return CRITICAL
    return UNKNOWN if found == OK and (health or gaps) else found


def verdict(
    subject: str,
    found: int,
    text: str,
    health: Sequence[Ailment] = (),
    gaps: Sequence[str] = (),
    measures: Iterable[Measure] = (),
    lines: Sequence[str] = (),
) -> tuple[int, str]:
    """Return the state and what is printed: ``text`` says what was found, ``health`` comes before it.

    What is missing is named on the first line where that makes the state, else below.
    """
    status = state_of(found, health, gaps)
    first = [each.text for each in health[:_MAX_FIRST]]
    first += [text, *(f"not known: {gap}" for gap in gaps[:_MAX_FIRST])]
    below = [f"{each.id}: {each.text}" for each in health]
    return status, said(subject, status, "; ".join(first), measures, [*below, *lines])


def said(subject: str, status: int, text: str, measures: Iterable[Measure] = (), lines: Iterable[str] = ()) -> str:
    """Return the line that tells ``status`` of ``subject``, its performance data behind a bar, and ``lines`` below."""
    data = " ".join(_data(each) for each in measures)
    first = f"{subject} {_WORDS[status]}: {_text(text)}" + (f" | {data}" if data else "")
    return "\n".join([first, *(_text(line) for line in lines)])


def at_most(lines: list[str], most: int = MAX_LINES) -> list[str]:
    """Return the first of ``lines``, and how many more there are."""
    return lines if len(lines) <= most else [*lines[:most], f"and {len(lines) - most} more"]


def _text(text: str) -> str:
    """Return ``text`` on one line without the bar that begins performance data."""
    return one_line(text).replace("|", "/")


def _data(measure: Measure) -> str:
    """Return ``label=value;warning;critical;least;most`` without what is empty at its end."""
    ranges = ("" if each is None else each.text for each in (measure.warning, measure.critical))
    ends = ("" if each is None else _number(each) for each in (measure.least, measure.most))
    return ";".join([f"{_label(measure.label)}={_number(measure.value)}", *ranges, *ends]).rstrip(";")


def _label(label: str) -> str:
    """Return a label as it may stand before the equals sign: in quotes where it has a space, one of those or a sign."""
    plain = _text(label)
    return plain if plain.replace("_", "").replace("-", "").isalnum() else "'" + plain.replace("'", "''") + "'"


def _number(value: float) -> str:
    """Return a number in digits, a sign and a dot; ``U`` for what is no number that can be written so."""
    # 0 is added because a negative number may be rounded to -0.
    return f"{round(value, 6) + 0:.6f}".rstrip("0").rstrip(".") if math.isfinite(value) else "U"
