"""Amounts cycle after cycle as SVG: what is where."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from htcq.report.charts.axes import HEIGHT
from htcq.report.charts.curves import MAX_STEPS, bands, curves
from tests.report.test_plot import WIDE, corners, shapes

MARKS = (0.0, 5.0, 10.0)


def drawn(
    *amounts: float, limits: tuple[float, ...] = (), until: float = 100.0, title: str = "a"
) -> ET.Element:
    return ET.fromstring(curves(title, MARKS, amounts, limits, until, 25.0))


def test_each_amount_holds_until_the_next_cycle() -> None:
    """Four cycles of 25 s in 100 s; 5 of 10 is half the height."""
    picture = drawn(5, 10, 10, 0, limits=(10, 10, 5, 5))
    (usage,), (limit,) = shapes(picture, "edge"), shapes(picture, "limit")

    assert corners(usage["d"])[-5:] == [
        (WIDE / 4, HEIGHT / 2), (WIDE / 4, 0), (WIDE * 3 / 4, 0), (WIDE * 3 / 4, HEIGHT), (WIDE, HEIGHT),
    ]  # fmt: skip
    assert corners(limit["d"])[-3:] == [(WIDE / 2, 0), (WIDE / 2, HEIGHT / 2), (WIDE, HEIGHT / 2)]
    assert corners(shapes(picture, "usage")[0]["d"])[-1] == (WIDE, HEIGHT)


def test_a_course_that_ends_early_is_not_drawn_on() -> None:
    assert corners(shapes(drawn(5, 5), "edge")[0]["d"])[-1] == (WIDE / 2, HEIGHT / 2)


def test_without_a_quota_there_is_no_line() -> None:
    assert shapes(drawn(5), "limit") == []
    assert shapes(drawn(), "edge") == []


def test_many_cycles_are_few_steps_that_keep_the_mean() -> None:
    picture = drawn(*(0.0, 10.0) * MAX_STEPS, until=50.0 * MAX_STEPS)
    (usage,) = shapes(picture, "edge")

    assert corners(usage["d"])[-1] == (WIDE, HEIGHT / 2)
    assert len(corners(usage["d"])) < 4


def test_every_mark_and_time_has_its_place() -> None:
    picture = drawn(5)
    words = [(each.get("x"), each.text) for each in picture.iter("text")]

    assert [each["y1"] for each in shapes(picture, "grid") if each["x2"] == "100%"] == [
        "168",
        "88",
        "8",
    ]
    assert words == [("0.00%", "0 min"), ("60.00%", "1 min")]


def test_bands_lie_on_each_other() -> None:
    """Of ten machines 5 are full and 3 half full at first, then all ten are full."""
    counts = [(2, 3, 5), (0, 0, 10)]
    picture = ET.fromstring(bands("a", MARKS, counts, 50.0, 25.0))
    tops = [corners(shapes(picture, f"fill{number}")[0]["d"])[1][1] for number in range(3)]

    assert tops == [0, HEIGHT * 0.2, HEIGHT / 2]
    assert all(
        (WIDE, 0) in corners(shapes(picture, f"fill{number}")[0]["d"]) for number in range(3)
    )


def test_a_class_that_is_never_there_is_not_drawn() -> None:
    picture = ET.fromstring(bands("a", MARKS, [(4, 6, 0)], 25.0, 25.0))

    assert [len(shapes(picture, f"fill{number}")) for number in range(3)] == [1, 1, 0]
    assert shapes(ET.fromstring(bands("a", MARKS, [], 25.0, 25.0)), "fill0") == []


def test_the_title_is_text_whatever_it_holds() -> None:
    title = "</title><script>alert(1)</script> & \"'"
    picture = drawn(1, title=title)

    assert picture[0].text == title
    assert picture.get("role") == "img"
