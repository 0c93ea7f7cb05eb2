"""What conditions are made of.

The text of a ClassAd expression taken apart at its outermost operators.

Follows the precedence of src/classad/source.cpp, HTCondor 25.14. What looks unusual is left whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r'"[^"]*"|[A-Za-z0-9_.]+|=\?=|=!=|>>>|<<|>>|<=|>=|==|!=|&&|\|\||\s+|.', re.DOTALL
)
#: Escapes, quoted names and comments: such a text is not taken apart.
_UNUSUAL = re.compile(r"[\\']|//|/\*")
_CALL = re.compile(r"ifthenelse\s*\(", re.IGNORECASE)
#: Operators that bind less than a comparison by size, and those that say what is compared how.
_LOOSER = frozenset(
    {"?", ":", "||", "&&", "|", "^", "&", "==", "!=", "=?=", "=!=", "is", "isnt", "="}
)
_COMPARISONS = frozenset({"<", "<=", ">", ">="})


#: The same texts come again and again: jobs and slots differ by numbers much more than by
#: expressions.
_remembered = lru_cache(maxsize=4096)


class Comparison(NamedTuple):
    """Two texts, and which of them shall be larger."""

    left: str
    operator: str
    right: str


@_remembered
def conjuncts(text: str) -> Sequence[str]:
    """Return the texts that must all hold for ``text`` to hold."""
    return _split(text, "&&", frozenset({"||", "?", ":"}))


@_remembered
def disjuncts(text: str) -> Sequence[str]:
    """Return the texts of which ``text`` takes the first that holds."""
    return _split(text, "||", frozenset({"?", ":"}))


@_remembered
def comparison(text: str) -> Comparison | None:
    """Return the comparison by size that ``text`` is; None where it is anything else."""
    tokens = _outermost(text)
    words = [token.lower() for token, depth in tokens or () if depth == 0]
    found = [word for word in words if word in _COMPARISONS]
    if tokens is None or len(found) != 1 or _LOOSER.intersection(words):
        return None
    at = next(
        place for place, (token, depth) in enumerate(tokens) if depth == 0 and token == found[0]
    )
    left, right = ("".join(token for token, _ in part) for part in (tokens[:at], tokens[at + 1 :]))
    return Comparison(bare(left), found[0], bare(right))


@_remembered
def choice(text: str) -> tuple[str, str, str] | None:
    """Return the three arguments of ``ifThenElse``; None where ``text`` is no call of it."""
    called = _CALL.match(text)
    if not called or not text.endswith(")"):
        return None
    tokens = _outermost(text)
    if tokens is None or any(
        depth == 0 and token.strip() for token, depth in tokens[1:] if token not in "()"
    ):
        return None
    if sum(depth == 0 and token == "(" for token, depth in tokens) != 1:
        return None
    arguments = _split(text[called.end() : -1], ",", frozenset())
    return (arguments[0], arguments[1], arguments[2]) if len(arguments) == 3 else None


@_remembered
def bare(text: str) -> str:
    """Return ``text`` without the brackets around all of it."""
    text = text.strip()
    tokens = None
    if text.startswith("(") and text.endswith(")"):
        tokens = _outermost(text)
    if tokens is None:
        return text
    closing, opened = {}, []
    for place, (token, _) in enumerate(tokens):
        if token in "([{":
            opened.append(place)
        elif token in ")]}":
            closing[opened.pop()] = place
    # All pairs at once: jobs have had thousands of them.
    first, last = 0, len(tokens) - 1
    while closing.get(first) == last and tokens[first][0] + tokens[last][0] == "()":
        first, last = first + 1, last - 1
        while first <= last and tokens[first][0].isspace():
            first += 1
        while first <= last and tokens[last][0].isspace():
            last -= 1
    return "".join(token for token, _ in tokens[first : last + 1])


def _split(text: str, operator: str, looser: frozenset[str]) -> Sequence[str]:
    text = bare(text)
    tokens = _outermost(text)
    if tokens is None or any(depth == 0 and token in looser for token, depth in tokens):
        return (text,)
    parts: list[list[str]] = [[]]
    for token, depth in tokens:
        if depth == 0 and token == operator:
            parts.append([])
        else:
            parts[-1].append(token)
    return [bare("".join(part)) for part in parts]


def _outermost(text: str) -> list[tuple[str, int]] | None:
    """Return the tokens of ``text``, each with how many brackets it stands in.

    Brackets count as outside themselves.
    """
    if _UNUSUAL.search(text):
        return None
    found, depth = [], 0
    for token in _TOKEN.findall(text):
        depth -= token in ")]}"
        found.append((token, depth))
        depth += token in "([{"
        if depth < 0:
            return None
    return None if depth else found
