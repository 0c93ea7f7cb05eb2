"""Tables of the site file or of another file, and checks of their keys and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from htcq.errors import InputError
from htcq.spelling import did_you_mean

SITE_FILE = "htcq.toml"


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
        InputError: with the near key, if there is one.
    """
    for key in table:
        if key not in known:
            hint = did_you_mean(key, tuple(known), f"the keys are {', '.join(known)}")
            raise InputError(f"{file}: {where}{key} is unknown", hint)


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
