"""The tokens of a ClassAd expression.

Follows src/classad/lexer.cpp and convert_escapes of src/classad/util.cpp, HTCondor 25.14, with
the semantics of old ClassAds that all daemons set: a whole number may not begin with 0, unless a
minus sign stands before it.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

NUMBER, TEXT, NAME, QUOTED, SYMBOL = "number", "text", "name", "quoted name", "symbol"
#: The end of the text, and a place from which on it is no ClassAd any more.
END, BROKEN = "end", "broken"


class Dialect(Enum):
    """How the strings of an expression are written.

    In old ClassAds a backslash is a backslash, except before a quotation mark that does not end
    the line. New ones have escapes, and strings side by side are one.
    """

    OLD = "old"
    NEW = "new"


OLD, NEW = Dialect.OLD, Dialect.NEW

#: A longer text is no expression to htcq: the recursion of the ClassAd library would overflow the
#: stack of the process (25.14).
LONGEST = 32 * 1024
_SPACE = re.compile(r"(?:[ \t\n\v\f\r]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
#: A string of old ClassAds, or a name in quotes; to be formatted with the quote.
OLD_STRING = r"{0}(?:[^{0}\\]|\\{0}(?!\n|\Z)|\\(?!{0})|\\(?={0}(?:\n|\Z)))*{0}"
_NEW_PART = r"{0}(?:[^{0}\\]|\\.)*{0}"
_NEW_STRING = rf"{_NEW_PART}(?:[ \t\n\v\f\r]*{_NEW_PART})*"
_TOKEN = r"""
    (?P<number>(?:0[xX][0-9A-Fa-f]+\.[0-9]+|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<text>{text})
    |(?P<quoted>{quoted})
    |(?P<symbol>=\?=|=!=|>>>|<<|>>|<=|>=|==|!=|&&|\|\||\?[ \t\n\v\f\r]*:|/(?!\*)|=(?!\?)
        |[-+*%~!^&|?:<>.,;()\[\]{{}}])
    """
_HEXADECIMAL = re.compile(r"-0[xX][0-9A-Fa-f]+(?!\.|[0-9A-Fa-f])")
_DIGITS, _OCTAL = frozenset("0123456789"), frozenset("01234567")
#: A minus sign right after these is an operator; else one before a digit belongs to the number.
_VALUES = frozenset({NUMBER, TEXT, NAME, QUOTED})
_CLOSING = frozenset((".", "]", ")", "}"))
#: The names that are operators.
WORD_OPERATORS = {"is": "=?=", "isnt": "=!="}
#: The characters after a backslash that stand for others in new ClassAds.
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)


@lru_cache(maxsize=2)
def _tokens_of(dialect: Dialect) -> re.Pattern[str]:
    string = OLD_STRING if dialect is OLD else _NEW_STRING
    pattern = _TOKEN.format(text=string.format('"'), quoted=string.format("'"))
    return re.compile(pattern, re.VERBOSE | re.DOTALL)


@lru_cache(maxsize=2)
def _parts_between(mark: str) -> re.Pattern[str]:
    """Return what finds the parts of strings side by side, behind the first quote."""
    return re.compile(rf"((?:[^{mark}\\]|\\.)*){mark}[ \t\n\v\f\r]*{mark}?", re.DOTALL)


class Token(NamedTuple):
    """One token, from the place ``start`` of the text to before ``end``.

    ``text`` of a string or of a quoted name is what it says, without quotes and escapes; of a
    symbol it has no spaces.
    """

    kind: str
    text: str
    start: int
    end: int

    def is_symbol(self, symbol: str) -> bool:
        """Return whether it is ``symbol``."""
        return self.kind == SYMBOL and self.text == symbol


def tokens(text: str, dialect: Dialect = OLD) -> list[Token]:
    """Return the tokens of ``text``; the last one is of the kind END or BROKEN."""
    found: list[Token] = []
    match_token, match_space = _tokens_of(dialect).match, _SPACE.match
    place, kind = 0, ""
    while True:
        space = match_space(text, place)
        place = space.end() if space else place
        if place >= len(text):
            found.append(Token(END, "", place, place))
            return found
        match = match_token(text, place)
        token = None if match is None else _token(match, dialect)
        if token is not None and token.text == "-" and kind not in _VALUES:
            token = _negative(text, token, dialect)
        if token is None:
            return [*found, *_at_break(text, place, found)]
        found.append(token)
        kind, place = _kind(token), token.end


def _at_break(text: str, place: int, found: list[Token]) -> list[Token]:
    """Return the last tokens of a text that is none of the language from ``place`` on."""
    if found and text.startswith("/*", place):
        # The library takes a comment without an end for the token before it, once more.
        end = len(text)
        return [found[-1]._replace(start=place, end=end), Token(END, "", end, end)]
    return [Token(BROKEN, "", place, place)]


def _kind(token: Token) -> str:
    """Return the kind of ``token`` as far as it matters to a minus sign after it."""
    if token.kind == NAME and token.text.lower() in WORD_OPERATORS:
        return SYMBOL
    if token.kind == SYMBOL and token.text in _CLOSING:
        return NAME
    return token.kind


def _token(match: re.Match[str], dialect: Dialect) -> Token | None:
    """Return what was found; None where it is none of the language."""
    text, (start, end) = match.group(), match.span()
    kind = match.lastgroup
    if kind == "symbol":
        if text[0] == "?" and text[-1] == ":":
            text = "?:"
        return Token(SYMBOL, text, start, end)
    if kind == "name":
        return Token(NAME, text, start, end)
    if kind == "number":
        if _is_number(match.string, text, end):
            return Token(NUMBER, text, start, end)
        return None
    content = _content(text, dialect)
    if content is None:
        return None
    return Token(TEXT if kind == "text" else QUOTED, content, start, end)


def _is_number(whole: str, text: str, end: int, signed: bool = False) -> bool:
    """Return whether the library takes ``text``, which ends at ``end``, for a number."""
    after = whole[end : end + 1]
    if text[1:2] in ("x", "X"):
        return after not in ("e", "E") or not text.partition(".")[2].isdigit()
    if text.isdigit():
        if after == "." or (text[0] == "0" and after in ("x", "X")):
            return False
        if text[0] == "0" and len(text) > 1 and not (signed and _OCTAL.issuperset(text)):
            return False
    return after not in ("e", "E") or "e" in text or "E" in text


def _negative(text: str, minus: Token, dialect: Dialect) -> Token | None:
    """Return the number that begins with the sign ``minus``; the sign where none does."""
    first, second = text[minus.end : minus.end + 1], text[minus.end + 1 : minus.end + 2]
    if first not in _DIGITS and not (first == "." and second in _DIGITS):
        return minus
    # The library reads it, as 0: the digits of a number are decimal ones.
    found = _HEXADECIMAL.match(text, minus.start)
    if found is not None:
        return Token(NUMBER, "-0", minus.start, found.end())
    match = _tokens_of(dialect).match(text, minus.end)
    if match is None or not _is_number(text, match.group(), match.end(), signed=True):
        return None
    return Token(NUMBER, f"-{match.group()}", minus.start, match.end())


def _content(text: str, dialect: Dialect) -> str | None:
    """Return what a string or a name in quotes says; None where it has a character 0."""
    mark = text[0]
    if dialect is OLD:
        return text[1:-1].replace(f"\\{mark}", mark) if "\\" in text else text[1:-1]
    raw = text[1:-1]
    if mark in raw:
        raw = "".join(_parts_between(mark).findall(text[1:]))
    if "\\" not in raw:
        return raw
    return _without_escapes(raw)


def _without_escapes(raw: str) -> str | None:
    """Return what ``raw`` of a new ClassAd says; an octal number is a byte of UTF-8."""
    is_whole = True

    def replaced(found: re.Match[str]) -> str:
        nonlocal is_whole
        code = found[1]
        if code[0] not in "01234567":
            return _ESCAPES.get(code, code)
        is_whole = is_whole and int(code, 8) != 0
        return bytes((int(code, 8),)).decode("utf-8", "surrogateescape")

    text = _ESCAPE.sub(replaced, raw)
    if not is_whole:
        return None
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
