"""What monitoring is told of a result: its state, in a sentence, with the numbers that it measured.

States and ranges follow https://www.monitoring-plugins.org/doc/guidelines.html. A range is
``[@][start:][end]``, where ``~`` stands for minus infinity and a missing end for infinity; both
ends belong to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from htcq.errors import InputError
from htcq.poolquota.health import Ailment

OK, WARNING, CRITICAL, UNKNOWN = range(4)
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_RANGE = re.compile(rf"(@?)(?:(~|{_NUMBER})?(:))?({_NUMBER})?")


@dataclass(frozen=True)
class Range:
    """The values from ``start`` to ``end``; those outside of it alert, or those in it where ``inside``.

    ``text`` is how it was given.
    """

    start: float
    end: float
    inside: bool
    text: str

    def alerts(self, value: float) -> bool:
        """Tell whether ``value`` is one to be told of; NaN is in no range."""
        return (self.start <= value <= self.end) is self.inside


def read_range(text: str) -> Range:
    """Return the range that ``text`` spells.

    Raises:
        InputError: it spells none, or one that ends before it starts.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None or not (match[3] or match[4]):
        raise InputError(f"'{text}' is not a range", "such as 10, 10:, ~:10, 10:20 or @10:20")
    start = -math.inf if match[2] == "~" else float(match[2] or 0)
    end = float(match[4]) if match[4] else math.inf
    if start > end:
        raise InputError(
            f"the range '{text}' ends before it starts",
            "start:end, and start is 0 where it is left out",
        )
    return Range(start, end, bool(match[1]), text.strip())


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

    CRITICAL where its daemons are not well. UNKNOWN where nothing was found, and ``gaps`` are
    missing to be sure of it.
    """
    if any(each.certain for each in health):
        return CRITICAL
    return UNKNOWN if found == OK and (health or gaps) else found


@dataclass(frozen=True)
class Verdict:
    """What was ``found`` of a ``subject``, as a state and a text, with ``lines`` of details.

    ``health`` is that of the pool, ``gaps`` what of it is not known.
    """

    subject: str
    found: int
    text: str
    health: Sequence[Ailment] = ()
    gaps: Sequence[str] = ()
    measures: Sequence[Measure] = ()
    lines: Sequence[str] = ()

    @property
    def status(self) -> int:
        """The state: that of what was found, but never OK where nobody could look."""
        return state_of(self.found, self.health, self.gaps)
