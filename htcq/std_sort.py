"""The order in which std::sort of libstdc++ leaves elements that are equal to each other.

HTCondor's daemons sort submitters, slots and groups with it. It is not stable, but deterministic:
the order after it depends on the order before and on nothing else. Follows introsort as in
bits/stl_algo.h and bits/stl_heap.h of GCC 4.9 to 15: ranges of more than 16 elements are parted at
the median of the second, the middle and the last one; those that were parted too often become a
heap; an insertion sort ends it.

An insertion sort is stable. So the end of it is that each range that was not parted any more is
sorted for itself, and ranges can be worked out from the first to the last, as they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple, TypeVar

#: Ranges of up to so many elements are left to the insertion sort.
_INSERTED = 16

Item = TypeVar("Item")


def std_sorted(items: Sequence[Item], key: Callable[[Item], Any]) -> list[Item]:
    """Return ``items`` as std::sort leaves them; a lesser ``key`` comes first."""
    return [items[place] for place in std_order([key(item) for item in items])]


def std_order(keys: Sequence[Any], stable: bool = False) -> Iterator[int]:
    """Yield the places of ``keys`` in the order of std::sort, the least key first.

    Keys are compared with ``<`` alone. Where one is NaN, the result is some order.
    The first places cost a number of comparisons that is proportional to the number of keys.
    A ``stable`` order is that of a search for the best key, then the next best, in place of a sort.
    """
    if stable or len(keys) <= _INSERTED:
        return iter(sorted(range(len(keys)), key=keys.__getitem__))
    whole = Range(0, len(keys), partings_of(len(keys)))
    return parted_order(list(keys), list(range(len(keys))), [whole])


class Range(NamedTuple):
    """Elements that are to be sorted among themselves; so often may they still be parted."""

    begin: int
    end: int
    partings: int


def partings_of(count: int) -> int:
    """Return how often ``count`` elements may be parted before they become a heap."""
    return 2 * (count.bit_length() - 1)


def parted_order(keys: list[Any], places: list[int], ranges: list[Range]) -> Iterator[int]:
    """Yield ``places`` in the order of std::sort, whose first partings are done already.

    ``keys`` stand as these left them, and each with its place; both are changed. Of ``ranges``, all
    that are left to sort, the first one is the last.
    """
    return _Introsort(keys, places).order(ranges)


def median_of(keys: Sequence[Any], one: int, two: int, three: int) -> int:
    """Return the place of the median of three keys; of equals that of std::sort."""
    if keys[one] < keys[two]:
        if keys[two] < keys[three]:
            return two
        return three if keys[one] < keys[three] else one
    if keys[one] < keys[three]:
        return one
    return three if keys[two] < keys[three] else two


class _Introsort:
    """One sort of ``keys``, which are moved together with their places."""

    def __init__(self, keys: list[Any], places: list[int]) -> None:
        self._keys, self._places = keys, places

    def order(self, ranges: list[Range]) -> Iterator[int]:
        """Yield the places in their order."""
        while ranges:
            begin, end, depth = ranges.pop()
            while end - begin > _INSERTED and depth:
                depth -= 1
                cut = self._part(begin, end)
                ranges.append(Range(cut, end, depth))
                end = cut
            if end - begin > _INSERTED:
                self._heap_sort(begin, end)
                yield from self._places[begin:end]
            else:
                order = sorted(range(begin, end), key=self._keys.__getitem__)
                yield from [self._places[at] for at in order]

    def _swap(self, one: int, other: int) -> None:
        keys, places = self._keys, self._places
        keys[one], keys[other] = keys[other], keys[one]
        places[one], places[other] = places[other], places[one]

    def _part(self, begin: int, end: int) -> int:
        """Part a range by its pivot; return where the elements that are not less begin."""
        self._swap(begin, median_of(self._keys, begin + 1, begin + (end - begin) // 2, end - 1))
        keys, places, pivot = self._keys, self._places, self._keys[begin]
        left, right = begin + 1, end - 1
        while True:
            while keys[left] < pivot:
                left += 1
            while pivot < keys[right]:
                right -= 1
            if left >= right:
                return left
            keys[left], keys[right] = keys[right], keys[left]
            places[left], places[right] = places[right], places[left]
            left += 1
            right -= 1

    # Where the pivots were bad
    # ----------------------------------------------------------------------------------------------

    def _heap_sort(self, begin: int, end: int) -> None:
        count = end - begin
        for parent in range((count - 2) // 2, -1, -1):
            at = begin + parent
            self._sift(begin, parent, count, self._keys[at], self._places[at])
        for last in range(count - 1, 0, -1):
            at = begin + last
            key, place = self._keys[at], self._places[at]
            self._move(begin, at)
            self._sift(begin, 0, last, key, place)

    def _move(self, source: int, to: int) -> None:
        self._keys[to], self._places[to] = self._keys[source], self._places[source]

    def _sift(self, begin: int, hole: int, count: int, key: Any, place: int) -> None:
        """Fill a hole of the heap from below, down to a leaf, and let an element rise from there.

        Holes are counted from ``begin``.
        """
        keys, top, child = self._keys, hole, hole
        while child < (count - 1) // 2:
            child = 2 * (child + 1)
            if keys[begin + child] < keys[begin + child - 1]:
                child -= 1
            self._move(begin + child, begin + hole)
            hole = child
        if count % 2 == 0 and child == (count - 2) // 2:
            child = 2 * child + 1
            self._move(begin + child, begin + hole)
            hole = child
        parent = (hole - 1) // 2
        while hole > top and keys[begin + parent] < key:
            self._move(begin + parent, begin + hole)
            hole, parent = parent, (parent - 1) // 2
        keys[begin + hole], self._places[begin + hole] = key, place
