"""Usage against a limit as characters."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.report.charts.bars import BLOCKS, MARKS, bar_legend, use_bar

AMOUNTS = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("before", "after", "limit", "bar"),
    [
        (0, 0, 8, "........"),
        (2, 5, 8, "##+++..."),
        (8, 8, 8, "########"),
        (0, 16, 8, "++++^^^^"),
        (12, 16, 8, "####^^^^"),
        (0, 3, 0, "^^^^^^^^"),
        (0.01, 0.02, 8, "#+......"),
        (7.99, 8, 8, "#######+"),
    ],
)
def test_a_bar_is_the_limit_or_what_is_used_if_that_is_more(
    before: float, after: float, limit: float, bar: str
) -> None:
    assert use_bar(before, after, limit, 8, blocks=False) == bar


@pytest.mark.parametrize("limit", [None, math.inf, 0])
def test_without_a_limit_there_is_no_bar(limit: float | None) -> None:
    assert use_bar(0, 0, limit, 8, blocks=False) == ""


@given(AMOUNTS, AMOUNTS, st.floats(0.1, 1e6), st.integers(4, 40))
def test_every_bar_is_as_wide_as_it_is_asked_to_be(
    before: float, more: float, limit: float, width: int
) -> None:
    bar = use_bar(before, before + more, limit, width, blocks=False)

    assert len(bar) == width
    assert set(bar) <= set(MARKS)
    assert ("^" in bar) is (before + more > limit)


def test_both_alphabets_say_the_same() -> None:
    plain, drawn = (use_bar(2, 12, 8, 12, blocks) for blocks in (False, True))

    assert plain.translate(str.maketrans(dict(zip(MARKS, BLOCKS)))) == drawn
    assert all(mark in bar_legend("a limit", False) for mark in MARKS)
    assert bar_legend("a limit", False).isascii()
