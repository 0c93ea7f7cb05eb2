"""Amounts of assets and ranks of slots as columns: what a matchmaker does with them.

An amount is a number, whole where it is whole (:func:`htcq.classads.as_number`), or absent. The
same functions for lists, where numpy is missing, are in :mod:`htcq.columns.row_arrays`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from htcq.columns import states
from htcq.columns.column import Column, integers, real_numbers, select, spread
from htcq.std_sort import Range, median_of, parted_order, partings_of, std_order

Array = Any
#: Of so many slots the best are found at first; each time that more are needed, of twice as many.
FIRST_BEST = 128
_END_OF_WHOLE = 2.0**63
#: Ranges of so many slots are parted faster one by one.
_SHORT = 256


def as_amounts(column: Column) -> Column:
    """Return numbers as amounts: integers where they are whole; ABSENT where it is no number."""
    if not column.possible & ~states.WHOLE:
        return integers(column.integers())
    reals = column.reals()
    usable = column.is_in(states.NUMBERS) & np.isfinite(reals)
    whole = column.is_in(states.WHOLE)
    integral = whole | ((reals == np.floor(reals)) & (np.abs(reals) < _END_OF_WHOLE))
    state = np.where(integral, np.uint8(states.INTEGER), np.uint8(states.REAL))
    state = np.where(usable, state, np.uint8(states.ABSENT))
    of_reals = np.where(usable & integral & ~whole, reals, 0).astype(np.int64)
    numbers = np.where(whole, column.integers(), of_reals)
    possible = int(np.bitwise_or.reduce(np.unique(state)))
    if possible == states.INTEGER:
        return integers(numbers)
    return Column(possible, state, numbers, np.where(usable, reals, 0.0))


def numbers_of(amounts: Column) -> Array:
    """Return amounts as reals; not a number where one is absent."""
    if not amounts.possible & states.ABSENT:
        return amounts.reals()
    return np.where(amounts.is_in(states.ABSENT), np.nan, amounts.reals())


def at_least(left: Column, right: Column) -> Array:
    """Return where ``left`` is as much as ``right`` or more; nowhere where one is absent."""
    if (left.possible | right.possible) == states.INTEGER:
        return left.whole >= right.whole
    return numbers_of(left) >= numbers_of(right)


def is_less(left: Column, right: Column) -> Array:
    """Return where ``left`` is less than ``right``; nowhere where one is absent."""
    if (left.possible | right.possible) == states.INTEGER:
        return left.whole < right.whole
    return numbers_of(left) < numbers_of(right)


def at_least_zero(amounts: Column) -> Array:
    """Return where an amount is known and not negative."""
    if amounts.possible == states.INTEGER:
        return amounts.whole >= 0
    return numbers_of(amounts) >= 0


def is_something(amounts: Column) -> Array:
    """Return where an amount is known and not 0."""
    if amounts.possible == states.INTEGER:
        return amounts.whole != 0
    return ~amounts.is_in(states.ABSENT) & (amounts.reals() != 0)


def less(left: Column, right: Column) -> Column:
    """Return ``left`` without ``right``, of which nothing is taken where it is absent."""
    if (left.possible | right.possible) == states.INTEGER:
        return integers(left.whole - right.whole)
    taken = np.where(right.is_in(states.ABSENT), 0.0, right.reals())
    return as_amounts(real_numbers(left.reals() - taken))


def difference(left: Column, right: Column) -> Column:
    """Return ``left - right``, whole where both are; absent where one is."""
    if (left.possible | right.possible) == states.INTEGER:
        return integers(left.whole - right.whole)
    joint = left.state | right.state
    state = np.where(joint & states.REAL, np.uint8(states.REAL), np.uint8(states.INTEGER))
    state = np.where(joint & states.ABSENT, np.uint8(states.ABSENT), state)
    reals = left.reals() - right.reals()
    possible = int(np.bitwise_or.reduce(np.unique(state)))
    return Column(possible, state, left.integers() - right.integers(), reals)


def are_whole(amounts: Column) -> bool:
    """Return whether all amounts are known and whole, so that a difference of them is exact."""
    return amounts.possible == states.INTEGER


def or_one(amounts: Column) -> Column:
    """Return 1 for what is negative or absent (Accountant.cpp:GetSlotWeight)."""
    usable = at_least_zero(amounts)
    if usable.all():
        return amounts
    state = np.where(usable, amounts.state, np.uint8(states.INTEGER))
    possible = int(np.bitwise_or.reduce(np.unique(state)))
    whole = np.where(usable, amounts.integers(), 1)
    return Column(possible, state, whole, np.where(usable, amounts.reals(), 1.0))


def all_one() -> Column:
    """Return an amount of 1 for all rows."""
    return integers(np.ones(1, np.int64))


def is_absent(amounts: Column) -> Array:
    """Return where an amount is absent."""
    return amounts.is_in(states.ABSENT)


def together(amounts: Column, counts: Column, rows: Array) -> int | float:
    """Return what some rows have together, of which each stands for a count of slots."""
    numbers = amounts.whole if amounts.possible == states.INTEGER else amounts.reals()
    products = numbers * counts.whole
    if len(products) == 1:
        return (products[0] * np.count_nonzero(rows)).item()  # type: ignore[no-any-return]
    return products[rows].sum().item()  # type: ignore[no-any-return]


def largest(amounts: Column, rows: Array) -> int | float:
    """Return the most that one of some rows has; 0 where none has more."""
    numbers = amounts.whole if amounts.possible == states.INTEGER else amounts.reals()
    found = spread(numbers, len(rows))[rows]
    return found.max(initial=0).item()  # type: ignore[no-any-return]


def least_of_most(parts: Sequence[tuple[Array, Column]]) -> int | float:
    """Return the least, by row, of the most that ``parts`` have where they hold."""
    if len(parts) == 1 and parts[0][1].rows == 1 and parts[0][1].possible == states.INTEGER:
        return int(parts[0][1].whole[0])
    most = np.full(1, -np.inf)
    for rows, amounts in parts:
        most = np.maximum(most, np.where(rows, amounts.reals(), -np.inf))
    found: float = most[most > -np.inf].min().item()
    return int(found) if found.is_integer() else found


def completed(amounts: Column, before: Column | None) -> Column:
    """Return amounts with those of ``before`` where one is absent."""
    if before is None or not amounts.possible & states.ABSENT:
        return amounts
    found = select(amounts.is_in(states.ABSENT), before, amounts)
    return found._replace(possible=found.possible & ~states.ABSENT | before.possible)


def permitted(costs: Column, used: float, limit: float) -> Array:
    """Return where a match stays within ``limit``, with ``used`` before (SubmitterLimitPermits)."""
    within = used + costs.reals() <= limit
    return within | (used <= 0 < limit)


def at(amounts: Column, rows: Array) -> Column:
    """Return the amounts of some rows."""
    return amounts.at(rows)


def listed(amounts: Column, rows: int) -> Sequence[float | int | None]:
    """Return the amounts of so many rows as a list; None where one is absent."""
    if amounts.possible == states.INTEGER:
        return spread(amounts.whole, rows).tolist()  # type: ignore[no-any-return]
    if amounts.possible == states.REAL:
        return spread(amounts.real, rows).tolist()  # type: ignore[no-any-return]
    found: list[float | int | None] = [None] * rows
    state, whole, real = (spread(part, rows).tolist() for part in amounts[1:])
    for row, kind in enumerate(state):
        if kind == states.INTEGER:
            found[row] = whole[row]
        elif kind == states.REAL:
            found[row] = real[row]
    return found


def truths(rows: int, value: bool = True) -> Array:
    """Return an array of truth values that all are ``value``."""
    return np.full(rows, value)


def truths_of(values: Sequence[bool]) -> Array:
    """Return truth values as an array."""
    return np.array(values, bool)


def truths_at(rows: int, places: Sequence[int]) -> Array:
    """Return an array of truth values that are true in some places."""
    found = np.zeros(rows, bool)
    found[places] = True
    return found


def listed_truths(values: Array, rows: int) -> Sequence[bool]:
    """Return truth values of so many rows as a list."""
    return spread(values, rows).tolist()  # type: ignore[no-any-return]


def signatures(values: Sequence[Array], rows: int) -> Sequence[object]:
    """Return for each row what is the same for rows in which the same truth values hold."""
    if not values:
        return [b""] * rows
    packed = np.packbits(np.stack([spread(each, rows) for each in values]), axis=0)
    return [column.tobytes() for column in packed.T]


def first_in(values: Array) -> int:
    """Return the number of the first row that is true; one is."""
    return int(values.argmax())


def rows_in(values: Array, rows: int) -> Array:
    """Return the numbers of the rows that are true."""
    return np.flatnonzero(spread(values, rows))


def places(rows: Sequence[int]) -> Array:
    """Return numbers of rows as an array."""
    return np.array(rows, np.int64)


def listed_numbers(numbers: Array, rows: int) -> Sequence[float]:
    """Return so many numbers as a list."""
    return spread(numbers, rows).tolist()  # type: ignore[no-any-return]


def of_table(table: int, tables: Array, rows: Array) -> tuple[Array, Array]:
    """Return where slots of one table are among many, and their rows."""
    places = np.flatnonzero(tables == table)
    return places, rows[places]


def single_precision(numbers: Array, otherwise: float) -> Array:
    """Return ``numbers`` as a C++ float holds them; ``otherwise`` where one is none."""
    with np.errstate(over="ignore"):
        found = numbers.astype(np.float32).astype(np.float64)
    return np.where(found == found, found, otherwise)


def full(rows: int, numbers: Array) -> Array:
    """Return an array of ``rows`` numbers, of one that holds for all or of as many, to change."""
    return np.full(rows, numbers, np.float64)


def put(numbers: Array, rows: Array, values: Array) -> None:
    """Give some rows other numbers."""
    numbers[rows] = values


def writable(values: Array, rows: int) -> Array:
    """Return truth values of so many rows, to be changed."""
    return np.array(spread(values, rows))


def with_rows(amounts: Column, count: int, rows: Array, values: Column) -> Column:
    """Return ``amounts``, ``count`` of them, with those of ``values`` in some rows."""
    return amounts.with_rows(count, rows, values)


class Ranked(NamedTuple):
    """Slots of one table with their ranks; ``items`` are their places among all."""

    table: int
    rows: Array
    ranks: tuple[Array, ...]
    items: Array


def ranked(table: int, rows: Array, ranks: Sequence[Array], items: Array) -> Ranked:
    """Return the slots of some rows of a table; each rank has all its rows, or one for all."""
    of_rows = tuple(spread(rank, len(items))[rows] for rank in ranks)
    return Ranked(table, rows, of_rows, items[rows])


class BestSlots:
    """Slots in the order of their ranks, the best first."""

    def __init__(self, parts: Sequence[Ranked], stable: bool) -> None:
        columns = zip(*((*part.ranks, part.items) for part in parts))
        *ranks, items = (np.concatenate(each) if len(parts) > 1 else each[0] for each in columns)
        among_all = np.argsort(items)
        self._ranks = [rank[among_all] for rank in ranks]
        self._rows = np.concatenate([part.rows for part in parts])[among_all]
        tables = [np.full(len(part.rows), part.table) for part in parts]
        self._tables = np.concatenate(tables)[among_all]
        self._order = _order(self._keys(), stable)
        self._size = FIRST_BEST

    def _keys(self) -> Array:
        """Return a number for each slot, the least for the best; equals have the same one."""
        # What is equal everywhere orders nothing.
        telling = [-rank for rank in self._ranks if (rank != rank[:1]).any()]
        if len(telling) < 2:
            return telling[0] if telling else np.zeros(len(self._rows))
        order = np.lexsort(telling[::-1])
        other = np.zeros(len(order), np.int64)
        for column in telling:
            other[1:] |= column[order[1:]] != column[order[:-1]]
        keys = np.empty(len(order), np.int64)
        keys[order] = np.cumsum(other)
        return keys

    def more(self) -> tuple[Sequence[tuple[float, ...]], Array, Array]:
        """Return the ranks of the next slots, their tables and their rows; none after the last."""
        places = np.fromiter(islice(self._order, self._size), np.int64)
        self._size *= 2
        ranks = zip(*(rank[places].tolist() for rank in self._ranks))
        return list(ranks), self._tables[places], self._rows[places]


def _order(keys: Array, stable: bool) -> Iterator[int]:
    """Yield the places of ``keys`` as :func:`std_order` does; long ranges are parted as arrays."""
    count = len(keys)
    if stable or count <= _SHORT:
        return std_order(keys.tolist(), stable)
    keys, places = keys.copy(), np.arange(count)
    ranges: list[Range] = []
    end, partings = count, partings_of(count)
    while end > _SHORT and partings:
        partings -= 1
        cut = _part(keys, places, end)
        ranges.append(Range(cut, end, partings))
        end = cut
    ranges.append(Range(0, end, partings))
    return parted_order(keys.tolist(), places.tolist(), ranges)


def _part(keys: Array, places: Array, end: int) -> int:
    """Part the first ``end`` keys by their pivot; return where those that are not less begin.

    One pointer comes from the left and stops where a key is not less than the pivot, one from the
    right where it is not greater: what they exchange are the first of each, as long as they do not
    meet.
    """
    _swap(keys, places, 0, median_of(keys, 1, end // 2, end - 1))
    pivot, others = keys[0], keys[1:end]
    left = np.flatnonzero(others >= pivot) + 1
    right = np.flatnonzero(others <= pivot)[::-1] + 1
    shorter = min(len(left), len(right))
    swapped = int(np.count_nonzero(left[:shorter] < right[:shorter]))
    _swap(keys, places, left[:swapped], right[:swapped])
    stops = [int(each[0]) for each in (left[swapped:], right[:swapped][::-1]) if len(each)]
    return min(stops)


def _swap(keys: Array, places: Array, some: Any, others: Any) -> None:
    for each in (keys, places):
        each[some], each[others] = each[others].copy(), each[some].copy()


def best_first(parts: Sequence[Ranked], stable: bool = False) -> BestSlots:
    """Return the slots of all tables, the best first; equal ones as :func:`std_order` says."""
    return BestSlots(parts, stable)
