"""Parts of expressions and of texts, in their order.

Expressions as ClassAds and values of knobs have them (:mod:`htcq.classad.pieces`); texts as people
and daemons write them: addresses, paths, names.
"""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from htcq.classad.pieces import LETTER, PIECE


class Part(enum.Enum):
    """The kind of a part."""

    TEXT = enum.auto()
    WORD = enum.auto()
    NUMBER = enum.auto()
    SINFUL = enum.auto()
    URL = enum.auto()
    PATH = enum.auto()
    DEVICE = enum.auto()
    HARDWARE = enum.auto()
    BUS = enum.auto()
    ADDRESS = enum.auto()
    MAIL = enum.auto()
    OTHER = enum.auto()


class Token(NamedTuple):
    """One part, and the space after it."""

    kind: Part
    text: str
    space: str = ""

    @property
    def is_comparison(self) -> bool:
        """Whether it compares two values for being equal or not."""
        return self.text.lower() in ("==", "=?=", "!=", "=!=", "is", "isnt")


_SPACE = re.compile(r"\s*")
_INNER = rf"{LETTER}(?:(?:{LETTER}|[.+-])*{LETTER})?"
_PATH_LETTER = rf"(?:{LETTER}|[.+@%~:=-])"
_HEX = r"[0-9A-Fa-f]"
_PART = re.compile(
    r"(?P<SINFUL><(?:\[[0-9A-Fa-f:.]+\]|[^<>\s:]+):[0-9]+(?:\?[^<>\s]*)?>)"
    r"|(?P<URL>[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'|,;]+)"
    rf"|(?P<PATH>(?<![^\s\"'(),;=:|^{{\[])(?:[A-Za-z]:\\|\\\\)(?:{_PATH_LETTER}|[\\/])+"
    rf"|(?<![\w.)\]}}-])~?/(?:{_PATH_LETTER}+/?)+)"
    rf"|(?P<HARDWARE>(?<!{LETTER}){_HEX}{{2}}(?:[:-]{_HEX}{{2}}){{5}}(?![\w:]))"
    rf"|(?P<BUS>(?<![\w:.])(?:{_HEX}{{4,8}}:)?{_HEX}{{2}}:{_HEX}{{2}}\.[0-7](?!\w))"
    rf"|(?P<DEVICE>(?<![A-Za-z0-9])(?:(?:GPU|MIG)-)?{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
    rf"|(?<![A-Za-z0-9])(?:GPU|MIG)-{_HEX}{{8,}})"
    r"|(?P<ADDRESS>(?<![\w.:])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.])"
    r"|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:.])))"
    rf"|(?P<MAIL>{_INNER}(?:\\{_INNER})?@{_INNER}(?:@{_INNER})?)"
    rf"|(?P<WORD>{_INNER})"
    r"|(?P<OTHER>.)",
    re.DOTALL,
)
#: The digits of an id, without the words before them.
HEXADECIMAL = re.compile(rf"(?<![A-Za-z]){_HEX}{{2,}}(?:[-:]{_HEX}{{2,}})*")
_PLAIN_NUMBER = re.compile(r"[0-9]{1,4}(?:[.-][0-9]{1,4})*\Z")
#: The words of a list; numbers; names of slots.
LISTED = re.compile(r"[^\s,]+")
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}\Z")
ANY_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
NUMBERS = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
SLOT_NAME = re.compile(r"slot[0-9]+(?:_[0-9]+)*\Z|backfill[0-9_]+\Z", re.IGNORECASE)


def tokens(text: str) -> list[Token]:
    """Return the parts of an expression; together with their spaces they are the text."""
    return _split(PIECE, text)


def parts(text: str) -> list[Token]:
    """Return the parts of a text of any kind; together with their spaces they are the text."""
    return _split(_PART, text)


def _split(pattern: re.Pattern[str], text: str) -> list[Token]:
    found = []
    place = _end_of_space(text, 0)
    if place:
        found.append(Token(Part.OTHER, "", text[:place]))
    while place < len(text):
        match = pattern.match(text, place)
        if match is None:
            break
        place = _end_of_space(text, match.end())
        kind = Part[match.lastgroup or "OTHER"]
        found.append(Token(kind, match.group(), text[match.end() : place]))
    return found


def _end_of_space(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    if space is None:
        return start
    return space.end()


def is_number(text: str) -> bool:
    """Return whether a word of a text is a number or a version, too short to be an id."""
    return bool(_PLAIN_NUMBER.match(text))
