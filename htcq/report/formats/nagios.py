"""What a monitoring plugin prints, whatever it looked at: its line and its performance data.

Follows https://www.monitoring-plugins.org/doc/guidelines.html; Nagios, Icinga and their kin read
it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from htcq.report.printable import one_line
from htcq.report.verdict import Measure, Verdict

_WORDS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
#: Most lines of details unless more are asked for: Nagios reads no more than 8 KiB of all output.
MAX_LINES = 10
#: Ailments, and things that are missing, on the first line: a pager shows no more.
_MAX_FIRST = 2


def told(verdict: Verdict) -> tuple[int, str]:
    """Return the state and what is printed: the pool's health comes before what was found.

    What is missing is named on the first line where that makes the state, else below.
    """
    status = verdict.status
    first = [each.text for each in verdict.health[:_MAX_FIRST]]
    first += [verdict.text, *(f"not known: {gap}" for gap in verdict.gaps[:_MAX_FIRST])]
    below = [f"{each.id}: {each.text}" for each in verdict.health]
    text = said(
        verdict.subject, status, "; ".join(first), verdict.measures, [*below, *verdict.lines]
    )
    return status, text


def said(
    subject: str,
    status: int,
    text: str,
    measures: Iterable[Measure] = (),
    lines: Iterable[str] = (),
) -> str:
    """Return the line that tells ``status`` of ``subject``, its performance data behind a bar, and ``lines`` below."""
    data = " ".join(_data(each) for each in measures)
    first = f"{subject} {_WORDS[status]}: {_text(text)}" + (f" | {data}" if data else "")
    return "\n".join([first, *(_text(line) for line in lines)])


def without_measures(text: str) -> str:
    """Return what :func:`said` returned without the performance data."""
    first, *below = text.split("\n")
    return "\n".join([first.partition(" | ")[0], *below])


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
    return ";".join([f"{_label(measure.label)}={_number(measure.value)}", *ranges, *ends]).rstrip(
        ";"
    )


def _label(label: str) -> str:
    """Return a label as it may stand before the equals sign: in quotes where it has a space, one of those or a sign."""
    plain = _text(label)
    return (
        plain
        if plain.replace("_", "").replace("-", "").isalnum()
        else "'" + plain.replace("'", "''") + "'"
    )


def _number(value: float) -> str:
    """Return a number in digits, a sign and a dot; ``U`` for what is no number that can be written so."""
    # 0 is added because a negative number may be rounded to -0.
    return f"{round(value, 6) + 0:.6f}".rstrip("0").rstrip(".") if math.isfinite(value) else "U"
