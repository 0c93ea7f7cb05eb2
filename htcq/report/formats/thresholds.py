"""Ranges of values that are fine, as monitoring plugins are given them.

The format is ``[@][start:][end]`` (https://www.monitoring-plugins.org/doc/guidelines.html#THRESHOLDFORMAT), where ``~``
stands for minus infinity and a missing end for infinity; both ends belong to the range.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from htcq.errors import InputError

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
        raise InputError(f"the range '{text}' ends before it starts", "start:end, and start is 0 where it is left out")
    return Range(start, end, bool(match[1]), text.strip())
