"""Words for JSON Schemas (draft 7, which editors know): each returns what ``json.dumps`` takes.

The keys of a record that is printed as it is come from its own fields and types: :func:`keys_of`
refuses a description of a field that is not there, and a field without a description.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

DRAFT = "http://json-schema.org/draft-07/schema#"
Shape = dict[str, Any]

_LIST = re.compile(r"tuple\[(\w+), \.\.\.\]")
_TABLE = re.compile(r"Mapping\[str, (\w+)\]")
#: The shapes of the types that fields of a record have, by their names in the source.
_TYPES: Mapping[str, Shape] = {
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    # JSON has no other numbers: they are printed as texts.
    "float": {"type": ["number", "string"], "pattern": "^(nan|-?infinity)$"},
    # Of elastic quotas: whole numbers in HTCondor's units.
    "Amounts": {"type": "object", "additionalProperties": {"type": "integer"}},
}


def text(about: str, *words: str) -> Shape:
    """Return the shape of a text; one of ``words``, if there are any."""
    shape: Shape = {"description": about, "type": "string"}
    if words:
        shape["enum"] = list(words)
    return shape


def whole(about: str) -> Shape:
    """Return the shape of a whole number."""
    return {"description": about, "type": "integer"}


def number(about: str) -> Shape:
    """Return the shape of a number that is finite."""
    return {"description": about, "type": "number"}


def any_number(about: str) -> Shape:
    """Return the shape of a number, or of the text "nan", "infinity" or "-infinity"."""
    return {"description": about, **_TYPES["float"]}


def truth(about: str) -> Shape:
    """Return the shape of true or false."""
    return {"description": about, "type": "boolean"}


def listing(about: str, items: Shape) -> Shape:
    """Return the shape of a list."""
    return {"description": about, "type": "array", "items": items}


def texts(about: str) -> Shape:
    """Return the shape of a list of texts."""
    return listing(about, {"type": "string"})


def table(about: str, values: Shape) -> Shape:
    """Return the shape of an object whose keys are names, such as those of assets or groups."""
    return {"description": about, "type": "object", "additionalProperties": values}


def record(about: str, keys: Mapping[str, Shape], optional: Iterable[str] = ()) -> Shape:
    """Return the shape of an object that has these keys and no other.

    Those that are ``optional`` may be missing.

    Raises:
        ValueError: an optional key is none of the keys.
    """
    left_out = set(optional)
    unknown = left_out - set(keys)
    if unknown:
        raise ValueError(f"there is no key {', '.join(sorted(unknown))}")
    return {
        "description": about,
        "type": "object",
        "properties": dict(keys),
        "required": [name for name in keys if name not in left_out],
        "additionalProperties": False,
    }


def same(about: str, name: str) -> Shape:
    """Return the shape that stands under ``name`` in the definitions of the schema."""
    return {"description": about, "allOf": [{"$ref": f"#/definitions/{name}"}]}


def maybe(shape: Shape) -> Shape:
    """Return the same shape, or null."""
    if "enum" in shape:
        return {**shape, "type": [shape["type"], "null"], "enum": [*shape["enum"], None]}
    kinds = shape["type"]
    return {**shape, "type": [*(kinds if isinstance(kinds, list) else [kinds]), "null"]}


def named(names: Iterable[str], keys: Mapping[str, Shape]) -> Mapping[str, Shape]:
    """Return ``keys``, which must be ``names``: those that the reader of a file knows.

    Raises:
        ValueError: a name is not described, or is none.
    """
    _check(set(names), set(keys), "the table")
    return keys


def keys_of(kind: type[Any], /, *less: str, **described: str | Shape) -> dict[str, Shape]:
    """Return the keys of a record that is printed as it is, in the order of its fields.

    The fields in ``less`` are left out.

    A description alone takes the type of the field; a whole shape stands in its place.

    Raises:
        ValueError: a field is not described, or a description is of none.
    """
    hints = {name: hint for name, hint in _hints(kind) if name not in less}
    _check(set(hints), set(described), kind.__name__)
    return {name: _described(described[name], hint) for name, hint in hints.items()}


def _check(there: set[str], described: set[str], what: str) -> None:
    if there != described:
        missing, unknown = sorted(there - described), sorted(described - there)
        raise ValueError(f"{what}: not described: {missing}, not there: {unknown}")


def _hints(kind: type[Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a dataclass or a named tuple with their types as in the source.

    Python 3.9 cannot evaluate ``float | None``.
    """
    for name, hint in kind.__annotations__.items():
        yield name, hint if isinstance(hint, str) else hint.__forward_arg__


def _described(given: str | Shape, hint: str) -> Shape:
    if isinstance(given, str):
        return {"description": given, **_shape_of(hint)}
    return given


def _shape_of(hint: str) -> Shape:
    """Return the shape of a type that is made of numbers, texts and truths alone."""
    if hint.endswith(" | None"):
        return maybe(_shape_of(hint[: -len(" | None")]))
    found = _LIST.fullmatch(hint)
    if found:
        return {"type": "array", "items": _shape_of(found[1])}
    found = _TABLE.fullmatch(hint)
    if found:
        return {"type": "object", "additionalProperties": _shape_of(found[1])}
    if hint not in _TYPES:
        raise ValueError(f"a type such as {hint} needs a shape of its own")
    return dict(_TYPES[hint])
