"""What every plugin of htcq prints: a state, performance data behind the only bar, then lines."""

from __future__ import annotations

import math

import pytest

from htcq.report.formats.nagios import at_most, said
from htcq.report.verdict import CRITICAL, OK, UNKNOWN, WARNING, Measure, read_range

TEN, TWENTY = read_range("10"), read_range("@20:30")


@pytest.mark.parametrize(
    ("value", "status"),
    [(0, OK), (10, OK), (11, WARNING), (20, CRITICAL), (31, WARNING), (math.nan, UNKNOWN)],
)
def test_the_worse_range_decides(value: float, status: int) -> None:
    assert Measure("groups", value, TEN, TWENTY).status == status


def test_without_ranges_every_number_is_fine() -> None:
    assert Measure("groups", 10**9).status == OK


@pytest.mark.parametrize(
    ("status", "line"),
    [(OK, "HTCQ OK: fine"), (WARNING, "HTCQ WARNING: fine"), (CRITICAL, "HTCQ CRITICAL: fine"),
     (UNKNOWN, "HTCQ UNKNOWN: fine")],
)  # fmt: skip
def test_the_state_is_told_in_words(status: int, line: str) -> None:
    assert said("HTCQ", status, "fine") == line


@pytest.mark.parametrize(
    ("measure", "data"),
    [
        (Measure("groups", 3), "groups=3"),
        (Measure("groups", 3, TEN, TWENTY, 0, 40), "groups=3;10;@20:30;0;40"),
        (Measure("groups", 3, least=0), "groups=3;;;0"),
        (Measure("weight", 12.25, most=1_234_567.5), "weight=12.25;;;;1234567.5"),
        (Measure("weight", 1e9), "weight=1000000000"),
        (Measure("weight", -1e-9), "weight=0"),
        (Measure("weight", math.nan), "weight=U"),
        (Measure("two words", 1), "'two words'=1"),
        (Measure("it's", 1), "'it''s'=1"),
        (Measure("a=b", 1), "'a=b'=1"),
        (Measure("a|b", 1), "'a/b'=1"),
    ],
)
def test_performance_data_are_written_as_the_guidelines_say(measure: Measure, data: str) -> None:
    assert said("HTCQ", OK, "fine", [measure]) == f"HTCQ OK: fine | {data}"


def test_nothing_that_is_told_breaks_a_line_or_begins_performance_data() -> None:
    printed = said(
        "HTCQ", OK, "a|b\nc", [Measure("x", 1), Measure("y", 2)], ["d|e\nf", "\x1b[31mred"]
    )

    assert printed == "HTCQ OK: a/b c | x=1 y=2\nd/e f\n\\x1b[31mred"


def test_of_many_lines_the_first_are_told_and_how_many_more_there_are() -> None:
    lines = [str(number) for number in range(12)]

    assert at_most(lines) == [*lines[:10], "and 2 more"]
    assert at_most(lines[:10]) == lines[:10]
