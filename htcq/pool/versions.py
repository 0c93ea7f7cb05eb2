"""The version of HTCondor that an ad was written by."""

from __future__ import annotations

from htcq.classads import Value


def version_text(value: Value) -> str:
    """Return ``25.14.1`` of a CondorVersion such as ``$CondorVersion: 25.14.1 2026-10-16 …$``; empty if it is none."""
    words = value.split() if isinstance(value, str) else []
    return words[1] if len(words) > 1 and words[0] == "$CondorVersion:" else ""


def version(value: Value) -> tuple[int, ...]:
    """Return (25, 14, 1) of such a CondorVersion; empty where there is none."""
    parts = version_text(value).split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()
