"""The names in an expression: which attributes, in whose ad, how they are spelled.

A name without a scope is looked up in the ad that has the expression, then in the other one; in an
ad within an expression, first in that (src/classad/attrrefs.cpp: FindExpr, classad.cpp:
LookupInScope, HTCondor 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Union

from htcq.classad.parser import parse
from htcq.classad.tree import (
    MY,
    AdOf,
    Binary,
    Call,
    Foreign,
    Literal,
    Reference,
    Selection,
    Tree,
    every,
    parts,
)
from htcq.classad.values import quoted_name

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: The first argument of such a call is evaluated in ads within the ad, which have names of their
#: own.
_IN_OTHER_ADS = frozenset(("evalineachcontext", "evalinanycontext", "countmatches"))
_TESTS = frozenset(
    f"is{kind}"
    for kind in (
        "undefined", "error", "string", "integer", "real", "boolean", "list", "classad",
    )
)  # fmt: skip
_IDENTITIES = frozenset(("=?=", "=!="))
#: Names of ads.
_WHOLE_ADS = frozenset((
    "my", "target", "other", "ad", "self", "parent", "toplevel", "root", "left", "right", "lctx",
    "rctx", "unparse",
))  # fmt: skip
#: What a tree has names by.
Named = Union[Reference, Selection]


def words(text: str) -> list[str]:
    """Return every word of ``text`` in lower case, repeated words included.

    Words in strings and names of functions count too.
    """
    return [word.lower() for word in _WORD.findall(text)]


def reference(text: str) -> Reference | None:
    """Return the attribute that is all of ``text``; None where it is anything else."""
    tree = parse(text)
    return tree if isinstance(tree, Reference) else None


def visible(tree: Tree) -> Iterator[Tree]:
    """Yield the parts of ``tree`` as they begin, without names that an ad within it defines."""
    left: list[tuple[Tree, frozenset[str]]] = [(tree, frozenset())]
    while left:
        part, hidden = left.pop()
        if isinstance(part, Reference) and part.scope in (None, MY) and part.name in hidden:
            continue
        yield part
        if isinstance(part, AdOf):
            hidden |= {name for name, _ in part.attributes}
        left += [(below, hidden) for below in reversed(parts(part))]


def own_parts(tree: Tree) -> Iterator[Tree]:
    """Yield the parts of ``tree`` that are evaluated in its ad, not in ads within the ad."""
    left = [tree]
    while left:
        part = left.pop()
        yield part
        below = parts(part)
        if isinstance(part, Call) and part.function in _IN_OTHER_ADS:
            below = below[1:]
        left += reversed(below)


def spelling(text: str, part: Named) -> str:
    """Return the name of ``part`` as it stands in ``text``, without its scope."""
    written = text[part.span.start : part.span.end]
    if written.endswith("'"):
        return part.name
    return str(_WORD.findall(written)[-1])


def as_written(text: str, part: Named) -> str:
    """Return the name of ``part`` as it stands in ``text``, in quotes where it has them."""
    written = text[part.span.start : part.span.end]
    return quoted_name(part.name) if written.endswith("'") else spelling(text, part)


def scope_of(text: str, part: Reference) -> str:
    """Return the scope of ``part`` as it stands in ``text``; empty where it has none."""
    if part.scope is None:
        return ""
    return str(_WORD.findall(text[part.span.start : part.span.end])[0])


def guarded(tree: Tree) -> frozenset[str]:
    """Return the names that ``tree`` compares or tests so that their absence is no undefined."""
    found: set[str] = set()
    for part in own_parts(tree):
        found.update(each.name for each in _handled(part) if isinstance(each, Reference))
    return frozenset(found)


def _handled(part: Tree) -> tuple[Tree, ...]:
    if isinstance(part, Binary) and part.operator in _IDENTITIES:
        return (part.left, part.right)
    if isinstance(part, Binary) and part.operator == "?:":
        return (part.left,)
    if isinstance(part, Call) and part.function in _TESTS:
        return part.arguments
    return ()


def numbers_in(tree: Tree) -> Iterator[int | float]:
    """Yield the numbers that ``tree`` spells out, true and false not among them."""
    for part in visible(tree):
        if isinstance(part, Literal) and type(part.value) in (int, float):
            yield part.value  # type: ignore[misc]


def looks_at_whole_ad(text: str) -> bool:
    """Return whether ``text`` names an ad, not only attributes of the two ads of a match."""
    if _WHOLE_ADS.isdisjoint(words(text)):
        return False
    tree = parse(text)
    if isinstance(tree, Foreign):
        return True
    for part in every(tree):
        if isinstance(part, (Reference, Selection)) and part.name in _WHOLE_ADS:
            return True
        if isinstance(part, Call) and part.function == "unparse":
            return True
    return False


def strings(tree: Tree) -> Iterator[str]:
    """Yield what the strings in ``tree`` say."""
    for part in visible(tree):
        if isinstance(part, Literal) and isinstance(part.value, str):
            yield part.value
