"""The time that a report is about, as it is written on a command line."""

from __future__ import annotations

import re
from datetime import datetime

from htcq.errors import InputError
from htcq.settings.durations import parse_duration

_AGO = re.compile(r"\s*[0-9]+\s*[a-z]+\s*")


def moment_of(flag: str, text: str, now: int) -> int:
    """Return the moment that ``text`` names, in seconds since 1970.

    ``text`` is a time before ``now``, such as ``7d``, or a date, or a date and time. Without
    a zone it is in this machine's zone.

    Raises:
        InputError: it names none, or one that is later than ``now``.
    """
    if _AGO.fullmatch(text):
        return now - parse_duration(f"{flag} {text}", text)
    try:
        # Python 3.9 knows no Z.
        moment = int(datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text.strip())).timestamp())
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{flag} {text}: not a time", 'such as 7d, 12h, 2026-11-02 or "2026-11-02 08:15"'
        ) from error
    if not 0 <= moment <= now:
        raise InputError(f"{flag} {text}: not in the past", "a history has only the past")
    return moment
