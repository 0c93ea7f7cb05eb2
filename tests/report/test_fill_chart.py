"""Cells of machines: which machines are in which, and what is drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from htcq.report.charts.fill_chart import cell_picture, cells
from htcq.simulate.course.machines import Machine


def machine(name: str, claimed: float, memory: float = 0.0, cpus: float = 8.0) -> Machine:
    return Machine(name, cpus, claimed, 1024.0, memory)


def test_the_fullest_machine_comes_first() -> None:
    given = [machine("c", 0), machine("b", 8), machine("a", 4), machine("d", 4, 512)]

    assert [cell.name for cell in cells(given)] == ["b", "d", "a", "c"]


def test_more_machines_than_cells_share_them() -> None:
    given = [machine(f"node{number}", 8 if number < 2 else 2) for number in range(5)]
    found = list(cells(given, most=3))

    assert [cell.name for cell in found] == [
        "2 machines, node0 to node1",
        "2 machines, node2 to node3",
        "node4",
    ]
    assert [cell.numbers[:2] for cell in found] == [("16", "16"), ("4", "16"), ("2", "8")]
    assert [cell.whole.share for cell in found] == [1, 0.25, 0.25]


def test_no_machine_is_no_cell() -> None:
    assert list(cells([])) == []


def test_a_cell_is_two_bars_from_the_ground() -> None:
    (cell,) = cells([machine("node1", 6, 256)])
    picture = ET.fromstring(cell_picture(cell))
    used, memory = (
        next(dict(each.attrib) for each in picture if each.get("class") == kind)
        for kind in ("used", "memory")
    )

    assert picture[0].text == "node1: 6 of 8 cpus, 256 of 1,024 MB in claims"
    assert (used["y"], used["height"]) == ("5", "15")
    assert (memory["y"], memory["height"]) == ("15", "5")


def test_a_little_is_seen_and_nothing_is_not() -> None:
    shown = [cell_picture(cell) for cell in cells([machine("a", 0.01), machine("b", 0)])]
    heights = [
        next(each.get("height") for each in ET.fromstring(one) if each.get("class") == "used")
        for one in shown
    ]

    assert heights == ["1", "0"]


def test_names_stay_text() -> None:
    (cell,) = cells([machine("<b>&\"'\x1b", 1)])

    assert (ET.fromstring(cell_picture(cell))[0].text or "").startswith("<b>&\"'\\x1b: 1 of 8")
