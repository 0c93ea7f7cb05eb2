"""Version of the HTCondor that wrote an ad."""

from __future__ import annotations

from htcq.classads import Value
from htcq.units import whole_number


def version_text(value: Value) -> str:
    """Return ``25.14.1`` of ``$CondorVersion: 25.14.1 2026-10-16 …$``; empty if it is none."""
    if not isinstance(value, str):
        return ""
    words = value.split()
    if len(words) < 2 or words[0] != "$CondorVersion:":
        return ""
    number = words[1]
    if number.isascii() and number.isprintable():
        return number
    return ""


def version(value: Value) -> tuple[int, ...]:
    """Return (25, 14, 1) of such a CondorVersion; empty where there is none."""
    numbers = []
    for part in version_text(value).split("."):
        number = whole_number(part)
        if number is None:
            return ()
        numbers.append(number)
    return tuple(numbers)
