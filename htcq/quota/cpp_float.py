"""C++'s arithmetic: where the negotiator's last binary digit decides, so does that of htcq."""

from __future__ import annotations

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
        return float("inf") if value > 0 else float("-inf")
    return rounded
