"""Usage and quota over time as SVG: what is where."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from htcq.drift.observation import QuotaSample
from htcq.drift.windows import Window, window
from htcq.report.charts.axes import HEIGHT
from htcq.report.charts.plot import plot, scale
from tests.drift.looks import HOUR, sample
from tests.report.stories import ZONE

#: The whole width of what is stretched.
WIDE = 1000


def of(*samples: QuotaSample, until: int = HOUR) -> Window:
    found = window("chem", samples, 0, until)
    assert found is not None
    return found


def drawn(shown: Window, *happened: float, title: str = "chem") -> ET.Element:
    return ET.fromstring(plot(title, shown, happened, ZONE))


def shapes(picture: ET.Element, kind: str) -> list[dict[str, str]]:
    return [dict(shape.attrib) for shape in picture.iter() if shape.get("class") == kind]


def corners(path: str) -> list[tuple[float, float]]:
    """Return the corners of a path of horizontal and vertical lines."""
    x = y = 0.0
    found = []
    for command, one, other in re.findall(r"([MVHZ])(-?[\d.]*) ?(-?[\d.]*)", path):
        if command == "M":
            x, y = float(one), float(other)
        elif command == "V":
            y = float(one)
        elif command == "H":
            x = float(one)
        found.append((x, y))
    return found


def test_usage_and_quota_are_steps_at_their_heights() -> None:
    """Of a scale to 100, 25 is a quarter of the height, from the bottom; the look lasts the first half of the time."""
    shown = of(sample("chem", 1800, 25, 50, span=1800), sample("chem", HOUR, 50, 100, span=1800))
    (usage,), (quota,) = shapes(drawn(shown), "edge"), shapes(drawn(shown), "limit")

    assert scale(shown) == [0, 25, 50, 75, 100]
    assert corners(usage["d"])[0] == (0, HEIGHT * 0.75)
    assert corners(usage["d"])[-2:] == [(WIDE / 2, HEIGHT / 2), (WIDE, HEIGHT / 2)]
    assert corners(quota["d"])[-2:] == [(WIDE / 2, 0), (WIDE, 0)]


def test_the_area_of_the_usage_stands_on_the_ground() -> None:
    (area,) = shapes(drawn(of(sample("chem", 1800, 25, 50, span=1800))), "usage")

    assert corners(area["d"])[0] == (0, HEIGHT)
    assert corners(area["d"])[-1] == (WIDE / 2, HEIGHT)


def test_lines_break_where_nobody_looked_and_that_is_shown() -> None:
    picture = drawn(of(sample("chem", 900, 5, span=900), sample("chem", HOUR, 5, span=900)))

    assert len(shapes(picture, "edge")) == len(shapes(picture, "limit")) == 2
    assert [(each["x"], each["width"]) for each in shapes(picture, "unseen")] == [
        ("250.0", "500.0")
    ]


def test_one_look_is_seen() -> None:
    (usage,) = shapes(drawn(of(sample("chem", 1800, 5, span=0))), "edge")

    assert corners(usage["d"])[-1][0] > corners(usage["d"])[0][0] == WIDE / 2


def test_a_quota_that_nobody_knew_is_not_drawn() -> None:
    picture = drawn(
        of(sample("chem", 900, 5, None, span=900), sample("chem", HOUR, 5, 10, span=2700))
    )

    assert [corners(each["d"])[0][0] for each in shapes(picture, "limit")] == [WIDE / 4]


@pytest.mark.parametrize("state", ["starved", "over"])
def test_a_state_is_a_strip_as_high_as_its_share(state: str) -> None:
    picture = drawn(
        of(
            sample("chem", 900, span=900),
            sample("chem", 1800, span=900, **{state: 900.0}),
            sample("chem", 2700, span=900, **{state: 450.0}),
            sample("chem", HOUR, span=900, **{state: 1.0}),
        )
    )
    strips = shapes(picture, state)

    assert [(each["x"], each["width"]) for each in strips] == [
        ("250.0", "250.0"),
        ("500.0", "250.0"),
        ("750.0", "250.0"),
    ]
    assert [float(each["height"]) for each in strips] == [8, 4, 2]
    assert len({float(each["y"]) + float(each["height"]) for each in strips}) == 1


def test_looks_alike_are_one_strip() -> None:
    looks = [sample("chem", end, span=300, starved=300.0) for end in range(300, 3001, 300)]

    assert [each["width"] for each in shapes(drawn(of(*looks)), "starved")] == [
        f"{WIDE * 3000 / HOUR:.1f}"
    ]


def test_changes_and_times_are_where_they_happened() -> None:
    picture = drawn(of(sample("chem", HOUR, span=HOUR)), 900.0)
    words = [(each.get("x"), each.text) for each in picture.iter("text")]

    assert [each["x1"] for each in shapes(picture, "happened")] == ["25.00%"]
    assert words == [
        ("0.00%", "01:00"),
        ("25.00%", "01:15"),
        ("50.00%", "01:30"),
        ("75.00%", "01:45"),
        ("100.00%", "02:00"),
    ]


def test_a_group_that_uses_nothing_has_a_plot() -> None:
    shown = of(sample("chem", HOUR, 0, 0, span=HOUR))

    assert scale(shown) == [0, 1]
    assert corners(shapes(drawn(shown), "edge")[0]["d"])[-1] == (WIDE, HEIGHT)


def test_the_title_is_text_whatever_it_holds() -> None:
    title = "</title><script>alert(1)</script> & \"'"
    picture = drawn(of(sample("chem", HOUR)), title=title)

    assert picture[0].text == title
    assert picture.get("role") == "img"


def test_many_equal_looks_are_few_corners() -> None:
    looks = [sample("chem", end, 5, 10, span=300) for end in range(300, HOUR + 1, 300)]
    (quota,) = shapes(drawn(of(*looks)), "limit")

    assert len(corners(quota["d"])) == 3
