"""What differs between two values as JSON has them: path, before, after."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

#: A list of more than so many lines is compared as a text.
_WIDTH = 100


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each part that differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from _of_key(before, after, key, f"{path}.{key}".lstrip("."))
    elif _are_texts(before) and _are_texts(after):
        for line in difflib.unified_diff(before, after, lineterm="", n=0):
            if not line.startswith(("---", "+++", "@@")):
                yield f"{path}: {line}"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after)):
            yield from differences(one, other, f"{path}[{number}]")
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, path)
    elif before != after or type(before) is not type(after):
        yield f"{path}: {_short(before)} -> {_short(after)}"


def _of_key(before: dict[str, Any], after: dict[str, Any], key: str, path: str) -> Iterator[str]:
    if key not in after:
        yield f"{path}: {_short(before[key])} -> nothing"
    elif key not in before:
        yield f"{path}: nothing -> {_short(after[key])}"
    else:
        yield from differences(before[key], after[key], path)


def _of_lists(before: list[Any], after: list[Any], path: str) -> Iterator[str]:
    yield f"{path}: {len(before)} items -> {len(after)} items"
    gone = [each for each in before if each not in after]
    new = [each for each in after if each not in before]
    for each in gone:
        yield f"{path}: - {_short(each)}"
    for each in new:
        yield f"{path}: + {_short(each)}"


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= _WIDTH:
        return text
    return f"{text[:_WIDTH]}…"
