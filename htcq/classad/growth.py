"""Growth of data in a ClassAd expression, estimated from its tokens alone.

Most functions return less than they are given, or as much. Some copy it: regexps() for each
reference in its last argument, evalInEachContext() and countMatches() evaluate for each element
of a list, string() doubles each quotation mark; nested in each other they multiply
(src/classad/fnCall.cpp, src/condor_utils/compat_classad.cpp, 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from htcq.classad.names import words
from htcq.classad.tokens import LONGEST, NAME, QUOTED, SYMBOL, tokens

#: An expression is refused if it could return more characters, or evaluate a part more often.
MAX_CHARACTERS = 8 * 1024 * 1024
MAX_TIMES = 100_000
#: Elements of a list of which nothing is known, such as one in another ad.
_ELEMENTS = 32
_FOR_EACH = frozenset(("evalineachcontext", "countmatches"))
_FOR_EACH_REFERENCE = frozenset(("regexps", "replace", "replaceall"))
_DOUBLING = frozenset(
    ("string", "unparse", "envv1tov2", "mergeenvironment", "listtoargs", "argstolist")
)
_MULTIPLIES = _FOR_EACH | _FOR_EACH_REFERENCE | _DOUBLING | {"join"}
_CLOSING, _BRACKETS = frozenset(")]}"), frozenset("([{)]}")
_REFERENCE = re.compile(r"\\\d")


@dataclass(frozen=True)
class Growth:
    """Factors by which the characters of a text, and the evaluations of a part, grow."""

    characters: int = 1
    times: int = 1


NONE = Growth()


def references(text: str) -> int:
    """Return how many references to parts of a match the strings of ``text`` have."""
    return len(_REFERENCE.findall(text))


def growth(text: str, elements: int = 0, marks: int = 0) -> Growth:
    """Return the growth of ``text``.

    ``elements`` and ``marks`` count those of lists and references that it names elsewhere.
    """
    if _MULTIPLIES.isdisjoint(words(text)):
        return NONE
    elements = max(_ELEMENTS, text.count(",") + elements)
    marks = 1 + max(1, references(text) + marks)
    path = [NONE]
    characters = times = 1
    for bracket, name in _brackets(text):
        if bracket in _CLOSING:
            if len(path) > 1:
                path.pop()
            continue
        step = _step(name, elements, marks)
        now = Growth(
            min(MAX_CHARACTERS + 1, path[-1].characters * step.characters),
            min(MAX_TIMES + 1, path[-1].times * step.times),
        )
        path.append(now)
        characters, times = max(characters, now.characters), max(times, now.times)
    return Growth(characters, times)


def _brackets(text: str) -> Iterator[tuple[str, str]]:
    """Yield the brackets of ``text``, each with the name of the function that it calls, if any."""
    if len(text) > LONGEST:
        # It is never evaluated.
        return
    before = ""
    for token in tokens(text):
        if token.kind == SYMBOL and token.text in _BRACKETS:
            yield token.text, before if token.text == "(" else ""
        before = token.text.lower() if token.kind in (NAME, QUOTED) else ""


@lru_cache(maxsize=8192)
def depth(text: str) -> int:
    """Return how deep brackets are nested, and 1 for the expression itself."""
    deepest = now = 0
    for bracket, _ in _brackets(text):
        now += -1 if bracket in _CLOSING else 1
        deepest = max(deepest, now)
    return deepest + 1


def _step(name: str, elements: int, marks: int) -> Growth:
    """Return the growth by one call of the function ``name``, empty for a bracket."""
    if name in _FOR_EACH:
        return Growth(elements, elements)
    if name == "join":
        return Growth(elements)
    if name in _FOR_EACH_REFERENCE:
        return Growth(marks)
    if name in _DOUBLING:
        return Growth(2)
    return NONE


def is_endless(text: str) -> bool:
    """Return whether ``text`` alone could grow beyond all measure, or never end."""
    found = growth(text)
    if found is NONE:
        return False
    return found.times > MAX_TIMES or found.characters * len(text) > MAX_CHARACTERS
