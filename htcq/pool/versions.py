"""Version of the HTCondor that wrote an ad."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.classads import Value
from htcq.htcondor.releases import NEWEST
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


def newer_than_known(written: Iterable[Value]) -> str:
    """Return a sentence on the versions among ``written`` that htcq knows nothing of.

    ``written`` are CondorVersions of daemons. Changes of HTCondor are known up to a series; a later
    one has them all (:meth:`htcq.htcondor.releases.Change.holds`), whatever else is new in it.
    """
    newer = {version_text(each) for each in set(written) if version(each)[:2] > NEWEST}
    if not newer:
        return ""
    known = ".".join(map(str, NEWEST))
    named = " and ".join(sorted(newer)[:3])
    return f"HTCondor {named} is newer than what htcq knows: it is read as {known}"
