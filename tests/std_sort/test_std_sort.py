"""The order that std::sort leaves equals in, against libstdc++'s own."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from htcq import std_sort
from htcq.std_sort import std_order, std_sorted
from tests.std_sort.gcc import compiled, drawn, orders

_GOLDEN = Path(__file__).parent.parent / "golden" / "std-sort" / "orders.json"
_RECORDED = json.loads(_GOLDEN.read_text(encoding="utf-8"))
#: So many arrays are sorted by one run of the compiled program.
_AT_ONCE = 500


@pytest.mark.parametrize("number", range(len(_RECORDED["cases"])))
def test_equals_stand_as_libstdcxx_leaves_them(number: int) -> None:
    case = _RECORDED["cases"][number]

    assert list(std_order(case["keys"])) == case["order"]


def test_the_recorded_orders_are_no_stable_ones_and_come_to_a_heap_sort(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = Counter[str]()
    plain = std_sort._Introsort._heap_sort

    def counted(self: std_sort._Introsort, begin: int, end: int) -> None:
        seen["heap sorts"] += 1
        plain(self, begin, end)

    monkeypatch.setattr(std_sort._Introsort, "_heap_sort", counted)
    for case in _RECORDED["cases"]:
        seen["unstable"] += list(std_order(case["keys"])) != list(std_order(case["keys"], True))

    assert seen["unstable"] > 40
    assert seen["heap sorts"] > 0


@pytest.mark.parametrize("count", [0, 1, 2, 16])
def test_up_to_sixteen_stand_as_they_came(count: int) -> None:
    items = [(number % 2, number) for number in range(count)]

    assert std_sorted(items, key=lambda item: item[0]) == sorted(items)


def test_the_first_places_cost_no_whole_sort() -> None:
    compared = Counter[str]()

    class Key(int):
        def __lt__(self, other: int) -> bool:
            compared["keys"] += 1
            return int(self) < int(other)

    dice = Random(0)
    keys = [Key(dice.randrange(1000)) for _ in range(10_000)]

    assert len(list(islice(std_order(keys), 10))) == 10
    assert compared["keys"] < 4 * len(keys)


def test_orders_are_those_of_the_compiler_here(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """With ``--sort-arrays N``: N arrays of 2 to 2,000 keys."""
    count = request.config.getoption("--sort-arrays")
    if not count:
        assert _RECORDED["origin"].startswith("std::sort of libstdc++, g++")
        return
    program, dice, wrong = compiled(tmp_path), Random("orders"), list[list[int]]()
    for first in range(0, count, _AT_ONCE):
        arrays = [drawn(dice) for _ in range(min(_AT_ONCE, count - first))]
        for keys, order in zip(arrays, orders(program, arrays)):
            if list(std_order(keys)) != order:
                wrong.append(keys)
    assert wrong == []
