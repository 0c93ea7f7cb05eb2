"""Pieces of a text that may be an expression, the value of a knob, or neither: nothing is lost.

Who replaces names must find them in what is no expression as well: in macros, in amounts with a
unit, in texts that end in the middle. Strings are those of old ClassAds; every character beyond
ASCII counts as a letter, so that no name is split.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from htcq.classad.tokens import OLD_STRING

_STRING = OLD_STRING.format('"')
#: Letters, digits and the underscore; every letter beyond ASCII, and bytes that are no UTF-8.
LETTER = r"[A-Za-z0-9_\u0080-\U0010ffff]"
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?:[KMGTkmgt][Bb]?)?"
#: The next piece, by its kind.
PIECE = re.compile(
    rf"(?P<TEXT>{_STRING})"
    rf"|(?P<NUMBER>{_NUMBER})(?!{LETTER})"
    rf"|(?P<WORD>{LETTER}+|{OLD_STRING.format(chr(39))})"
    r"|(?P<OTHER>=\?=|=!=|==|!=|<=|>=|&&|\|\||.)",
    re.DOTALL,
)
_STRINGS = re.compile(_STRING)
_ONLY_STRINGS = re.compile(rf"[\s{{}},]*(?:{_STRING}[\s{{}},]*)+\Z")


def is_of_strings(text: str) -> bool:
    """Return whether ``text`` is a string, or a list of strings."""
    return _ONLY_STRINGS.match(text) is not None


def strings_in(text: str) -> list[str]:
    """Return what the strings in ``text`` say."""
    return [unquoted(each) for each in _STRINGS.findall(text)]


def with_strings(text: str, change: Callable[[str], str]) -> str:
    """Return ``text`` with what each of its strings says changed."""
    return _STRINGS.sub(lambda found: requoted(found.group(), change), text)


def without_escapes(text: str) -> str:
    """Return a text within a string, or with strings in it, as it is said."""
    return text.replace('\\"', '"') if "\\" in text else text


def unquoted(text: str) -> str:
    """Return what a string says."""
    return without_escapes(text[1:-1])


def requoted(text: str, change: Callable[[str], str]) -> str:
    """Return a string with what it says changed.

    It stays as it was written where that does.
    """
    old = unquoted(text)
    new = change(old)
    if new == old:
        return text
    escaped = new.replace('"', '\\"')
    return f'"{escaped}"'
