"""Long ranges are parted as arrays: the order is that of the sort element by element, which g++'s own orders prove."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from htcq.columns.arrays import Ranked, best_first
from htcq.std_sort import std_order


def order_of(ranks: list[list[float]]) -> list[int]:
    """Return the places of slots, the best first, where each has a number in every one of ``ranks``."""
    count = len(ranks[0])
    part = Ranked(0, np.arange(count), tuple(np.array(each) for each in ranks), np.arange(count))
    best, found = best_first([part]), list[int]()
    while len(found) < count:
        found += best.more()[2].tolist()
    return found


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_arrays_are_sorted_as_elements_are(columns: int) -> None:
    random = Random(columns)
    for _ in range(60):
        count, values = random.choice([257, 300, 700, 2000]), random.choice([1, 2, 5, 100, 10**6])
        ranks = [[float(random.randrange(values)) for _ in range(count)] for _ in range(columns)]
        if random.random() < 0.2:
            ranks[0].sort(reverse=random.random() < 0.5)
        keys = [tuple(-rank for rank in of_slot) for of_slot in zip(*ranks)]
        assert order_of(ranks) == list(std_order(keys)), (count, values)
