"""The page of a simulation in a browser: it loads nothing, and can be read on a phone, in the dark and on paper."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from htcq.report.charts.fill_chart import MAX_CELLS
from htcq.report.pages.course import course_page
from htcq.report.pages.cycle import cycle_page
from htcq.report.views.course import course_json, what_if_course_json
from htcq.report.views.cycle import cycle_json
from htcq.simulate.course.machines import CLASSES
from htcq.units import show_number
from tests.browser.conftest import PAGE, Browser
from tests.report.simulations import (
    AFTER,
    BEFORE,
    CHANGES,
    CROWD,
    ONE,
    OTHER,
    PLAIN,
    PLAIN_ONE,
    PLAN,
    POOL,
    SCRIPT,
    UNGROUPED,
    crowd,
)

pytestmark = pytest.mark.browser

_PAGES: dict[str, Callable[[], str]] = {
    "course": lambda: course_page(BEFORE, None, PLAN, POOL),
    "courses": lambda: course_page(BEFORE, AFTER, PLAN, POOL, CHANGES),
    "ungrouped": lambda: course_page(UNGROUPED, None, PLAN, PLAIN),
    "cycle": lambda: cycle_page(ONE, None, POOL),
    "cycles": lambda: cycle_page(ONE, OTHER, POOL, CHANGES),
    "plain": lambda: cycle_page(PLAIN_ONE, None, PLAIN),
}
#: What must be told apart in a picture.
_LINES = (
    ((".plot .edge", "stroke"), PAGE),
    ((".plot .edge", "stroke"), (".plot .usage", "fill")),
    ((".plot .limit", "stroke"), PAGE),
    ((".plot .limit", "stroke"), (".plot .usage", "fill")),
)
_CELLS = (
    ((".cell .used", "fill"), (".cell .track", "fill")),
    ((".cell .memory", "fill"), (".cell .track", "fill")),
)
#: Seconds in which a page of many machines is there, on a machine that has other things to do.
_SOON = 10.0
#: The cells of the table with this caption, row by row.
_TABLE = """const table = [...document.querySelectorAll('table')]
  .find((each) => each.caption.textContent === arguments[0]);
return [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));"""


def _written(directory: Path, name: str) -> Path:
    page = directory / "simulate.html"
    page.write_text(_PAGES[name](), encoding="utf-8")
    return page


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return _written(tmp_path, "courses")


@pytest.mark.parametrize("name", _PAGES)
def test_a_page_loads_nothing_and_has_no_complaint(
    name: str, browser: Browser, tmp_path: Path
) -> None:
    page = _written(tmp_path, name)
    browser.open(page)
    browser.driver.find_element(By.TAG_NAME, "summary").click()

    assert {url for url in browser.requests() if not url.startswith("data:")} == {page.as_uri()}
    assert browser.complaints() == []


def test_names_of_the_pool_run_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)

    assert browser.driver.title == "htcq simulate: cm.example.net"
    assert f"chemistry.{SCRIPT}@site" in browser.driver.find_element(By.TAG_NAME, "main").text


def test_a_script_of_somebody_else_would_be_blocked(browser: Browser, page: Path) -> None:
    assert browser.title_after_a_script_of_somebody_else(page) == "htcq simulate: cm.example.net"
    assert any("Content Security Policy" in each for each in browser.complaints())


def test_every_section_is_seen(browser: Browser, page: Path) -> None:
    browser.open(page)

    assert [each.text for each in browser.driver.find_elements(By.CSS_SELECTOR, "main h2")] == [
        "Usage against quota over time", "Fill of the machines", "The largest job that still fits", "Waiting times",
        "Matches and rejections",
    ]  # fmt: skip
    shown = browser.driver.find_element(By.TAG_NAME, "header").text
    assert "GROUP_QUOTA_biology = 26" in shown
    assert "group biology: the quota of biology goes from 12 to 26" in shown


def test_the_usage_of_groups_is_that_of_the_json(browser: Browser, page: Path) -> None:
    browser.open(page)
    both = what_if_course_json(BEFORE, AFTER, PLAN, 7, POOL, CHANGES)
    rows = {
        (row[0], row[1]): row[2:] for row in browser.run(_TABLE, "Usage of each group, slot weight")
    }

    for when, word in (("before", "before"), ("after", "after")):
        cycles = both[when]["cycles"]
        for name in cycles[0]["groups"]:
            used = [each["groups"][name] for each in cycles]
            numbers = (
                used[0],
                sum(used) / len(used),
                max(used),
                used[-1],
                cycles[-1]["quotas"][name],
            )
            assert rows[name, word] == [show_number(number) for number in numbers]
    assert len(rows) == 2 * len(BEFORE.samples[0].groups)


def test_every_cycle_is_that_of_the_json(browser: Browser, tmp_path: Path) -> None:
    browser.open(_written(tmp_path, "course"))
    names = (
        "matches",
        "rejections",
        "started",
        "reused",
        "running",
        "idle",
        "cpus",
        "largest_cpus",
        "largest_memory_mb",
    )
    cycles = course_json(BEFORE, PLAN, 7, POOL)["cycles"]

    assert [row[1:] for row in browser.run(_TABLE, "Cycle by cycle")] == [
        [show_number(each[name]) for name in names] for each in cycles
    ]


def test_machines_and_waits_are_those_of_the_json(browser: Browser, tmp_path: Path) -> None:
    browser.open(_written(tmp_path, "course"))
    told = course_json(BEFORE, PLAN, 7, POOL)
    machines = {row[0]: row[1:] for row in browser.run(_TABLE, "Machines, after the last cycle")}
    waits = {row[0]: row[1:3] for row in browser.run(_TABLE, "Jobs of each submitter")}

    amounts = ("claimed_cpus", "cpus", "claimed_memory_mb", "memory_mb")
    assert machines == {
        each["name"]: [show_number(each[name]) for name in amounts] for each in told["machines"]
    }
    assert waits == {
        each["submitter"]: [str(each["started"]), str(each["waiting"])] for each in told["waits"]
    }


def test_one_cycle_is_that_of_the_json(browser: Browser, tmp_path: Path) -> None:
    browser.open(_written(tmp_path, "cycle"))
    told = cycle_json(ONE, POOL)
    matches = browser.run(_TABLE, f"Matches: {len(told['matches'])}")
    rejections = browser.run(_TABLE, f"Rejections: {len(told['rejections'])}")
    largest = browser.run(
        _TABLE, "The largest job that still fits: the most that is free in any one slot"
    )

    assert [row[1:4] for row in matches] == [
        [each["job"], each["submitter"], each["slot"]] for each in told["matches"]
    ]
    assert rejections == [
        [each["job"], each["submitter"], each["reason"]] for each in told["rejections"]
    ]
    assert [row[1:] for row in largest] == [
        [show_number(told["fill"][when][name]) for name in ("largest_cpus", "largest_memory_mb")]
        for when in ("before", "after")
    ]


def test_base_and_what_if_stand_beside_each_other_where_there_is_room(
    browser: Browser, page: Path
) -> None:
    places = (
        "return [...document.querySelector('figure').querySelectorAll('svg.plot')]"
        ".map((each) => each.getBoundingClientRect()).map((box) => [box.x, box.y])"
    )
    browser.open(page)
    (left, top), (right, same) = browser.run(places)
    assert (left < right, top) == (True, same)

    browser.open(page, 320)
    (left, top), (right, below) = browser.run(places)
    assert (left, top < below) == (right, True)


def test_the_keyboard_skips_to_the_first_section(browser: Browser, page: Path) -> None:
    link = browser.first_by_keyboard(page)

    assert link.text == "Skip to Usage against quota over time"
    link.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "usage"


def test_without_javascript_everything_is_there(browser: Browser, page: Path) -> None:
    browser.without_scripts(page)

    assert browser.run("return document.scripts.length") == 0
    numbers = browser.driver.find_element(By.TAG_NAME, "details")
    numbers.find_element(By.TAG_NAME, "summary").click()
    assert "node1" in numbers.text


@pytest.mark.parametrize("width", [320, 800, 1280])
@pytest.mark.parametrize("name", _PAGES)
def test_nothing_is_wider_than_the_window(
    width: int, name: str, browser: Browser, tmp_path: Path
) -> None:
    browser.open(_written(tmp_path, name), width)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")

    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.scrolling() == 0


@pytest.mark.parametrize("width", [320, 1280])
def test_words_of_an_axis_do_not_lie_on_each_other(
    width: int, browser: Browser, page: Path
) -> None:
    browser.open(page, width)
    plots = browser.run(
        "return [...document.querySelectorAll('svg.plot')].map((each) => "
        "[...each.querySelectorAll('text')]"
        ".map((text) => text.getBoundingClientRect()).map((box) => [box.left, box.right]))"
    )

    assert min(map(len, plots)) > 2
    assert all(one[1] < other[0] for words in plots for one, other in zip(words, words[1:]))


def test_amounts_stand_beside_their_lines(browser: Browser, page: Path) -> None:
    browser.open(page)
    marks, lines = browser.run(
        "const chart = document.querySelector('.chart');"
        "const middle = (each) => { const box = each.getBoundingClientRect(); return (box.top + "
        "box.bottom) / 2; };"
        "const lines = [...chart.querySelectorAll('.grid')].filter((line) => "
        "line.getAttribute('x2') === '100%');"
        "return [[...chart.querySelectorAll('.scale span')].map(middle), lines.map(middle)]"
    )

    assert len(marks) == len(lines) > 2
    assert all(abs(mark - line) < 2 for mark, line in zip(marks, lines))


def test_a_quota_is_dashed_and_as_thick_however_wide_the_plot_is(
    browser: Browser, page: Path
) -> None:
    browser.open(page)
    dashes, effect = browser.run(
        "const style = getComputedStyle(document.querySelector('.plot .limit'));"
        "return [style.strokeDasharray, style.vectorEffect]"
    )

    assert dashes != "none"
    assert effect == "non-scaling-stroke"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["courses", "cycles"])
def test_every_text_has_contrast(scheme: str, name: str, browser: Browser, tmp_path: Path) -> None:
    browser.open(_written(tmp_path, name), scheme=scheme)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    contrasts = browser.contrasts()

    assert len(contrasts) > 60
    assert [each for each in contrasts if each[1] < 4.5] == []
    assert min(browser.contrasts_of_bars()) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_line_has_contrast_and_bands_are_told_apart(
    scheme: str, browser: Browser, page: Path
) -> None:
    browser.open(page, scheme=scheme)
    fills = browser.run(
        "return [...document.querySelectorAll('.key li')].filter((each) => "
        "each.className.startsWith('fill'))"
        ".map((each) => getComputedStyle(each, '::before').backgroundColor)"
    )

    assert [
        pair
        for pair, ratio in zip(_LINES + _CELLS, browser.contrasts_of(_LINES + _CELLS))
        if ratio < 3
    ] == []
    assert len(set(fills)) == len(fills) == CLASSES


def test_dark_is_dark(browser: Browser, page: Path) -> None:
    assert browser.brightness(page, "light") > 600
    assert browser.brightness(page, "dark") < 200


def test_paper_is_white_and_as_wide_as_it_is(browser: Browser, page: Path) -> None:
    browser.open(page, 1047)
    browser.emulate("dark", "print")

    assert (
        browser.run("return getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert not browser.driver.find_element(By.TAG_NAME, "nav").is_displayed()
    assert browser.run("return document.documentElement.scrollWidth") <= 1047


def test_a_plot_is_an_image_with_a_name(browser: Browser, page: Path) -> None:
    browser.open(page)
    pictures = browser.driver.find_elements(By.CSS_SELECTOR, "svg.plot, svg.bar")
    used = [sample.groups["biology"] for sample in BEFORE.samples]
    told = ", ".join(
        f"{word} {show_number(number)}"
        for word, number in (
            ("mean", sum(used) / len(used)),
            ("max", max(used)),
            ("last", used[-1]),
            ("quota", 12),
        )
    )

    assert {picture.aria_role for picture in pictures} <= {"img", "image"}
    assert f"biology, before: {told}" in {each.accessible_name for each in pictures}


def test_tables_stay_tables_on_a_phone_and_every_number_says_what_it_is(
    browser: Browser, page: Path
) -> None:
    browser.open(page, 320)
    cells = browser.driver.find_elements(By.CSS_SELECTOR, "#usage ~ table tbody tr:first-child > *")

    assert [cell.aria_role for cell in cells] == ["rowheader", *["cell"] * 6]
    assert cells[0].rect["y"] < cells[1].rect["y"]
    named = "return getComputedStyle(arguments[0], '::before').content"
    assert [browser.run(named, cell) for cell in cells[1:3]] == ['"pool"', '"first"']


@pytest.mark.parametrize("width", [320, 1280])
def test_a_page_of_many_machines_opens(width: int, browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "crowd.html"
    page.write_text(course_page(crowd(BEFORE), crowd(AFTER), PLAN, POOL, CHANGES), encoding="utf-8")
    begun = time.monotonic()
    browser.open(page, width)

    assert browser.run("return document.readyState") == "complete"
    assert time.monotonic() - begun < _SOON
    assert page.stat().st_size < 1_000_000
    assert browser.run("return document.querySelectorAll('.cell').length") == 2 * MAX_CELLS
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert f"{CROWD:,} machines" in browser.driver.find_element(By.CSS_SELECTOR, ".machines").text
    rows = browser.run(_TABLE, "How many machines have so much of their cpus in claims")
    assert sum(int(row[1].replace(",", "")) for row in rows) == CROWD
