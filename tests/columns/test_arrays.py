"""Amounts and ranks: arrays and lists give the same, and what Python's own numbers say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.classads import as_number
from htcq.columns import row_arrays
from htcq.columns.engine import Engine
from htcq.columns.row_engine import RowEngine
from htcq.std_sort import std_order

NUMBERS = st.one_of(
    st.integers(-5, 5),
    # Amounts of mixed types are reals, in which whole numbers are exact up to 2**53.
    st.integers(-(2**51), 2**51),
    st.sampled_from((0.0, 0.5, -2.5, 1e300, 3.25, 2.0)),
)
AMOUNTS = st.one_of(st.none(), NUMBERS, NUMBERS, NUMBERS)
ENGINES = (Engine(), RowEngine())


def column(engine: Any, cells: Sequence[Any]) -> Any:
    """Return amounts as a column of ``engine``."""
    whole = [None if cell is None else as_number(cell) for cell in cells]
    return engine.column(whole)


def pairs() -> st.SearchStrategy[list[tuple[Any, Any]]]:
    """Draw two amounts for each of some rows."""
    return st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=6)


def _less(one: Any, other: Any) -> Any:
    return None if one is None else as_number(as_number(one) - (as_number(other or 0) or 0))  # type: ignore[operator]


def _difference(one: Any, other: Any) -> Any:
    return None if one is None or other is None else as_number(one) - as_number(other)  # type: ignore[operator]


@pytest.mark.parametrize("engine", ENGINES, ids=["arrays", "lists"])
@given(rows=pairs())
def test_what_is_left_is_what_python_says(engine: Any, rows: list[tuple[Any, Any]]) -> None:
    # A slot has a number of each asset.
    rows = [(0 if one is None else one, other) for one, other in rows]
    left, taken = (column(engine, cells) for cells in zip(*rows))
    arrays = engine.arrays

    found = arrays.listed(arrays.less(left, taken), len(rows))
    assert_same(found, [_less(*each) for each in rows])
    enough = arrays.listed_truths(arrays.at_least(left, taken), len(rows))
    assert list(enough) == [other is not None and one >= other for one, other in rows]


@pytest.mark.parametrize("engine", ENGINES, ids=["arrays", "lists"])
@given(rows=pairs())
def test_costs_are_what_python_says(engine: Any, rows: list[tuple[Any, Any]]) -> None:
    before, after = (column(engine, cells) for cells in zip(*rows))
    arrays, count = engine.arrays, len(rows)

    found = arrays.difference(before, after)
    assert_same(arrays.listed(found, count), [_difference(*each) for each in rows])
    absent = arrays.listed_truths(arrays.is_absent(found), count)
    assert list(absent) == [None in each for each in rows]


@pytest.mark.parametrize("engine", ENGINES, ids=["arrays", "lists"])
@given(cells=st.lists(AMOUNTS, min_size=1, max_size=6), limit=NUMBERS, used=NUMBERS)
def test_amounts_are_judged_as_python_says(
    engine: Any, cells: list[Any], limit: float, used: float
) -> None:
    amounts, arrays, count = column(engine, cells), engine.arrays, len(cells)

    def truths(found: Any) -> list[bool]:
        return list(arrays.listed_truths(found, count))

    assert truths(arrays.at_least_zero(amounts)) == [
        each is not None and each >= 0 for each in cells
    ]
    assert truths(arrays.is_something(amounts)) == [
        each is not None and each != 0 for each in cells
    ]
    weights = [1 if each is None or each < 0 else as_number(each) for each in cells]
    assert_same(arrays.listed(arrays.or_one(amounts), count), weights)
    known = column(engine, weights)
    within = [used + each <= limit or (used <= 0 < limit) for each in weights]  # type: ignore[operator]
    assert truths(arrays.permitted(known, used, limit)) == within


@pytest.mark.parametrize("engine", ENGINES, ids=["arrays", "lists"])
@given(
    rows=st.lists(
        st.tuples(NUMBERS, AMOUNTS, st.integers(1, 9), st.booleans()), min_size=1, max_size=6
    )
)
def test_amounts_of_some_rows_are_summed_up_as_python_says(
    engine: Any, rows: list[tuple[Any, Any, int, bool]]
) -> None:
    left, asked, counts, chosen = zip(*rows)
    amounts, arrays, count = column(engine, left), engine.arrays, len(rows)
    some = arrays.truths_at(count, [row for row in range(count) if chosen[row]])
    assert list(arrays.listed_truths(some, count)) == list(chosen)

    taken = [(each, number) for each, number, here in zip(left, counts, chosen) if here]
    together = arrays.together(amounts, column(engine, counts), some)
    assert together == pytest.approx(sum(each * number for each, number in taken))
    assert arrays.largest(amounts, some) == max([0, *(each for each, _ in taken)])
    assert not any(chosen) or arrays.first_in(some) == chosen.index(True)
    less = arrays.listed_truths(arrays.is_less(amounts, column(engine, asked)), count)
    assert list(less) == [other is not None and one < other for one, other, *_ in rows]
    before = arrays.completed(column(engine, asked), amounts)
    known = [one if other is None else other for one, other, *_ in rows]
    assert [as_number(each) for each in arrays.listed(before, count)] == [
        as_number(each) for each in known
    ]


@pytest.mark.parametrize("engine", ENGINES, ids=["arrays", "lists"])
@given(rows=st.lists(st.tuples(NUMBERS, NUMBERS, st.booleans()), min_size=1, max_size=6))
def test_the_least_of_what_is_asked_most_is_what_python_says(
    engine: Any, rows: list[tuple[Any, Any, bool]]
) -> None:
    one, other, chosen = zip(*rows)
    arrays, count = engine.arrays, len(rows)
    everywhere, some = arrays.truths(count), arrays.truths_of(chosen)
    parts = [(everywhere, column(engine, one)), (some, column(engine, other))]

    found = arrays.least_of_most(parts)

    assert found == min(max(a, b) if here else a for a, b, here in rows)
    assert arrays.least_of_most([(everywhere, column(engine, [7]))]) == 7


def assert_same(found: Sequence[Any], expected: Sequence[Any]) -> None:
    """Compare numbers, and whether they are whole."""
    assert list(map(repr, found)) == list(map(repr, expected))


def _everything(best: Any) -> list[tuple[tuple[float, ...], int, int]]:
    found = []
    while True:
        ranks, tables, rows = best.more()
        if not ranks:
            return found
        found += list(zip(ranks, list(tables), list(rows)))


_RANKS = st.tuples(*[st.sampled_from((0.0, 1.0, 2.0, -1e300))] * 3)


@pytest.mark.parametrize("engine", ENGINES, ids=["arrays", "lists"])
@given(
    parts=st.lists(st.lists(_RANKS, max_size=40), min_size=1, max_size=3),
    first=st.integers(1, 9),
    stable=st.booleans(),
    chosen=st.randoms(use_true_random=False),
)
def test_the_best_slots_come_first_a_few_at_a_time(
    engine: Any, parts: list[list[tuple[float, ...]]], first: int, stable: bool, chosen: Any
) -> None:
    arrays = engine.arrays
    ranked, expected, items = [], [], iter(chosen.sample(range(500), 200))
    for table, part in enumerate(parts):
        places = [next(items) for _ in part]
        rows = [row for row in range(len(part)) if chosen.random() < 0.8]
        columns = [_numbers(arrays, [ranks[place] for ranks in part]) for place in range(3)]
        ranked.append(
            arrays.ranked(table, arrays.places(rows), tuple(columns), arrays.places(places))
        )
        expected += [(places[row], part[row], table, row) for row in rows]

    best = arrays.best_first(ranked, stable)
    best._size = first
    found = _everything(best)

    among_all = [each[1:] for each in sorted(expected)]
    keys = [tuple(-each for each in ranks) for ranks, _, _ in among_all]
    assert found == [among_all[place] for place in std_order(keys, stable)]


def _numbers(arrays: Any, numbers: list[float]) -> Any:
    found: Callable[[int, Any], Any] = arrays.full
    if not numbers:
        return found(0, 0.0) if arrays is not row_arrays else row_arrays.Vector()
    result = found(len(numbers), 0.0)
    for row, number in enumerate(numbers):
        result[row] = number
    return result
