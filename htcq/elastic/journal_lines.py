"""Records of the journal as lines of JSON, one each; htcq-elastic(1) tells what each key means."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from htcq.elastic.journal import INTENT, LOOK, OUTCOME, REFUSED, PoolSeen, Record
from htcq.quota.group_tree import MAX_QUOTA

VERSION = 1
_KINDS = (LOOK, REFUSED, INTENT, OUTCOME)
_QUOTAS = ("quotas", "fallback_quotas")
_NUMBERS = ("number", "of")
#: The end of the year 9999.
_END = 253_402_300_800
#: Where there is no file there is no text.
_TEXTS_OR_NONE = ("text", "replaced")
_DEFAULTS = {
    each.name: each.default_factory() if each.default_factory is not MISSING else each.default
    for each in fields(Record)
}


def line_of(record: Record) -> str:
    """Return ``record`` as a line, its end included; what is as it is by default is left out."""
    told: dict[str, Any] = {"v": VERSION}
    for name, default in _DEFAULTS.items():
        value = getattr(record, name)
        if value == default:
            continue
        if name == "seen":
            value = _seen_told(value)
        elif name in _QUOTAS:
            value = {group: list(each) for group, each in value.items()}
        told[name] = value
    return json.dumps(told, separators=(",", ":")) + "\n"


def _seen_told(seen: PoolSeen) -> dict[str, Any]:
    told = {"slots": seen.slots, "schedds": seen.schedds, "pool_weight": seen.pool_weight}
    return {**told, "busy": list(seen.busy)} if seen.busy else told


def record_from(line: str) -> Record:
    """Return the record that ``line`` holds.

    Raises:
        ValueError: it holds none.
    """
    told = json.loads(line)
    if (
        not isinstance(told, dict)
        or told.pop("v", None) != VERSION
        or told.get("kind") not in _KINDS
    ):
        raise ValueError("not a record of this version")
    unknown = set(told) - set(_DEFAULTS)
    if unknown:
        raise ValueError(f"unknown key {min(unknown)}")
    try:
        for name in _NUMBERS:
            told[name] = int(told.get(name, 0))
        told["time"] = _moment(told["time"])
        for name in _QUOTAS:
            told[name] = {
                str(group): (_quota(quota), bool(takes))
                for group, (quota, takes) in told.get(name, {}).items()
            }
        seen = told.get("seen")
        if seen is not None:
            busy = tuple(str(name) for name in seen.get("busy", ()))
            told["seen"] = PoolSeen(
                int(seen["slots"]), int(seen["schedds"]), _finite(seen["pool_weight"]), busy
            )
        _check_types(told)
        return Record(**told)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(f"not a record: {error}") from error


def _finite(value: Any) -> float:
    """Return ``value`` as a number; JSON's 1e999 is infinite."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is not a number")
    return number


def _quota(value: Any) -> float:
    """Return ``value`` as a quota."""
    quota = _finite(value)
    if abs(quota) > MAX_QUOTA:
        raise ValueError(f"{value} is too large for a quota")
    return quota


def _moment(value: Any) -> float:
    """Return ``value`` as seconds since 1970 that a calendar knows."""
    seconds = _finite(value)
    if not 0 <= seconds < _END:
        raise ValueError(f"{value} is not a time")
    return seconds


def _check_types(told: Mapping[str, Any]) -> None:
    """Refuse a value that is no text where a record has one, or that cannot be written to a file.

    Raises:
        ValueError: it is no value of a record.
    """
    for name, value in told.items():
        if value is None and name in _TEXTS_OR_NONE:
            continue
        default = _DEFAULTS[name]
        wanted = str if name in _TEXTS_OR_NONE else type(default)
        if wanted in (str, bool) and not isinstance(value, wanted):
            raise ValueError(f"{name} is {value!r}")
        if isinstance(value, str):
            # What is no UTF-8 cannot be written back; a path with a zero byte cannot be opened.
            value.encode("utf-8")
            if "\0" in value and name == "path":
                raise ValueError(f"{name} has a zero byte")
