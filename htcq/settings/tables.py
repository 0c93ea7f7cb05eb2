"""Tables of the site file or of another file, and checks of their keys and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from htcq.errors import InputError
from htcq.spelling import did_you_mean

SITE_FILE = "htcq.toml"
#: The new names of keys that had another name before the first release, in any table.
RENAMED: Mapping[str, str] = {
    "fail_most": "max_failures",
    "least_seen": "min_seen",
    "gap": "max_gap",
    "settle": "settle_time",
}
#: Keys of ``[elastic.write]`` before the first release that have no successor.
_REMOVED = frozenset(
    (
        "hold",
        "hold_time",
        "raise_most",
        "max_raise",
        "lower_most",
        "max_lower",
        "least_change",
        "min_change",
        "least_part",
        "min_change_part",
        "headroom",
    )
)


def table_of(name: str, value: Any) -> Mapping[str, Any]:
    """Return ``value``.

    Raises:
        InputError: it is no table.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{SITE_FILE}: {name} is {value!r}", f"it must be a table: [{name}]")
    return value


def check_keys(
    where: str, table: Mapping[str, Any], known: Iterable[str], file: str = SITE_FILE
) -> None:
    """Refuse keys of ``table`` that are not ``known``.

    Raises:
        InputError: with the new name of a renamed key, or with the near key, if there is one. A
            key that was removed is named as such.
    """
    for key in table:
        if key not in known:
            raise InputError(f"{file}: {where}{key} is unknown", _hint(key, tuple(known)))


def _hint(key: str, known: Sequence[str]) -> str:
    """Return the hint on an unknown ``key``: its new name, or the nearest key."""
    renamed = RENAMED.get(key, "")
    if renamed in known:
        return f"its name is now {renamed}"
    if key in _REMOVED and "offer_step" in known:
        return "delete it: quotas are no longer raised and lowered in small steps"
    return did_you_mean(key, known, f"the keys are {', '.join(known)}")


def number_in(
    place: str, value: Any, least: float, most: float, hint: str, *, whole: bool = False
) -> float:
    """Return ``value``, which stands at ``place`` of a file.

    Raises:
        InputError: it is no number (no ``whole`` one) from ``least`` to ``most``; ``hint`` says
            what is valid.
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if whole:
        is_number = is_number and isinstance(value, int)
    if is_number and least <= value <= most:
        # A negative zero is a zero.
        number: float = value + 0
        return number
    shown = repr(value)
    if isinstance(value, float) and math.isnan(value):
        # TOML has nan as a number.
        shown = "not a number"
    raise InputError(f"{place} is {shown}", hint)
