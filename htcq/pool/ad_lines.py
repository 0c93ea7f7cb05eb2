"""The lines of one ad, and of the next ones that are like it.

Most lines of a slot stand in thousands of ads. Two ads are of one form if their lines name the
same attributes in the same order: of the second one only the lines that differ are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import ne
from typing import NamedTuple

from htcq.classads import UNDEFINED, Value
from htcq.pool.values import Interned

#: The lines that ads share: name and expression as they stand in the text.
Lines = tuple[tuple[bytes, bytes], ...]

#: Places of lines that are no attribute of the ad's own: those have the numbers from 0 on.
_SHARED, _UNWANTED = -1, -2
#: The name of an attribute, and a name that is looked for, with the equals sign behind it.
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_.:]* *=\Z")
_FINDABLE = re.compile(rb"([A-Za-z0-9_.]*) *=\Z")
#: A name without quotes; ``*`` ends a beginning.
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*\*?\Z|\*\Z")
_TYPE = b"mytype"
#: How many spellings of names are remembered.
_MAX_NAMES = 20_000
#: How many ads are remembered, of one length and in all, and how long they may be, in bytes.
_MAX_ALIKE, _MAX_FORMS, _MAX_BYTES = 4, 128, 256 * 1024


@dataclass(frozen=True)
class AdSchema:
    """The attributes of one type of ad that are kept.

    ``own`` attributes differ from ad to ad, ``shared`` ones hardly do. Shared ones that are
    ``apart`` do not tell ads apart.

    Names are in lower case; a shared name that ends in ``*`` stands for all that begin so.
    """

    own: tuple[str, ...]
    shared: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()


class RawAd(NamedTuple):
    """One ad: its type, the values and texts of its own attributes, and its shared lines.

    The text of an absent attribute is None, its value UNDEFINED.
    """

    type: bytes
    own: list[Value]
    texts: list[bytes | None]
    shared: Lines


class Table:
    """The wanted lines of one type of ad, and the place of each.

    It learns how names are spelled as they come.
    """

    def __init__(self, schema: AdSchema, values: Interned) -> None:
        self._values = values
        plain = [name for name in schema.shared | schema.apart if _PLAIN_NAME.match(name)]
        self._own = {name: place for place, name in enumerate(schema.own)}
        self._shared = frozenset(plain)
        self._beginnings = tuple(name[:-1] for name in plain if name.endswith("*"))
        self._places: dict[bytes, int] = {}

    def read(
        self, lines: Sequence[bytes], type_: bytes, odd: Callable[[bytes], bool]
    ) -> tuple[RawAd, Form | None]:
        """Return the ad in ``lines``, and its form for the ads that are like it.

        ``odd`` tells whether a line, whose name is none, is damaged. A damaged ad has no form.
        """
        own: list[Value] = [UNDEFINED] * len(self._own)
        texts: list[bytes | None] = [None] * len(own)
        shared: list[tuple[bytes, bytes]] = []
        places: list[int] = []
        sound = True
        for line in lines:
            name, text = parts(line)
            place = self._places.get(name)
            if place is None:
                place = self._learnt(name)
                if not _NAME.match(name):
                    sound = not odd(line) and sound
            if place >= 0:
                # Of an attribute that is there twice, the last counts.
                sound = sound and texts[place] is None
                texts[place], own[place] = text, self._values[text]
            elif place == _SHARED:
                shared.append((name.rstrip(b" ="), text))
            places.append(place)
        ad = RawAd(type_, own, texts, tuple(shared))
        if not sound:
            return ad, None
        return ad, Form(lines, places, ad, self._values)

    def _learnt(self, name: bytes) -> int:
        place = self._place(name)
        if _NAME.match(name) and len(self._places) < _MAX_NAMES:
            self._places[name] = place
        return place

    def _place(self, name: bytes) -> int:
        findable = _FINDABLE.match(name)
        if findable is None:
            return _UNWANTED
        lower = findable.group(1).decode().lower()
        if lower in self._own:
            return self._own[lower]
        if lower in self._shared or lower.startswith(self._beginnings):
            return _SHARED
        return _UNWANTED


def parts(line: bytes) -> tuple[bytes, bytes]:
    """Return the name up to and with the equals sign, and the text behind it.

    The name is empty where there is no such sign.
    """
    end = line.find(b"=") + 1
    return line[:end], line[end:].lstrip(b" ")


class Form:
    """The last ad of one form, and what each of its lines is."""

    __slots__ = ("_ad", "_lines", "_names", "_numbers", "_own", "_places", "_values")

    def __init__(
        self, lines: Sequence[bytes], places: Sequence[int], ad: RawAd, values: Interned
    ) -> None:
        self._values = values
        self._lines, self._ad, self._own = lines, ad, len(ad.own)
        self._numbers = range(len(lines))
        self._names: list[bytes] = []
        #: For a shared line, its number among them, after the attributes of the ad's own.
        self._places: list[int] = []
        number = self._own
        for line, place in zip(lines, places):
            name, _ = parts(line)
            if not name or name.rstrip(b" =").lower() == _TYPE:
                # An ad in which this line is another one is of another form: no line begins so.
                name = line + b"\n"
            self._names.append(name)
            if place == _SHARED:
                place = number
                number += 1
            self._places.append(place)

    def read(self, lines: Sequence[bytes]) -> RawAd | None:
        """Return the ad in as many ``lines``; None where they are of another form."""
        last = self._ad
        own, texts, shared = last.own, last.texts, None
        for number in compress(self._numbers, map(ne, lines, self._lines)):
            line, name = lines[number], self._names[number]
            if not line.startswith(name):
                return None
            place = self._places[number]
            if place == _UNWANTED:
                continue
            text = line[len(name) :].lstrip(b" ")
            if place < self._own:
                if own is last.own:
                    own, texts = own.copy(), texts.copy()
                texts[place], own[place] = text, self._values[text]
            else:
                if shared is None:
                    shared = list(last.shared)
                shared[place - self._own] = (shared[place - self._own][0], text)
        self._lines = lines
        if shared is not None:
            self._ad = RawAd(last.type, own, texts, tuple(shared))
        elif own is not last.own:
            self._ad = RawAd(last.type, own, texts, last.shared)
        return self._ad


class Forms:
    """The forms of the ads that were read, by their number of lines, the last used first."""

    def __init__(self) -> None:
        self._known: dict[int, list[Form]] = {}
        self._count = 0

    def read(self, lines: Sequence[bytes]) -> RawAd | None:
        """Return the ad in ``lines``; None where it is of no known form."""
        forms = self._known.get(len(lines))
        if forms is None:
            return None
        for number, form in enumerate(forms):
            ad = form.read(lines)
            if ad is not None:
                if number:
                    forms.insert(0, forms.pop(number))
                return ad
        return None

    def remember(self, lines: Sequence[bytes], form: Form | None) -> None:
        """Remember the form of an ad that had ``lines``, unless it is too long."""
        if form is None or sum(map(len, lines)) > _MAX_BYTES:
            return
        if self._count >= _MAX_FORMS:
            # It is rare: a pool has a few dozen.
            self._known.clear()
            self._count = 0
        forms = self._known.setdefault(len(lines), [])
        forms.insert(0, form)
        self._count += 1
        if len(forms) > _MAX_ALIKE:
            forms.pop()
            self._count -= 1
