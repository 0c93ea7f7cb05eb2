"""Records of the journal as lines of JSON, one each; htcq-elastic(1) tells what each key means."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any

from htcq.elastic.journal import INTENT, LOOK, OUTCOME, REFUSED, Record, Seen

VERSION = 1
_KINDS = (LOOK, REFUSED, INTENT, OUTCOME)
_QUOTAS = ("quotas", "fallback_quotas")
_NUMBERS = ("number", "of")
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
            value = {"slots": value.slots, "schedds": value.schedds, "pool_weight": value.pool_weight}
        elif name in _QUOTAS:
            value = {group: list(each) for group, each in value.items()}
        told[name] = value
    return json.dumps(told, separators=(",", ":")) + "\n"


def record_from(line: str) -> Record:
    """Return the record that ``line`` holds.

    Raises:
        ValueError: it holds none.
    """
    told = json.loads(line)
    if not isinstance(told, dict) or told.pop("v", None) != VERSION or told.get("kind") not in _KINDS:
        raise ValueError("no record of this version")
    unknown = set(told) - set(_DEFAULTS)
    if unknown:
        raise ValueError(f"unknown key {min(unknown)}")
    try:
        for name in _NUMBERS:
            told[name] = int(told.get(name, 0))
        told["time"] = float(told["time"])
        for name in _QUOTAS:
            told[name] = {
                str(group): (float(quota), bool(takes)) for group, (quota, takes) in told.get(name, {}).items()
            }
        seen = told.get("seen")
        if seen is not None:
            told["seen"] = Seen(int(seen["slots"]), int(seen["schedds"]), float(seen["pool_weight"]))
        return Record(**told)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"not a record: {error}") from error
