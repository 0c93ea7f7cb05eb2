"""Durations as command lines and files have them: ``90s``, ``30min``, ``12h``, ``14d``, ``8w``, ``5y``."""

from __future__ import annotations

import re
from typing import Any

from htcq.errors import InputError

HOUR = 3600
DAY = 24 * HOUR
#: A year is 365 days: nobody keeps a history to the leap day.
_UNITS = {"s": 1, "min": 60, "h": HOUR, "d": DAY, "w": 7 * DAY, "y": 365 * DAY}
#: The form of a duration, as JSON Schema has it too.
PATTERN = rf"\s*([0-9]{{1,6}})\s*({'|'.join(_UNITS)})\s*"
_DURATION = re.compile(PATTERN)
#: What a message tells of the form.
DURATION_HINT = "a whole number and s, min, h, d, w or y, such as 90s, 30min or 14d"


def seconds_in(text: str) -> int | None:
    """Return the seconds that ``text`` names by a whole number and a unit; None where it has not that form."""
    found = _DURATION.fullmatch(text)
    return int(found.group(1)) * _UNITS[found.group(2)] if found else None


def parse_duration(where: str, value: Any, zero: bool = False) -> int:
    """Return the seconds that ``value`` names; none at all only if ``zero`` allows that.

    Raises:
        InputError: it is no text of that form, or no time at all; the message begins with
            ``where``.
    """
    seconds = seconds_in(value) if isinstance(value, str) else None
    if seconds is None:
        raise InputError(f"{where} is {value!r}, which is not a duration", DURATION_HINT)
    if not seconds and not zero:
        raise InputError(f"{where} is {value!r}, but must be more than 0", DURATION_HINT)
    return seconds
