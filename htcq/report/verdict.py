"""The verdict on a result for monitoring: its state, a sentence, and the measured numbers.

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
from htcq.poolquota.ailment import Ailment

OK, WARNING, CRITICAL, UNKNOWN = range(4)
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_RANGE = re.compile(rf"(@?)(?:(~|{_NUMBER})?(:))?({_NUMBER})?")


@dataclass(frozen=True)
class Range:
    """The values from ``start`` to ``end``.

    Values outside of it alert, or those in it if it is ``inside``. ``text`` is its spelling on the
    command line.
    """

    start: float
    end: float
    inside: bool
    text: str

    def alerts(self, value: float) -> bool:
        """Return whether ``value`` alerts; NaN is in no range."""
        return (self.start <= value <= self.end) is self.inside


def read_range(text: str) -> Range:
    """Return the range that ``text`` spells.

    Raises:
        InputError: it spells none, or one that ends before it starts.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None or not (match[3] or match[4]):
        raise InputError(f"'{text}' is not a range", "such as 10, 10:, ~:10, 10:20 or @10:20")
    start, end = 0.0, math.inf
    if match[2] == "~":
        start = -math.inf
    elif match[2]:
        start = float(match[2])
    if match[4]:
        end = float(match[4])
    if start > end:
        raise InputError(
            f"the range '{text}' ends before it starts",
            "start:end, and start is 0 where it is left out",
        )
    return Range(start, end, bool(match[1]), text.strip())


@dataclass(frozen=True)
class Measure:
    """One number of the performance data, with the ranges in which it is fine.

    ``least`` and ``most`` are its possible extremes. It has no unit, because the guidelines have
    none for weights.
    """

    label: str
    value: float
    warning: Range | None = None
    critical: Range | None = None
    least: float | None = None
    most: float | None = None

    @property
    def status(self) -> int:
        """The state of the value; NaN is unknown."""
        if math.isnan(self.value):
            return UNKNOWN
        if self.critical is not None and self.critical.alerts(self.value):
            return CRITICAL
        if self.warning is not None and self.warning.alerts(self.value):
            return WARNING
        return OK


def state_of(found: int, health: Sequence[Ailment], gaps: Sequence[str]) -> int:
    """Return the state of a pool.

    It is CRITICAL if the pool's daemons certainly have an ailment. It is UNKNOWN if nothing was
    found, but data is missing (``gaps``) or an ailment is possible. Otherwise it is ``found``.
    """
    if any(each.certain for each in health):
        return CRITICAL
    if found == OK and (health or gaps):
        return UNKNOWN
    return found


@dataclass(frozen=True)
class Verdict:
    """The state ``found`` for a ``subject``, with a text and ``lines`` of details.

    ``health`` has the ailments of the pool, ``gaps`` the data that is missing.
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
        """The state: that which was found, but never OK if data is missing."""
        return state_of(self.found, self.health, self.gaps)
