"""Amounts and ranks as lists, where numpy is missing.

The functions are those of :mod:`htcq.columns.arrays`; a list of one element stands for all rows.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple, Union

from htcq.classads import as_number
from htcq.std_sort import std_order

Amount = Union[int, float, None]
#: Each slot costs evaluations: no more of the best than are likely to be matched.
FIRST_BEST = 8


class Vector(list[Any]):
    """Values by row, with the operators of an array that the matchmaker needs."""

    def __and__(self, other: Sequence[bool]) -> Vector:
        return Vector(one and another for one, another in pairs(self, other))

    def __or__(self, other: Sequence[bool]) -> Vector:
        return Vector(one or another for one, another in pairs(self, other))

    def __invert__(self) -> Vector:
        return Vector(not each for each in self)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, list):
            return super().__getitem__(place)
        values = self.tolist()
        return Vector(values[each] for each in place)

    def any(self) -> bool:
        """Return whether one is true."""
        return any(self)

    def sum(self) -> int:
        """Return how many are true."""
        return sum(map(bool, self))

    def tolist(self) -> list[Any]:
        """Return the values as a plain list."""
        return list(self)


class Cells(list[Any]):
    """The values of an attribute by row, or a single one that holds for all."""

    @property
    def rows(self) -> int:
        """How many rows it has; 1 where one value holds for all."""
        return len(self)

    def at(self, rows: Sequence[int]) -> Cells:
        """Return the values of some rows."""
        return self if len(self) == 1 else Cells(self[row] for row in rows)


def pairs(one: Sequence[Any], other: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """Return what stands in each row of both."""
    rows = max(len(one), len(other))
    return zip(_spread(one, rows), _spread(other, rows))


def _spread(values: Sequence[Any], rows: int) -> Sequence[Any]:
    return list(values) * rows if len(values) == 1 else values


def _compared(compare: Callable[[Any, Any], bool], left: Cells, right: Cells) -> Vector:
    found = Vector()
    for one, other in pairs(left, right):
        found.append(one is not None and other is not None and compare(one, other))
    return found


def at_least(left: Cells, right: Cells) -> Vector:
    """Return where ``left`` is as much as ``right`` or more; nowhere where one is absent."""
    return _compared(operator.ge, left, right)


def is_less(left: Cells, right: Cells) -> Vector:
    """Return where ``left`` is less than ``right``; nowhere where one is absent."""
    return _compared(operator.lt, left, right)


def at_least_zero(amounts: Cells) -> Vector:
    """Return where an amount is known and not negative."""
    return _compared(operator.ge, amounts, Cells([0]))


def is_something(amounts: Cells) -> Vector:
    """Return where an amount is known and not 0."""
    return _compared(operator.ne, amounts, Cells([0]))


def less(left: Cells, right: Cells) -> Cells:
    """Return ``left`` without ``right``, of which nothing is taken where it is absent."""
    found = Cells()
    for one, other in pairs(left, right):
        found.append(as_number(one - (other or 0)))
    return found


def difference(left: Cells, right: Cells) -> Cells:
    """Return ``left - right``, whole where both are; absent where one is."""
    found = Cells()
    for one, other in pairs(left, right):
        found.append(None if one is None or other is None else one - other)
    return found


def are_whole(amounts: Cells) -> bool:
    """Return whether all amounts are known and whole, so that a difference of them is exact."""
    return all(type(each) is int for each in amounts)


def or_one(amounts: Cells) -> Cells:
    """Return 1 for what is negative or absent (Accountant.cpp:GetSlotWeight)."""
    return Cells(1 if each is None or each < 0 else each for each in amounts)


def all_one() -> Cells:
    """Return an amount of 1 for all rows."""
    return Cells([1])


def is_absent(amounts: Cells) -> Vector:
    """Return where an amount is absent."""
    return Vector(each is None for each in amounts)


def together(amounts: Cells, counts: Cells, rows: Vector) -> int | float:
    """Return what some rows have together, of which each stands for a count of slots."""
    found: int | float = 0
    for amount, count, row in zip(_spread(amounts, len(rows)), _spread(counts, len(rows)), rows):
        found += amount * count if row else 0
    return found


def largest(amounts: Cells, rows: Vector) -> int | float:
    """Return the most that one of some rows has; 0 where none has more."""
    found: int | float = 0
    for amount, row in zip(_spread(amounts, len(rows)), rows):
        if row and amount > found:
            found = amount
    return found


def least_of_most(parts: Sequence[tuple[Vector, Cells]]) -> int | float:
    """Return the least, by row, of the most that ``parts`` have where they hold."""
    most: dict[int, int | float] = {}
    for rows, amounts in parts:
        for row, (holds, amount) in enumerate(pairs(rows, amounts)):
            if holds:
                most[row] = max(amount, most.get(row, amount))
    return min(most.values())


def completed(amounts: Cells, before: Cells | None) -> Cells:
    """Return amounts with those of ``before`` where one is absent."""
    if before is None or None not in amounts:
        return amounts
    found = Cells()
    for amount, other in pairs(amounts, before):
        found.append(other if amount is None else amount)
    return found


def permitted(costs: Cells, used: float, limit: float) -> Vector:
    """Return where a match stays within ``limit``, with ``used`` before (SubmitterLimitPermits)."""
    first = used <= 0 < limit
    return Vector(first or (cost is not None and used + cost <= limit) for cost in costs)


def listed(amounts: Cells, rows: int) -> Sequence[Amount]:
    """Return the amounts of so many rows as a list; None where one is absent."""
    return _spread(amounts, rows)


def truths(rows: int, value: bool = True) -> Vector:
    """Return truth values that all are ``value``."""
    return Vector([value] * rows)


def truths_of(values: Sequence[bool]) -> Vector:
    """Return truth values."""
    return Vector(values)


def truths_at(rows: int, places: Sequence[int]) -> Vector:
    """Return truth values that are true in some places."""
    found = truths(rows, False)
    for place in places:
        found[place] = True
    return found


def listed_truths(values: Vector, rows: int) -> Sequence[bool]:
    """Return truth values of so many rows as a list."""
    return _spread(values, rows)


def listed_numbers(numbers: Vector, rows: int) -> Sequence[float]:
    """Return so many numbers as a list."""
    return _spread(numbers, rows)


def signatures(values: Sequence[Vector], rows: int) -> Sequence[object]:
    """Return for each row what is the same for rows in which the same truth values hold."""
    columns = [_spread(each, rows) for each in values]
    return [tuple(bool(column[row]) for column in columns) for row in range(rows)]


def first_in(values: Vector) -> int:
    """Return the number of the first row that is true; one is."""
    return values.index(True)


def rows_in(values: Vector, rows: int) -> Vector:
    """Return the numbers of the rows that are true."""
    return Vector(row for row, value in enumerate(_spread(values, rows)) if value)


def of_table(table: int, tables: Vector, rows: Vector) -> tuple[Vector, Vector]:
    """Return where slots of one table are among many, and their rows."""
    places = Vector(place for place, each in enumerate(tables) if each == table)
    return places, rows[places]


def places(rows: Sequence[int]) -> Vector:
    """Return numbers of rows."""
    return Vector(rows)


def single_precision(numbers: Vector, otherwise: float) -> Vector:
    """Return ``numbers`` as a C++ float holds them; ``otherwise`` where one is none."""
    return Vector(ctypes.c_float(each).value if each == each else otherwise for each in numbers)


def full(rows: int, numbers: Any) -> Vector:
    """Return ``rows`` numbers, of one that holds for all or of as many, to change."""
    values = numbers if isinstance(numbers, list) else [numbers]
    return Vector(_spread(values, rows))


def put(numbers: Vector, rows: Vector, values: Vector) -> None:
    """Give some rows other numbers."""
    for row, value in zip(rows, _spread(values, len(rows))):
        numbers[row] = value


def writable(values: Vector, rows: int) -> Vector:
    """Return truth values of so many rows, to be changed."""
    return Vector(_spread(values, rows))


def with_rows(amounts: Cells, count: int, rows: Vector, values: Cells) -> Cells:
    """Return ``amounts``, ``count`` of them, with those of ``values`` in some rows."""
    found = Cells(_spread(amounts, count))
    for row, value in zip(rows, _spread(values, len(rows))):
        found[row] = value
    return found


class RankedRows(NamedTuple):
    """Slots of one table with what they are ordered by, the best first."""

    table: int
    rows: Vector
    orders: list[tuple[float, ...]]


def ranked(table: int, rows: Vector, ranks: Sequence[Vector], items: Vector) -> RankedRows:
    """Return the slots of some rows of a table; each rank has all its rows, or one for all."""
    worst = [[-each for each in rank[rows]] for rank in ranks]
    return RankedRows(table, rows, list(zip(*worst, items[rows])))


class BestRows:
    """Slots in the order of their ranks, the best first."""

    def __init__(self, parts: Sequence[RankedRows], stable: bool) -> None:
        entries = []
        for part in parts:
            for order, row in zip(part.orders, part.rows):
                *worst, item = order
                entries.append((item, tuple(worst), part.table, row))
        self._entries = sorted(entries)
        self._order = std_order([worst for _, worst, _, _ in self._entries], stable)
        self._size = FIRST_BEST

    def more(self) -> tuple[Sequence[tuple[float, ...]], Vector, Vector]:
        """Return the ranks of the next slots, their tables and their rows; none after the last."""
        found = [self._entries[place] for place in islice(self._order, self._size)]
        self._size *= 2
        ranks = [tuple(-each for each in worst) for _, worst, _, _ in found]
        tables = Vector(table for _, _, table, _ in found)
        return ranks, tables, Vector(row for _, _, _, row in found)


def best_first(parts: Sequence[RankedRows], stable: bool = False) -> BestRows:
    """Return the slots of all tables, the best first; equal ones as :func:`std_order` says."""
    return BestRows(parts, stable)
