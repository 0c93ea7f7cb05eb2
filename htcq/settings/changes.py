"""Changed knobs of the central manager: ``KNOB=VALUE`` on a command line or in a sweep's file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from htcq.errors import InputError
from htcq.pool.configuration import LEGAL_NAME

#: Knobs with their new values.
Changes = tuple[tuple[str, str], ...]
_KNOB = re.compile(r"\s*([^\s=]+)\s*=(.*)", re.DOTALL)


def read_changes(texts: Sequence[str] | None) -> Changes:
    """Return the knobs with their new values.

    Raises:
        InputError: a text is no knob with a value.
    """
    return tuple(_change(each) for each in texts or ())


def _change(text: str) -> tuple[str, str]:
    match = _KNOB.fullmatch(text)
    if not match or not LEGAL_NAME.match(match.group(1)) or not match.group(2).isprintable():
        raise InputError(f"--set {text!r}: not KNOB=VALUE", "such as --set GROUP_QUOTA_physics=20")
    return match.group(1), match.group(2).strip()
