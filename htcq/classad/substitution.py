"""Expressions with other parts: the rest of the text stays as its author wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from htcq.classad.names import scope_of, visible
from htcq.classad.parser import parse
from htcq.classad.tree import Reference, Span, Tree

#: Returns the text in the place of a part; None where it stays.
Replacing = Callable[[Tree], Optional[str]]


def substituted(text: str, replacing: Replacing) -> str:
    """Return ``text`` with other texts for some of its parts; as it is where it is none.

    Names that an ad within the expression defines are no parts.
    """
    found: list[tuple[Span, str]] = []
    for part in visible(parse(text)):
        if found and part.span.start < found[-1][0].end:
            # It stands in what was replaced.
            continue
        new = replacing(part)
        if new is not None:
            found.append((part.span, new))
    return with_texts(text, found)


def with_references(text: str, replacing: Callable[[Reference], str | None]) -> str:
    """Return ``text`` with other texts for some of the attributes that it names."""
    return substituted(text, lambda part: replacing(part) if isinstance(part, Reference) else None)


def renamed(text: str, name: str, new: str) -> str:
    """Return ``text`` with ``new`` for the attribute ``name``, whatever its scope."""

    def replaced(part: Reference) -> str | None:
        if part.name != name.lower():
            return None
        return new if part.scope is None else f"{scope_of(text, part)}.{new}"

    return with_references(text, replaced)


def with_texts(text: str, found: list[tuple[Span, str]]) -> str:
    """Return ``text`` with others at some places, which follow each other."""
    pieces, place = [], 0
    for span, new in found:
        pieces += [text[place : span.start], new]
        place = span.end
        if new[-1:].isdigit() and text.startswith(".", place):
            # The point would belong to the number.
            pieces.append(" ")
    return "".join((*pieces, text[place:])) if found else text
