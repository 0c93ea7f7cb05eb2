"""The version of HTCondor that an ad was written by."""

from __future__ import annotations

from htcq.classads import Value
from htcq.units import whole_number


def version_text(value: Value) -> str:
    """Return ``25.14.1`` of ``$CondorVersion: 25.14.1 2026-10-16 …$``; empty if it is none."""
    words = value.split() if isinstance(value, str) else []
    told = words[1] if len(words) > 1 and words[0] == "$CondorVersion:" else ""
    return told if told.isascii() and told.isprintable() else ""


def version(value: Value) -> tuple[int, ...]:
    """Return (25, 14, 1) of such a CondorVersion; empty where there is none."""
    numbers = [whole_number(part) for part in version_text(value).split(".")]
    known = tuple(number for number in numbers if number is not None)
    return known if len(known) == len(numbers) else ()
