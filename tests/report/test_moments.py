"""Moments and lengths of time as text."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from htcq.report.moments import iso, lasting, moment, zone_name

CET = timezone(timedelta(hours=1), "CET")


def test_a_moment_is_shown_by_the_clocks_of_its_zone() -> None:
    assert moment(0, CET) == "1970-01-01 01:00"
    assert moment(1793607300, timezone.utc) == "2026-11-02 08:15"
    assert zone_name(0, CET) == "CET"


def test_machines_get_utc() -> None:
    assert iso(1793607300) == "2026-11-02T08:15:00+00:00"


@pytest.mark.parametrize(
    ("seconds", "year"), [(1e30, 9998), (-1e30, 2), (float("inf"), 9998), (float("nan"), 2)]
)
@pytest.mark.parametrize("zone", [None, CET, timezone(timedelta(hours=-23))])
def test_a_moment_out_of_range_is_the_nearest_that_can_be_shown(
    seconds: float, year: int, zone: timezone | None
) -> None:
    assert int(moment(seconds, zone).partition("-")[0]) == pytest.approx(year, abs=1)
    assert int(iso(seconds).partition("-")[0]) == year


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (90, "1.5 min"),
        (25200, "7 h"),
        (86400, "1 d"),
        (131328, "1.5 d"),
    ],
)
def test_a_length_is_in_its_greatest_unit(seconds: float, text: str) -> None:
    assert lasting(seconds) == text
