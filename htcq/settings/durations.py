"""Stretches of time as they are written in words: ``12h``, ``14d``, ``8w``, ``5y``."""

from __future__ import annotations

import re
from typing import Any

from htcq.errors import InputError

HOUR = 3600
DAY = 24 * HOUR
#: A year is 365 days: nobody keeps a history to the leap day.
_UNITS = {"h": HOUR, "d": DAY, "w": 7 * DAY, "y": 365 * DAY}
_DURATION = re.compile(r"\s*([0-9]{1,6})\s*([hdwy])\s*")


def parse_duration(where: str, value: Any) -> int:
    """Return the seconds that ``value`` names: a whole number and a unit, hours, days, weeks or years.

    Raises:
        InputError: it is no text of that form, or no time at all; the message begins with ``where``.
    """
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    seconds = int(found.group(1)) * _UNITS[found.group(2)] if found else 0
    if not seconds:
        raise InputError(f"{where} is {value!r}", 'it must be a time such as "12h", "14d", "8w" or "5y"')
    return seconds


#: A time to act in, or to wait for, is seconds to days.
_SHORT_UNITS = {"s": 1, "min": 60, "h": HOUR, "d": DAY}
_MOMENTS = re.compile(r"\s*([0-9]{1,6})\s*(s|min|h|d)\s*")


def parse_moments(where: str, value: Any) -> int:
    """Return the seconds that ``value`` names: a whole number, 0 too, and a unit, seconds, minutes, hours or days.

    Raises:
        InputError: it is no text of that form; the message begins with ``where``.
    """
    found = _MOMENTS.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise InputError(f"{where} is {value!r}", 'it must be a time such as "90s", "30min" or "12h"')
    return int(found.group(1)) * _SHORT_UNITS[found.group(2)]
