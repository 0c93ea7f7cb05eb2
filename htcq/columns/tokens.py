"""The tokens of a ClassAd expression.

Follows src/classad/lexer.cpp, HTCondor 25.14. What is legal but unusual, such as comments, is no
token here: the ClassAd library evaluates such a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

NUMBER, TEXT, NAME, QUOTED, SYMBOL, END = "number", "text", "name", "quoted name", "symbol", "end"

_SPACE = re.compile(r"[ \t\n\v\f\r]*")
_TOKEN = re.compile(
    r"""
    (?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![A-Za-z0-9_.]))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<text>"(?:[^"\\]|\\.)*")
    |(?P<quoted>'[^'\\]*')
    |(?P<symbol>=\?=|=!=|>>>|<<|>>|<=|>=|==|!=|&&|\|\||\?[ \t\n\v\f\r]*:|/(?![/*])
        |[-+*%~!^&|?:<>.,;()\[\]{}=])
    """,
    re.VERBOSE | re.DOTALL,
)
_ELVIS = "?:"


class UnfamiliarError(Exception):
    """A text that this room does not parse; the ClassAd library may."""


class Token(NamedTuple):
    """One token; ``text`` of a symbol has no spaces, a quoted name no quotes."""

    kind: str
    text: str


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of ``text`` and one of kind END.

    Raises:
        UnfamiliarError: a part of the text is none of the usual tokens.
    """
    place = _after_space(text, 0)
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise UnfamiliarError(text[place : place + 20])
        yield _token(found)
        place = _after_space(text, found.end())
    yield Token(END, "")


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _token(found: re.Match[str]) -> Token:
    text = found.group()
    if found.lastgroup == "symbol":
        return Token(SYMBOL, _ELVIS if text[0] == "?" and text[-1] == ":" else text)
    if found.lastgroup == "quoted":
        return Token(QUOTED, text[1:-1])
    return Token(str(found.lastgroup), text)
