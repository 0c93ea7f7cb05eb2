"""By which rules each text is read, decided for all of htcq.

All that HTCondor's daemons and tools read is in the language of old ClassAds: the lines of ads, on
the wire and in files (src/condor_utils/compat_classad.cpp: InsertLongFormAttrValue;
src/classad/classad.cpp: InsertViaCache), the expressions of configuration, submit files and
``-constraint`` (compat_classad_util.cpp: ParseClassAdRvalExpr; classad.cpp: AssignExpr), HTCondor
25.14. So is what ``condor_status -long``, ``condor_q -long``, ``printOld`` of the Python bindings
and therefore a snapshot print. Every text of an expression in htcq stays in it, as its author wrote
it.

The Python bindings alone read and print new ClassAds: ``ExprTree(text)``, ``str(tree)``. What goes
to them and comes from them is converted here.
"""

from __future__ import annotations

import re

from htcq.classad.parser import TooDeepError, parsed_up_to
from htcq.classad.tokens import NEW, QUOTED, TEXT, Token, tokens
from htcq.classad.values import quoted_name, spelled

#: What both dialects, or the bindings' own brackets around the text, may read in different ways.
_DIFFERS = re.compile(r"[\\;\]\udc80-\udcff]|/[/*]|\"[ \t\n\v\f\r]*\"|'[ \t\n\v\f\r]*'", re.DOTALL)
_ESCAPED = re.compile("[\\\\\"'\\x01-\\x1f\\x7f\\udc80-\\udcff]")


def differs(text: str) -> bool:
    """Return whether the bindings may read ``text`` in another way than old ClassAds."""
    return _DIFFERS.search(text) is not None


def for_library(text: str, whole: bool = True) -> str:
    """Return ``text``, an expression of old ClassAds, as the bindings read it.

    Without ``whole`` it is the line of an ad, where what follows the expression is ignored.

    Raises:
        NotAnExpressionError: the text is no ClassAd expression.
    """
    try:
        _, end = parsed_up_to(text, whole=whole)
    except TooDeepError:
        end = len(text)
    return " ".join(_new(token) for token in tokens(text) if token.start < end)


def _new(token: Token) -> str:
    if token.kind == TEXT:
        return f'"{_ESCAPED.sub(_escape, token.text)}"'
    if token.kind == QUOTED:
        return f"'{_ESCAPED.sub(_escape, token.text)}'"
    return token.text


def _escape(found: re.Match[str]) -> str:
    letter = found.group()
    if letter in "\\\"'":
        return f"\\{letter}"
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))


def from_library(text: str) -> str:
    """Return an expression that the bindings print, such as ``str(tree)``, in old ClassAds."""
    if not differs(text):
        return text
    found, place = [], 0
    for token in tokens(text, NEW):
        if token.kind in (TEXT, QUOTED):
            spell = spelled if token.kind == TEXT else quoted_name
            found += [text[place : token.start], f" {spell(token.text)} "]
            place = token.end
    return "".join((*found, text[place:]))
