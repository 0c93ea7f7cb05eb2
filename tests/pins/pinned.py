"""The files of pins: reading them, writing them so that a difference of lines is short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PINNED = Path(__file__).parent / "pinned"
_WIDTH = 118


def load(name: str) -> dict[str, Any]:
    """Return the pins of that name by command; none where there is no file yet."""
    path = PINNED / f"{name}.json"
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def save(name: str, pins: dict[str, Any]) -> None:
    """Write the pins of that name."""
    (PINNED / f"{name}.json").write_text(_text(pins, "") + "\n", encoding="utf-8")


def _text(value: Any, indent: str) -> str:
    """Return ``value`` as JSON; what fits in a line stands in one."""
    flat = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if not isinstance(value, (dict, list)) or not value or len(indent) + len(flat) <= _WIDTH:
        return flat
    inner = indent + " "
    if isinstance(value, list):
        parts = [inner + _text(each, inner) for each in value]
        return "[\n" + ",\n".join(parts) + f"\n{indent}]"
    parts = [
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_text(value[key], inner)}"
        for key in sorted(value)
    ]
    return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
