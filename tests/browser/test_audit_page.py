"""The page of an audit in a browser: it works, loads nothing, and can be read on a phone, in the dark and on paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from htcq.audit.engine import Audit
from htcq.report.charts.pictures import Pictures
from htcq.report.pages.audit import audit_page
from tests.browser.conftest import Browser
from tests.report.audits import NOTHING, PICTURES, QUOTA, SAMPLE, SICK

pytestmark = pytest.mark.browser

_SHOWN = """return [...document.querySelectorAll('.finding')]
  .filter((row) => getComputedStyle(row).display !== 'none').map((row) => row.dataset.rule)"""


def _written(directory: Path, audit: Audit, pictures: Pictures) -> Path:
    page = directory / "audit.html"
    page.write_text(audit_page(audit, pictures), encoding="utf-8")
    return page


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return _written(tmp_path, SAMPLE, PICTURES)


def test_the_page_loads_nothing_and_has_no_complaint(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.driver.find_element(By.ID, "text").send_keys("quota")

    assert {url for url in browser.requests() if not url.startswith("data:")} == {page.as_uri()}
    assert browser.complaints() == []


def test_names_of_the_pool_run_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)

    assert browser.driver.title == "htcq audit: cm.example.net"
    assert (
        "<script>document.title = 'stolen'</script>"
        in browser.driver.find_element(By.ID, "list").text
    )


def test_a_script_of_somebody_else_would_be_blocked(browser: Browser, page: Path) -> None:
    assert browser.title_after_a_script_of_somebody_else(page) == "htcq audit: cm.example.net"
    assert any("Content Security Policy" in each for each in browser.complaints())


def test_words_filter_the_findings(browser: Browser, page: Path) -> None:
    browser.open(page)
    field = browser.driver.find_element(By.ID, "text")
    field.send_keys("PHYSICS  knob")

    assert browser.run(_SHOWN) == ["quota-of-nobody"]
    assert browser.driver.find_element(By.ID, "shown").text == "1 of 3 shown"

    field.send_keys(" nothing-of-the-kind")
    assert browser.run(_SHOWN) == []


def test_severities_filter_the_findings(browser: Browser, page: Path) -> None:
    browser.open(page)
    for severity in ("error", "info"):
        browser.driver.find_element(By.CSS_SELECTOR, f"input[value={severity}]").click()

    assert browser.run(_SHOWN) == ["quota-of-nobody"]


@pytest.mark.parametrize(
    ("order", "rules"),
    [
        ("severity", ["weight-not-a-number", "quota-of-nobody", "memory-wasted"]),
        ("rule", ["memory-wasted", "quota-of-nobody", "weight-not-a-number"]),
        ("subject", ["quota-of-nobody", "memory-wasted", "weight-not-a-number"]),
        ("how many", ["weight-not-a-number", "memory-wasted", "quota-of-nobody"]),
    ],
)
def test_findings_can_be_sorted(order: str, rules: list[str], browser: Browser, page: Path) -> None:
    browser.open(page)
    select = Select(browser.driver.find_element(By.ID, "order"))
    select.select_by_visible_text("rule")
    select.select_by_visible_text(order)

    assert browser.run(_SHOWN) == rules


def test_configuration_can_be_copied(browser: Browser, page: Path) -> None:
    browser.open(page)
    button = browser.driver.find_element(By.CSS_SELECTOR, ".finding.warning .fix button")
    button.send_keys(Keys.ENTER)

    assert browser.run("return getSelection().toString().trim()") == QUOTA.settings[0].line


def test_prose_cannot_be_copied_as_configuration(browser: Browser, page: Path) -> None:
    """A negotiator ended on a sentence that was copied with its knob."""
    browser.open(page)
    lines = [setting.line for finding in SAMPLE.findings for setting in finding.settings]
    copied = []
    for button in browser.driver.find_elements(By.CSS_SELECTOR, ".finding button"):
        button.send_keys(Keys.ENTER)
        copied.append(browser.run("return getSelection().toString().trim()"))

    assert copied == lines
    assert not {finding.advice for finding in SAMPLE.findings} & set(copied)


def test_a_pool_that_is_not_healthy_says_so_before_all_else(
    browser: Browser, tmp_path: Path
) -> None:
    browser.open(_written(tmp_path, SICK, PICTURES))
    box = browser.driver.find_element(By.CSS_SELECTOR, ".unwell")
    heading = browser.driver.find_element(By.TAG_NAME, "h1")

    assert box.rect["y"] + box.rect["height"] <= heading.rect["y"]
    assert box.aria_role == "alert"
    assert [each.text for each in box.find_elements(By.TAG_NAME, "li")] == [
        f"{each.severity} {each.id} {each.text}" for each in SICK.health
    ]
    badges = box.find_elements(By.CSS_SELECTOR, ".badge")
    assert len({each.value_of_css_property("background-color") for each in badges}) == 2


def test_a_healthy_pool_says_nothing_of_its_health(browser: Browser, page: Path) -> None:
    browser.open(page)

    assert browser.driver.find_elements(By.CSS_SELECTOR, ".unwell") == []


def test_the_keyboard_skips_to_the_findings(browser: Browser, page: Path) -> None:
    link = browser.first_by_keyboard(page)

    assert link.text == "Skip to the findings"
    assert link.rect["x"] >= 0
    link.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "findings"


def test_without_javascript_everything_is_there_but_the_filter(
    browser: Browser, page: Path
) -> None:
    browser.without_scripts(page)

    assert len(browser.run(_SHOWN)) == 3
    assert not browser.driver.find_element(By.ID, "filter").is_displayed()
    assert browser.run("return document.querySelectorAll('button').length") == 0


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize(
    "audit",
    [SAMPLE, NOTHING, replace(SAMPLE, known=120), SICK],
    ids=["sample", "nothing", "known", "sick"],
)
def test_nothing_is_wider_than_the_window(
    width: int, audit: Audit, browser: Browser, tmp_path: Path
) -> None:
    browser.open(_written(tmp_path, audit, PICTURES), width)

    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.scrolling() == 0


def test_paper_shows_what_the_filter_hides(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.driver.find_element(By.ID, "text").send_keys("quota-of-nobody")
    browser.emulate("dark", "print")

    assert len(browser.run(_SHOWN)) == 3
    assert not browser.driver.find_element(By.ID, "filter").is_displayed()
    assert (
        browser.run("return getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(scheme: str, browser: Browser, tmp_path: Path) -> None:
    """WCAG 2.1 asks 4.5 of text and 3 of what a picture shows (1.4.3, 1.4.11)."""
    browser.open(_written(tmp_path, replace(SAMPLE, health=SICK.health), PICTURES), scheme=scheme)
    contrasts = browser.contrasts()

    assert len(contrasts) > 40
    assert [each for each in contrasts if each[1] < 4.5] == []
    assert min(browser.contrasts_of_bars()) >= 3


def test_dark_is_dark(browser: Browser, page: Path) -> None:
    assert browser.brightness(page, "light") > 600
    assert browser.brightness(page, "dark") < 200


def test_a_picture_is_an_image_with_a_name(browser: Browser, page: Path) -> None:
    browser.open(page)
    pictures = browser.driver.find_elements(By.TAG_NAME, "svg")

    assert len(pictures) == 8
    assert {picture.aria_role for picture in pictures} <= {"img", "image"}
    assert "group_chemistry: quota 4,000, uses 3,300, asks for 5,200" in {
        each.accessible_name for each in pictures
    }


def test_tables_stay_tables_on_a_phone(browser: Browser, page: Path) -> None:
    browser.open(page, 320)
    cells = browser.driver.find_elements(By.CSS_SELECTOR, ".facts tbody tr:first-child > *")

    assert [cell.aria_role for cell in cells[:2]] == ["rowheader", "cell"]
    assert cells[0].rect["y"] < cells[1].rect["y"]
