"""C++'s arithmetic, so that the last binary digit is that of the negotiator."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable


def total(numbers: Iterable[float]) -> float:
    """Return the sum as a C++ loop adds it up.

    Python's own, from 3.12 on, rounds only once, at the end.
    """
    result: float = 0
    for number in numbers:
        result += number
    return result


def as_float(value: float) -> float:
    """Return ``value`` as a C++ float holds it."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded
