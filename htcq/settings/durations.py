"""Durations on command lines and in files: ``90s``, ``30min``, ``12h``, ``14d``, ``8w``, ``5y``."""

from __future__ import annotations

import re
from typing import Any

from htcq.errors import InputError

HOUR = 3600
DAY = 24 * HOUR
#: A year is 365 days: for a history the leap day does not matter.
_UNITS = {"s": 1, "min": 60, "h": HOUR, "d": DAY, "w": 7 * DAY, "y": 365 * DAY}
#: The form of a duration, as JSON Schema has it too.
PATTERN = rf"\s*([0-9]{{1,6}})\s*({'|'.join(_UNITS)})\s*"
_DURATION = re.compile(PATTERN)
#: The form in the words of a message.
DURATION_HINT = "a whole number and s, min, h, d, w or y, such as 90s, 30min or 14d"


def seconds_in(text: str) -> int | None:
    """Return the seconds of ``text``, a whole number and a unit; None where it has another form."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    number, unit = found.groups()
    return int(number) * _UNITS[unit]


def parse_duration(where: str, value: Any, zero: bool = False) -> int:
    """Return the seconds of the duration ``value``, which may be 0 only if ``zero`` is true.

    Raises:
        InputError: it is no text of that form, or a forbidden 0; the message begins with
            ``where``.
    """
    seconds: int | None = None
    if isinstance(value, str):
        seconds = seconds_in(value)
    if seconds is None:
        raise InputError(f"{where} is {value!r}, which is not a duration", DURATION_HINT)
    if not seconds and not zero:
        raise InputError(f"{where} is {value!r}, but must be more than 0", DURATION_HINT)
    return seconds
