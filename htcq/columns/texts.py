"""Strings as numbers: each distinct one is kept once, with what it is compared by."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
_FIRST_SIZE = 1024


class Texts:
    """The strings of an engine's columns, numbered as they come."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self._codes: dict[str, int] = {}
        self._folded = np.zeros(_FIRST_SIZE, np.int64)

    def code(self, text: str) -> int:
        """Return the number of ``text``."""
        code = self._codes.get(text)
        if code is None:
            code = self._added(text)
            folded = fold(text)
            self._folded[code] = code if folded == text else self.code(folded)
        return code

    def _added(self, text: str) -> int:
        code = self._codes[text] = len(self.known)
        self.known.append(text)
        if code == len(self._folded):
            self._folded = np.concatenate((self._folded, np.zeros_like(self._folded)))
        return code

    def folded(self, codes: Array) -> Array:
        """Return the numbers of the same strings in lower case."""
        return self._folded[codes]

    def ranks(self, left: Array, right: Array) -> tuple[Array, Array]:
        """Return two arrays of numbers that are in the order of the strings, without case."""
        left, right = self.folded(left), self.folded(right)
        codes = np.union1d(left, right)
        order = sorted(range(len(codes)), key=lambda place: self.known[codes[place]])
        ranks = np.empty(len(codes), np.int64)
        ranks[order] = np.arange(len(codes))
        return ranks[np.searchsorted(codes, left)], ranks[np.searchsorted(codes, right)]


def fold(text: str) -> str:
    """Return ``text`` as strcasecmp compares it: ASCII in lower case, all else as it is."""
    if text.isascii():
        return text.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)
