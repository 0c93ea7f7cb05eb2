"""Records of the journal as lines of JSON; htcq-elastic(1) describes the keys."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from htcq.elastic.journal import INTENT, LOOK, ON, OUTCOME, REFUSED, JournalRecord, PoolSeen
from htcq.elastic.usage_check import UsageLook
from htcq.quota.group_tree import MAX_QUOTA

VERSION = 1
_KINDS = (LOOK, REFUSED, INTENT, OUTCOME, ON)
_QUOTAS = ("quotas", "fallback_quotas")
_NUMBERS = ("number", "of")
#: The end of the year 9999.
_END = 253_402_300_800
#: Where there is no file there is no text.
_TEXTS_OR_NONE = ("text", "replaced")
_DEFAULTS = {
    each.name: each.default_factory() if each.default_factory is not MISSING else each.default
    for each in fields(JournalRecord)
}


def line_of(record: JournalRecord) -> str:
    """Return ``record`` as a line with its end; fields with default values are left out."""
    keys: dict[str, Any] = {"v": VERSION}
    for name, default in _DEFAULTS.items():
        value = getattr(record, name)
        if value == default:
            continue
        if name == "seen":
            value = _seen_keys(value)
        elif name in _QUOTAS:
            value = {group: list(each) for group, each in value.items()}
        keys[name] = value
    return json.dumps(keys, separators=(",", ":")) + "\n"


def _seen_keys(seen: PoolSeen) -> dict[str, Any]:
    keys: dict[str, Any] = {
        "slots": seen.slots,
        "schedds": seen.schedds,
        "pool_weight": seen.pool_weight,
    }
    if seen.busy:
        keys["busy"] = list(seen.busy)
    if seen.accepted:
        keys["accepted"] = seen.accepted
    if seen.usage.time:
        keys["usage"] = look_keys(seen.usage)
    return keys


def look_keys(look: UsageLook) -> dict[str, Any]:
    """Return what a look leaves for the next one as an object of JSON."""
    return {"time": look.time, "used": dict(look.used), "apart": list(look.apart)}


def look_from(keys: Any) -> UsageLook:
    """Return the same from an object of JSON; an empty one where it is None.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: it is none.
    """
    if keys is None:
        return UsageLook()
    used = {str(group): _finite(weight) for group, weight in keys["used"].items()}
    return UsageLook(_finite(keys["time"]), used, tuple(str(each) for each in keys["apart"]))


def record_from(line: str) -> JournalRecord:
    """Return the record that ``line`` holds.

    Raises:
        ValueError: it holds none.
    """
    keys = json.loads(line)
    if not isinstance(keys, dict) or keys.pop("v", None) != VERSION:
        raise ValueError("not a record of this version")
    if keys.get("kind") not in _KINDS:
        raise ValueError("not a record of this version")
    unknown = set(keys) - set(_DEFAULTS)
    if unknown:
        raise ValueError(f"unknown key {min(unknown)}")
    try:
        for name in _NUMBERS:
            keys[name] = int(keys.get(name, 0))
        keys["time"] = _moment(keys["time"])
        keys["up"] = _moment(keys.get("up", 0.0))
        for name in _QUOTAS:
            keys[name] = _quotas_from(keys.get(name, {}))
        if keys.get("seen") is not None:
            keys["seen"] = _seen_from(keys["seen"])
        _check_types(keys)
        return JournalRecord(**keys)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(f"not a record: {error}") from error


def _quotas_from(quotas: Any) -> dict[str, tuple[float, bool]]:
    found = {}
    for group, (quota, accepts) in quotas.items():
        found[str(group)] = (_quota(quota), bool(accepts))
    return found


def _seen_from(seen: Any) -> PoolSeen:
    busy = tuple(str(name) for name in seen.get("busy", ()))
    weight = _finite(seen["pool_weight"])
    accepted, usage = _finite(seen.get("accepted", 0.0)), look_from(seen.get("usage"))
    return PoolSeen(int(seen["slots"]), int(seen["schedds"]), weight, busy, accepted, usage)


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


def _check_types(keys: Mapping[str, Any]) -> None:
    """Refuse a value that is no text where one is needed, or that cannot be written to a file.

    Raises:
        ValueError: it is no value of a record.
    """
    for name, value in keys.items():
        wanted: type[Any] = type(_DEFAULTS[name])
        if name in _TEXTS_OR_NONE:
            if value is None:
                continue
            wanted = str
        if wanted in (str, bool) and not isinstance(value, wanted):
            raise ValueError(f"{name} is {value!r}")
        if isinstance(value, str):
            # What is no UTF-8 cannot be written back; a path with a zero byte cannot be opened.
            value.encode("utf-8")
            if "\0" in value and name == "path":
                raise ValueError(f"{name} has a zero byte")
