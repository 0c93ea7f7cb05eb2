"""Marks of axes: round, even, within the plot, and not too many."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.report.charts.ticks import amounts, moments, spans

CET = timezone(timedelta(hours=1), "CET")
DAY = 86400


def at(text: str, zone: tzinfo = CET) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def texts(since: str, until: str, zone: tzinfo = CET) -> list[str]:
    return [tick.text for tick in moments(at(since, zone), at(until, zone), zone=zone)]


@pytest.mark.parametrize(
    ("most", "marks"),
    [
        (100, [0, 25, 50, 75, 100]),
        (177, [0, 50, 100, 150, 200]),
        (0.7, [0, 0.2, 0.4, 0.6, 0.8]),
        (3, [0, 1, 2, 3]),
        (0, [0, 1]),
        (float("inf"), [0, 1]),
        (float("nan"), [0, 1]),
    ],
)
def test_amounts_are_round(most: float, marks: list[float]) -> None:
    assert amounts(most) == pytest.approx(marks)


@given(st.floats(1e-6, 1e12))
def test_amounts_reach_up_to_the_most_and_are_few(most: float) -> None:
    marks = amounts(most)

    assert marks[0] == 0
    assert marks[-1] >= most * (1 - 1e-6)
    assert 2 <= len(marks) <= 5
    assert marks[-1] <= most * 2.6


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2026-11-01 00:00", "2026-12-04 00:00", ["2 Nov", "9 Nov", "16 Nov", "23 Nov", "30 Nov"]),
        ("2026-11-02 20:10", "2026-11-03 08:10", ["21:00", "3 Nov", "03:00", "06:00"]),
        ("2026-11-02 08:00", "2026-11-02 08:20", ["08:00", "08:05", "08:10", "08:15", "08:20"]),
        ("2026-01-15", "2026-12-15", ["Mar 2026", "May 2026", "Jul 2026", "Sep 2026", "Nov 2026"]),
        ("2022-06-01", "2026-06-01", ["Jan 2023", "Jan 2024", "Jan 2025", "Jan 2026"]),
    ],
)
def test_moments_are_round_by_the_clocks_of_the_zone(
    since: str, until: str, expected: list[str]
) -> None:
    assert texts(since, until) == expected


def test_two_weeks_are_marked_by_days_that_are_evenly_apart() -> None:
    marks = moments(at("2026-10-20"), at("2026-11-05"), zone=CET)

    assert {later.moment - tick.moment for tick, later in zip(marks, marks[1:])} == {4 * DAY}


def test_midnight_stays_midnight_when_clocks_are_set_back() -> None:
    """In Berlin the 25th of October 2026 has 25 hours."""
    berlin = ZoneInfo("Europe/Berlin")
    marks = moments(at("2026-10-24", berlin), at("2026-10-27", berlin), zone=berlin)

    assert [tick.text for tick in marks] == ["24 Oct", "25 Oct", "26 Oct", "27 Oct"]
    assert [later.moment - tick.moment for tick, later in zip(marks, marks[1:])] == [
        86400,
        90000,
        86400,
    ]


@given(st.integers(0, 2_000_000_000), st.integers(60, 30 * 365 * DAY))
def test_moments_are_within_the_time_and_few(since: int, length: int) -> None:
    marks = moments(since, since + length, zone=CET)

    assert 0 < len(marks) <= 5 or length < 300
    assert all(since <= tick.moment <= since + length for tick in marks)
    assert [tick.moment for tick in marks] == sorted({tick.moment for tick in marks})


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        (1, ["0 s", "1 s"]),
        (60, ["0 s", "20 s", "40 s", "60 s"]),
        (600, ["0 min", "5 min", "10 min"]),
        (5400, ["0 min", "30 min", "60 min", "90 min"]),
        (3 * 3600, ["0 h", "1 h", "2 h", "3 h"]),
        (10 * DAY, ["0 d", "5 d", "10 d"]),
    ],
)
def test_lengths_of_time_are_round(until: float, expected: list[str]) -> None:
    assert [tick.text for tick in spans(until)] == expected


@given(st.floats(1, 1e10))
def test_lengths_of_time_begin_at_nothing_and_are_few(until: float) -> None:
    found = [tick.moment for tick in spans(until)]

    assert found[0] == 0
    assert 2 <= len(found) <= 4
    assert found[-1] <= until
