"""Usage against the quota as characters."""

from __future__ import annotations

import pytest

from htcq.drift.windows import Point, window
from htcq.report.charts.spark import BLOCKS, MARKS, shows_blocks, spark
from tests.drift.looks import sample


def points(*usages: float, quota: float | None = 80.0, span: int = 10) -> tuple[Point, ...]:
    """Return points that follow each other from 0 on."""
    looks = [
        sample("chem", (number + 1) * span, usage, quota, span)
        for number, usage in enumerate(usages)
    ]
    found = window("chem", looks, 0, len(usages) * span)
    assert found is not None
    return found.points


def test_each_eighth_of_the_quota_has_its_character() -> None:
    """10 of 80 is one eighth; 80 is all of it, and anything more is another matter."""
    usages = (0, 10, 20, 30, 40, 50, 60, 70, 80, 81)

    assert spark(points(*usages), 0, 100, 10, blocks=True) == "▁▂▃▄▅▆▇██▲"
    assert spark(points(*usages), 0, 100, 10, blocks=False) == "_.:-=+*##^"


def test_a_character_is_the_mean_of_its_time() -> None:
    assert spark(points(0, 80, 40, 40), 0, 40, 2, blocks=False) == "=="
    assert spark(points(40), 0, 10, 3, blocks=False) == "==="


def test_what_nobody_saw_is_blank() -> None:
    seen = points(80, 80, 80, 80)

    assert spark((seen[0], seen[3]), 0, 40, 4, blocks=False) == "#  #"
    assert spark((), 0, 40, 4, blocks=False) == "    "


def test_one_look_is_seen() -> None:
    assert spark(points(80, span=0), -1, 3, 4, blocks=False) == " #  "


def test_without_a_quota_the_most_that_was_used_is_the_measure() -> None:
    assert spark(points(0, 5, 10, quota=None), 0, 30, 3, blocks=False) == "_=#"


def test_of_a_quota_of_nothing_any_usage_is_too_much() -> None:
    assert spark(points(0, 5, quota=0.0), 0, 20, 2, blocks=False) == "_^"


def test_what_is_nearly_the_quota_is_not_over() -> None:
    assert spark(points(80.5), 0, 10, 1, blocks=False) == "#"


@pytest.mark.parametrize(
    ("encoding", "can"),
    [
        ("utf-8", True),
        ("UTF-8", True),
        ("ascii", False),
        ("latin-1", False),
        (None, False),
        ("no", False),
    ],
)
def test_blocks_are_for_those_who_can_show_them(encoding: str | None, can: bool) -> None:
    assert shows_blocks(encoding) is can


def test_both_alphabets_have_as_many_levels() -> None:
    assert len(BLOCKS) == len(MARKS) == 9
    assert MARKS.isascii()
