"""New names for old ones: the same for the same key, and without the key nobody finds the old name.

A new name is a word for its kind, and the beginning of the HMAC-SHA256 (RFC
2104) of kind and old name. HTCondor compares some names whatever their case and others to the
letter: two spellings of a name get two spellings of one new name.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Set

#: Digits of a new name, and how many more where two old names would get the same.
_DIGITS, _MORE = 8, 4
_BYTES_OF_KEY = 16
_HEXADECIMAL = frozenset("0123456789abcdef")
_PIECE = re.compile(r"\w+")


def folded(name: str) -> str:
    """Return ``name`` with its ASCII letters in lower case, as strcasecmp compares it."""
    return name.encode("utf-8", "surrogateescape").lower().decode("utf-8", "surrogateescape")


class Pseudonyms:
    """The new names that ``key`` gives.

    ``avoided`` are old names that must not occur inside new ones.
    """

    def __init__(self, key: bytes, avoided: Iterable[str] = ()) -> None:
        if len(key) < _BYTES_OF_KEY:
            raise ValueError(f"a key has at least {_BYTES_OF_KEY} bytes")
        self._key = key
        sizes = range(3, _DIGITS + _MORE + 1)
        self._avoided = {
            name for name in avoided if len(name) in sizes and _HEXADECIMAL.issuperset(name)
        }
        self._new: dict[tuple[str, str, str], str] = {}
        #: The name for which the digits were made.
        self._old: dict[str, tuple[str, str]] = {}
        self._spellings: set[str] = set()
        self._made: set[str] = set()

    @property
    def made(self) -> Set[str]:
        """Every new name so far and its parts, in lower case."""
        return self._made

    def new(self, kind: str, name: str, joint: str = "-", shown: str = "") -> str:
        """Return the new name of ``name``: ``shown`` (else its kind), ``joint`` and digits."""
        key = (kind, f"{shown or kind}{joint}", name)
        known = self._new.get(key)
        if known is None:
            fold = folded(name)
            known = f"{key[1]}{self.digits(kind, fold)}"
            if fold != name:
                known = self._spelled(known, name)
            self._new[key] = known
            self._spellings.add(known)
            self.remember(known)
        return known

    def remember(self, new: str) -> None:
        """Note that ``new`` is no old name, nor any part of it."""
        self._made.update((new.lower(), *_PIECE.findall(new.lower())))

    def digits(self, kind: str, fold: str, length: int = _DIGITS) -> str:
        """Return the hexadecimal digits for ``fold``.

        There are more of them where another name has the same ones.
        """
        found = self._free(self._digest(kind, fold), kind, fold, length)
        tries = 0
        while not found:
            tries += 1
            found = self._free(self._digest(kind, f"{tries}\0{fold}"), kind, fold, length)
        return found

    def _free(self, digest: str, kind: str, fold: str, length: int) -> str:
        for size in (length, length + _MORE, len(digest)):
            digits = digest[:size]
            if any(name in digits for name in self._avoided):
                continue
            holder = self._old.setdefault(digits, (kind, fold))
            if holder == (kind, fold):
                return digits
        return ""

    def number(self, kind: str, name: str, below: int) -> int:
        """Return a number less than ``below`` that stands for ``name``."""
        return int(self._digest(kind, name), 16) % below

    def _digest(self, kind: str, name: str) -> str:
        text = f"{kind}\0{name}".encode("utf-8", "surrogateescape")
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()

    def _spelled(self, new: str, name: str) -> str:
        """Return ``new`` with some letters in upper case.

        Each spelling of the old name gets a spelling of its own.
        """
        tries = 0
        while True:
            bits = int(self._digest("spelling", f"{tries}\0{name}"), 16)
            letters = []
            for place, letter in enumerate(new):
                if bits >> place & 1:
                    letter = letter.upper()
                letters.append(letter)
            found = "".join(letters)
            tries += 1
            if found != new and found not in self._spellings:
                return found
