"""The page of group quotas in a browser: it works, loads nothing, and can be read on a phone, in the dark, on paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from htcq.poolquota.report import PoolQuotaReport
from htcq.report.pages.quota import quota_page
from tests.browser.conftest import Browser
from tests.report.quota_pages import CHANGED, CHANGES, LONG, OTHER, PLAIN, SCRIPT, SITE

pytestmark = pytest.mark.browser

_SHOWN = """return [...document.querySelectorAll('.groups tbody')].filter((row) => row.checkVisibility())
  .map((row) => row.dataset.name)"""
_ALL = [each.name for each in SITE.standings]


def _written(directory: Path, *looks: tuple[PoolQuotaReport, PoolQuotaReport | None]) -> Path:
    page = directory / "quota.html"
    page.write_text(quota_page(looks, CHANGES), encoding="utf-8")
    return page


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return _written(tmp_path, (SITE, None))


@pytest.fixture
def several(tmp_path: Path) -> Path:
    return _written(tmp_path, (SITE, CHANGED), (OTHER, OTHER))


def _fold(browser: Browser, name: str) -> None:
    browser.driver.find_element(By.CSS_SELECTOR, f"tbody[data-name='{name}'] button").send_keys(
        Keys.ENTER
    )


def _filter(browser: Browser, words: str) -> str:
    browser.driver.find_element(By.ID, "text").send_keys(words)
    return browser.driver.find_element(By.ID, "shown").text


def test_the_page_loads_nothing_and_has_no_complaint(browser: Browser, several: Path) -> None:
    browser.open(several)
    _filter(browser, "physics")
    browser.driver.find_element(By.CSS_SELECTOR, "summary").click()

    assert {url for url in browser.requests() if not url.startswith("data:")} == {several.as_uri()}
    assert browser.complaints() == []


def test_names_of_the_pool_run_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)

    assert browser.driver.title == "htcq quota: cm.example.net"
    assert f"Why group_chemistry.{SCRIPT}" in [
        each.text for each in browser.driver.find_elements(By.TAG_NAME, "summary")
    ]


def test_a_script_of_somebody_else_would_be_blocked(browser: Browser, page: Path) -> None:
    assert browser.title_after_a_script_of_somebody_else(page) == "htcq quota: cm.example.net"
    assert any("Content Security Policy" in each for each in browser.complaints())


def test_a_subtree_folds_away_and_comes_back_as_it_was(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run(_SHOWN) == _ALL

    _fold(browser, "group_physics.production")
    without_long = [name for name in _ALL if name != LONG]
    assert browser.run(_SHOWN) == without_long

    _fold(browser, "group_physics")
    assert browser.run(_SHOWN) == [name for name in _ALL if not name.startswith("group_physics.")]

    _fold(browser, "group_physics")
    assert browser.run(_SHOWN) == without_long


def test_what_a_button_folds_is_said_to_those_who_do_not_see(browser: Browser, page: Path) -> None:
    browser.open(page)
    button = browser.driver.find_element(By.CSS_SELECTOR, "tbody[data-name='group_physics'] button")

    assert (button.accessible_name, button.get_attribute("aria-expanded")) == (
        "Groups below group_physics",
        "true",
    )
    button.click()
    assert button.get_attribute("aria-expanded") == "false"


def test_everything_folds_and_unfolds(browser: Browser, several: Path) -> None:
    browser.open(several)
    browser.driver.find_element(By.ID, "fold").click()
    assert browser.run(_SHOWN) == ["<none>", "<none>"]

    browser.driver.find_element(By.ID, "unfold").click()
    assert browser.run(_SHOWN) == [*_ALL, *(each.name for each in OTHER.standings)]


def test_words_filter_the_groups_and_keep_what_they_lie_in(browser: Browser, page: Path) -> None:
    browser.open(page)
    _fold(browser, "group_physics")

    assert _filter(browser, "PHYSICS  prod") == "2 of 8 groups match"
    assert browser.run(_SHOWN) == ["<none>", "group_physics", "group_physics.production", LONG]
    assert _filter(browser, " nothing-of-the-kind") == "0 of 8 groups match"
    assert browser.run(_SHOWN) == []

    browser.driver.find_element(By.ID, "text").clear()
    browser.run("document.getElementById('text').dispatchEvent(new Event('input'))")
    assert browser.run(_SHOWN) == [name for name in _ALL if not name.startswith("group_physics.")]


def test_a_story_opens_below_its_group(browser: Browser, page: Path) -> None:
    browser.open(page)
    story = browser.driver.find_element(By.CSS_SELECTOR, "tbody[data-name='group_biology'] details")
    assert "GROUP_QUOTA_group_biology is 7" not in story.text

    story.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    assert "GROUP_QUOTA_group_biology is 7, an amount in slot weight." in story.text


def test_the_keyboard_skips_to_the_groups(browser: Browser, page: Path) -> None:
    link = browser.first_by_keyboard(page)

    assert link.text == "Skip to the groups"
    link.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "groups"


def test_without_javascript_everything_is_there_but_filter_and_folding(
    browser: Browser, page: Path
) -> None:
    browser.without_scripts(page)

    assert browser.run(_SHOWN) == _ALL
    assert not browser.driver.find_element(By.ID, "filter").is_displayed()
    assert browser.run("return document.querySelectorAll('tbody button').length") == 0
    story = browser.driver.find_element(By.TAG_NAME, "details")
    story.find_element(By.TAG_NAME, "summary").click()
    assert "is the root, for all submitters without a group" in story.text


@pytest.mark.parametrize("width", [320, 800, 1280])
@pytest.mark.parametrize(
    "looks",
    [[(SITE, CHANGED), (OTHER, OTHER)], [(SITE, None)], [(PLAIN, None)]],
    ids=["several", "one", "plain"],
)
def test_nothing_is_wider_than_the_window(
    width: int,
    looks: Sequence[tuple[PoolQuotaReport, PoolQuotaReport | None]],
    browser: Browser,
    tmp_path: Path,
) -> None:
    """A table that scrolls within its place is allowed to be, where there is room for one at all."""
    browser.open(_written(tmp_path, *looks), width)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")

    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.scrolling() == 0


def test_paper_shows_what_folding_and_the_filter_hide(browser: Browser, several: Path) -> None:
    browser.open(several, 1047)
    browser.driver.find_element(By.ID, "fold").click()
    _filter(browser, "biology")
    browser.emulate("dark", "print")

    assert browser.run(_SHOWN) == [*_ALL, *(each.name for each in OTHER.standings)]
    assert not browser.driver.find_element(By.ID, "filter").is_displayed()
    assert (
        browser.run("return getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert browser.run("return document.documentElement.scrollWidth") <= 1047


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(scheme: str, width: int, browser: Browser, several: Path) -> None:
    """WCAG 2.1 asks 4.5 of text and 3 of what a picture shows (1.4.3, 1.4.11)."""
    browser.open(several, width, scheme)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    contrasts = browser.contrasts()

    assert len(contrasts) > 150
    assert [each for each in contrasts if each[1] < 4.5] == []
    assert min(browser.contrasts_of_bars()) >= 3


def test_dark_is_dark(browser: Browser, page: Path) -> None:
    assert browser.brightness(page, "light") > 600
    assert browser.brightness(page, "dark") < 200


def test_a_bar_is_an_image_with_a_name(browser: Browser, page: Path) -> None:
    browser.open(page)
    pictures = browser.driver.find_elements(By.TAG_NAME, "svg")

    assert {picture.aria_role for picture in pictures} <= {"img", "image"}
    assert "group_physics: quota 5,995.8, uses 1,200, requests 9,200" in {
        each.accessible_name for each in pictures
    }


@pytest.mark.parametrize("width", [320, 1280])
def test_tables_stay_tables_whatever_they_look_like(
    width: int, browser: Browser, page: Path
) -> None:
    browser.open(page, width)
    cells = browser.driver.find_elements(
        By.CSS_SELECTOR, "tbody[data-name='group_biology'] tr:first-child > *"
    )

    roles = [cell.aria_role for cell in cells if cell.is_displayed()]
    assert roles == ["rowheader", *["cell"] * 6]
    browser.driver.find_element(By.ID, "columns").click()
    assert [cell.aria_role for cell in cells] == ["rowheader", *["cell"] * 15]
    assert (cells[0].rect["y"] < cells[2].rect["y"]) is (width == 320)


def test_on_a_phone_every_number_says_what_it_is(browser: Browser, page: Path) -> None:
    browser.open(page, 320)
    said = browser.run("""return [...document.querySelectorAll("tbody[data-name='group_biology'] td[data-label]")]
      .map((cell) => getComputedStyle(cell, '::before').content)""")

    assert said[:2] == ['"configured"', '"effective, slot weight"']
    assert len(said) == 14
