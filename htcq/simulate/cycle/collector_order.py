"""The order in which the collector hands out slots and submitters: that of its hash tables.

The negotiator's sorts begin with it, and what they leave of equals depends on it. condor_status
sorts what it prints, so that this order is lost; the names tell it again.

Follows src/condor_utils/HashTable.h (insert, resize_hash_table), HashTable.cpp (hashFunction) and
hashkey.cpp (adNameHashFunction, makeStartdAdHashKey, makeScheddAdHashKey), HTCondor 23.9 to 25.14:
the key of a slot is its name, that of a submitter its name and its schedd's. Of those in one
bucket the last to come is the first: they are taken to have come in the order of their names. A
table that was larger once has another order, which no name tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

_FIRST_SIZE, _MOST_IN_BUCKET, _BITS = 7, 0.8, 2**64 - 1
#: No larger table is looked for.
_MAX_SIZE = 2**24
#: Of so many slots in a row one may be out of order in a list that was sorted.
_IN_ORDER = 4
_NUMBER = re.compile(r"(\d+)")


class CollectorOrder:
    """One of the collector's tables, from cycle to cycle.

    ``names`` are the keys of the first one; with ``in_order`` they were captured in the
    collector's order. Else they are in that order unless they are sorted.
    """

    def __init__(self, names: Sequence[str], in_order: bool = False) -> None:
        self._first = list(names)
        self._is_sorted = _is_sorted(self._first, _by_letters) or _is_sorted(
            self._first, _by_numbers
        )
        self._in_order = in_order
        #: Whether they stand as in some table; None: that was not needed so far.
        self._is_table: bool | None = None
        self._hashes: dict[str, int] = {}
        self._buckets: dict[int, list[str]] = {}
        self._size = _FIRST_SIZE

    def places(self, names: Sequence[str]) -> Sequence[int]:
        """Return the place of each key among all."""
        if self._is_table is False:
            return range(len(names))
        if self._is_table is None:
            if not self._is_sorted and list(names) == self._first:
                return range(len(names))
            self._is_table = self._adopt() or self._is_sorted
            if not self._is_table:
                return range(len(names))
        for gone in self._hashes.keys() - names:
            self._buckets[self._hashes.pop(gone) % self._size].remove(gone)
        for name in names:
            if name not in self._hashes:
                self._insert(name)
        found: dict[str, int] = {}
        for bucket in sorted(self._buckets):
            for name in self._buckets[bucket]:
                found[name] = len(found)
        return [found[name] for name in names]

    def _adopt(self) -> bool:
        """Begin with the smallest table that has the first slots in their order, if one has."""
        if self._is_sorted and not self._in_order:
            return False
        hashes = {name: _hash(name) for name in self._first}
        size = _size_of_table(list(hashes.values()))
        if size is None or len(hashes) < len(self._first):
            return False
        self._size, self._hashes = size, hashes
        for name in reversed(self._first):
            self._put(name)
        return True

    def _insert(self, name: str) -> None:
        self._hashes[name] = _hash(name)
        self._put(name)
        if len(self._hashes) / self._size < _MOST_IN_BUCKET:
            return
        before, self._buckets = self._buckets, {}
        self._size = 2 * self._size + 1
        for bucket in sorted(before):
            for each in before[bucket]:
                self._put(each)

    def _put(self, name: str) -> None:
        """Make ``name`` the head of its bucket."""
        self._buckets.setdefault(self._hashes[name] % self._size, []).insert(0, name)


class CollectorTables:
    """The collector's tables, from cycle to cycle; None before the first one."""

    def __init__(self) -> None:
        self.slots: CollectorOrder | None = None
        self.submitters: CollectorOrder | None = None


def _size_of_table(hashes: Sequence[int]) -> int | None:
    """Return the size of the smallest table that has them in this order; None if none has."""
    size = _FIRST_SIZE
    while len(hashes) / size >= _MOST_IN_BUCKET:
        size = 2 * size + 1
    while size <= _MAX_SIZE:
        if all(one % size <= other % size for one, other in zip(hashes, hashes[1:])):
            return size
        size = 2 * size + 1
    return None


def _is_sorted(names: Sequence[str], key: Callable[[str], Any]) -> bool:
    """Return whether slots were sorted: few are out of order, such as those that came later."""
    most, before = len(names) // _IN_ORDER, None
    for name in names:
        here = key(name)
        if before is not None and here < before:
            most -= 1
            if most < 0:
                return False
        before = here
    return True


def _by_letters(name: str) -> tuple[str, str]:
    slot, _, machine = name.rpartition("@")
    return machine, slot


def _by_numbers(name: str) -> tuple[Sequence[tuple[int, str]], ...]:
    return tuple(
        [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBER.split(each)]
        for each in _by_letters(name)
    )


def _hash(name: str) -> int:
    number = 0
    for letter in name.encode(errors="surrogateescape"):
        number = (number * 33 + letter) & _BITS
    return number
