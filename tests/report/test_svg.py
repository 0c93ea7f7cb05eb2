"""Bars as inline SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from htcq.report.charts.svg import group_bar, share_bar


def _widths(svg: str) -> list[str]:
    return [
        shape.get("width") or shape.get("x1") or ""
        for shape in ET.fromstring(svg)
        if shape.tag != "title"
    ]


def test_a_share_is_a_part_of_the_width() -> None:
    assert _widths(share_bar("x", 0.25)) == ["100.00%", "25.00%"]


def test_a_group_is_drawn_to_scale() -> None:
    assert _widths(group_bar("x", quota=50, usage=20, requested=80, scale=200)) == [
        "40.00%",
        "10.00%",
        "25.00%",
    ]


@pytest.mark.parametrize(("share", "width"), [(-1, "0.00%"), (3, "100.00%")])
def test_nothing_leaves_the_picture(share: float, width: str) -> None:
    assert _widths(share_bar("x", share))[1] == width


def test_a_pool_of_nothing_has_empty_bars() -> None:
    assert _widths(group_bar("x", 0, 0, 0, scale=0)) == ["0.00%", "0.00%", "0.00%"]


def test_the_title_is_text_whatever_it_holds() -> None:
    title = "</title><script>alert(1)</script> & \"'"
    picture = ET.fromstring(share_bar(title, 0.5))

    assert picture[0].text == title
    assert picture.get("role") == "img"
