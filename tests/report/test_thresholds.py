"""Ranges of monitoring plugins: the table of their guidelines, and what is no range."""

from __future__ import annotations

import math

import pytest

from htcq.errors import InputError
from htcq.report.verdict import read_range


@pytest.mark.parametrize(
    ("text", "alerts", "fine"),
    [
        ("10", (-1, -0.001, 10.001, 11), (0, 5, 10)),
        ("10:", (-1, 0, 9.999), (10, 11, math.inf)),
        ("~:10", (10.001, 11, math.inf), (-math.inf, -1, 0, 10)),
        ("10:20", (0, 9.999, 20.001, math.inf), (10, 15, 20)),
        ("@10:20", (10, 15, 20), (0, 9.999, 20.001, math.inf)),
        ("0", (-1, 0.001, 1), (0,)),
        ("@0", (0,), (-1, 1)),
        ("@~:0", (-math.inf, -1, 0), (1,)),
        ("~:", (), (-math.inf, 0, math.inf)),
        (":10", (-1, 11), (0, 10)),
        ("-5:-2.5", (-6, -2, 0), (-5, -3, -2.5)),
        ("10:10", (9, 11), (10,)),
    ],
)
def test_a_value_alerts_as_the_guidelines_say(
    text: str, alerts: tuple[float, ...], fine: tuple[float, ...]
) -> None:
    given = read_range(text)

    assert [value for value in (*alerts, *fine) if given.alerts(value)] == list(alerts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "@",
        "~",
        "x",
        "10:x",
        "1,5",
        "10:20:30",
        "20:10",
        "0:~",
        "1e3",
        "nan",
        "inf",
        "@@1",
        "10 20",
    ],
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="range"):
        read_range(text)


def test_no_number_is_in_no_range() -> None:
    assert read_range("~:").alerts(math.nan)
    assert not read_range("@~:").alerts(math.nan)
