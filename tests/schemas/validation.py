"""Which schema a command's output has, and what a schema says against a value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, FormatChecker

from htcq.report.schemas import schema

#: Options that decide what a command prints, by the name of the schema that it has without them.
_FORMS: Mapping[str, Mapping[str, str]] = {
    "simulate": {
        "--agreement": "simulate-agreement",
        "--sweep": "simulate-sweep",
        "--cycles": "simulate-cycles",
    },
    "elastic-reclaim": {"ceilings": "elastic-ceilings"},
}
_CHANGES = {"--set", "--remove", "--drain", "--add", "--demand", "--model", "--as-version"}
_CHANGED = ("quota", "simulate", "simulate-cycles")
_ACTIONS = ("elastic", "drift", "quota")


@cache
def _validator(name: str) -> Draft7Validator:
    return Draft7Validator(schema(name), format_checker=FormatChecker())


def objections(name: str, value: Any) -> list[str]:
    """Return what the schema of that name says against ``value``: path and message."""
    return [
        f"{'.'.join(map(str, each.absolute_path))}: {each.message}"
        for each in _validator(name).iter_errors(value)
    ]


def schema_of(words: list[str]) -> str:
    """Return the name of the schema of what a command with ``--json`` prints."""
    options = {word.partition("=")[0] for word in words}
    name = words[0]
    if name in _ACTIONS and not words[1].startswith("-"):
        name = f"{name}-{words[1]}"
    if name == "quota-lint":
        return "audit"
    if name == "quota" and words.count("--snapshot") > 1:
        return "quota-pools"
    for option, form in _FORMS.get(name, {}).items():
        name = form if option in options else name
    return f"{name}-what-if" if name in _CHANGED and _CHANGES & options else name


def plain(value: Any) -> Any:
    """Return a TOML document as JSON has it: dates are texts."""
    return json.loads(
        json.dumps(
            value, default=lambda given: given.isoformat() if isinstance(given, date) else given
        )
    )


def printed_keys(
    shape: Any, value: Any, definitions: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the keys of ``value`` with the descriptions that its schema has of them."""
    if "$ref" in shape:
        shape = definitions[shape["$ref"].rpartition("/")[2]]
    for each in shape.get("allOf", ()):
        yield from printed_keys(each, value, definitions)
    if isinstance(value, list) and "items" in shape:
        for each in value:
            yield from printed_keys(shape["items"], each, definitions)
    for key, each in value.items() if isinstance(value, dict) else ():
        described = shape.get("properties", {}).get(key)
        if described is not None:
            yield key, described["description"]
        inner = described or shape.get("additionalProperties")
        if inner:
            yield from printed_keys(inner, each, definitions)


def properties(shape: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every key of an object in a schema with its shape."""
    if isinstance(shape, list):
        for each in shape:
            yield from properties(each, path)
    if not isinstance(shape, dict):
        return
    for key, each in shape.get("properties", {}).items():
        yield f"{path}.{key}".lstrip("."), each
    for key, each in shape.items():
        if key == "properties":
            for name, inner in each.items():
                yield from properties(inner, f"{path}.{name}")
        elif key not in ("enum", "required", "const"):
            yield from properties(each, path)
