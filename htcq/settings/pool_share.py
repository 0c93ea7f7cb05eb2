"""Limits that follow the size of the pool: a percentage of it instead of a number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

from htcq.errors import InputError
from htcq.settings.tables import number_in

_PERCENTAGE = re.compile(r"[0-9]+(\.[0-9]+)?%")


@dataclass(frozen=True)
class PoolShare:
    """A percentage of the pool, from 0 to 100, but not less than ``least``."""

    percent: float
    least: float = 0.0


#: A number, or a share of the pool.
PoolLimit = Union[float, PoolShare]


def limit_in(limit: PoolLimit, whole: float) -> float:
    """Return a limit as a number, where the pool has ``whole``."""
    if isinstance(limit, PoolShare):
        return max(limit.least, whole * limit.percent / 100)
    return limit


def limit_from(place: str, value: Any, hint: str, *, whole: bool = False) -> PoolLimit:
    """Return the limit ``value``, which stands at ``place`` of a file: ``3`` or ``"25%"``.

    ``whole``: a number must be whole, and a share is 1 at least.

    Raises:
        InputError: it is neither; ``hint`` says what a number may be.
    """
    hint = f'{hint}, or a percentage of the pool, such as "25%"'
    if not isinstance(value, str):
        found = number_in(place, value, 0, float("inf"), hint, whole=whole)
        return int(found) if whole else float(found)
    percent = -1.0
    if _PERCENTAGE.fullmatch(value.strip()):
        percent = float(value.strip().removesuffix("%"))
    if not 0 <= percent <= 100:
        raise InputError(f"{place} is {value!r}", hint)
    return PoolShare(percent, float(whole and percent > 0))


def limit_shape(about: str, number: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of such a limit; ``number`` is that of the number."""
    percentage = {"type": "string", "pattern": rf"^\s*{_PERCENTAGE.pattern}\s*$"}
    return {"description": about, "anyOf": [dict(number), percentage]}
