"""The output of monitoring plugins: a status line, its performance data, and details.

Follows https://www.monitoring-plugins.org/doc/guidelines.html; Nagios, Icinga and their kin read
it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from htcq.report.printable import one_line
from htcq.report.verdict import Measure, Range, Verdict

_WORDS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
#: The maximum of lines of details, unless more are asked for: Nagios reads at most 8 KiB of output.
MAX_LINES = 10
#: The maximum of ailments, and of missing data, on the first line: a pager shows no more.
_MAX_FIRST = 2


def told(verdict: Verdict) -> tuple[int, str]:
    """Return the state and the text to print; ailments of the pool come before what was found."""
    status = verdict.status
    first = [each.text for each in verdict.health[:_MAX_FIRST]]
    first.append(verdict.text)
    first += [f"not known: {gap}" for gap in verdict.gaps[:_MAX_FIRST]]
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
    """Return the status line of ``subject`` with its performance data, and ``lines`` below."""
    first = f"{subject} {_WORDS[status]}: {_text(text)}"
    data = " ".join(_data(each) for each in measures)
    if data:
        first += f" | {data}"
    return "\n".join([first, *(_text(line) for line in lines)])


def without_measures(text: str) -> str:
    """Return what :func:`said` returned without the performance data."""
    first, *below = text.split("\n")
    return "\n".join([first.partition(" | ")[0], *below])


def at_most(lines: list[str], most: int = MAX_LINES) -> list[str]:
    """Return the first ``most`` of ``lines``, and how many more there are."""
    if len(lines) <= most:
        return lines
    return [*lines[:most], f"and {len(lines) - most} more"]


def _text(text: str) -> str:
    """Return ``text`` on one line without the bar that begins performance data."""
    return one_line(text).replace("|", "/")


def _data(measure: Measure) -> str:
    """Return ``label=value;warning;critical;least;most`` without what is empty at its end."""
    parts = [f"{_label(measure.label)}={_number(measure.value)}"]
    parts += map(_range, (measure.warning, measure.critical))
    parts += map(_end, (measure.least, measure.most))
    return ";".join(parts).rstrip(";")


def _range(found: Range | None) -> str:
    if found is None:
        return ""
    return found.text


def _end(number: float | None) -> str:
    if number is None:
        return ""
    return _number(number)


def _label(label: str) -> str:
    """Return a label, in quotes unless it has only letters, digits, ``_`` and ``-``."""
    plain = _text(label)
    if plain.replace("_", "").replace("-", "").isalnum():
        return plain
    doubled = plain.replace("'", "''")
    return f"'{doubled}'"


def _number(value: float) -> str:
    """Return a number in digits, a sign and a dot; ``U`` for NaN and infinities."""
    if not math.isfinite(value):
        return "U"
    # 0 is added because a negative number may be rounded to -0.
    return f"{round(value, 6) + 0:.6f}".rstrip("0").rstrip(".")
