"""The manual in a browser: it loads nothing, its links lead on, and it can be read on a phone and in the dark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from tests.browser.conftest import Browser
from tests.docs.documents import ROOT

pytestmark = pytest.mark.browser

WIDER = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("manual")
    subprocess.run(
        [sys.executable, str(ROOT / "contrib/manual/build"), "--html", str(place)],
        check=True,
        timeout=120,
    )
    return place


def test_from_the_list_to_a_page_and_on_to_another(browser: Browser, manual: Path) -> None:
    browser.open(manual / "index.html")
    browser.driver.find_element(By.LINK_TEXT, "htcq-plan(1)").click()
    assert browser.driver.title == "htcq-plan(1)"
    browser.driver.find_element(
        By.CSS_SELECTOR, 'p a[href="htcq-models.7.html"], dd a[href="htcq-models.7.html"]'
    ).click()

    assert browser.driver.title == "htcq-models(7)"


def test_a_page_shows_settings_as_they_are_typed(browser: Browser, manual: Path) -> None:
    browser.open(manual / "htcq.toml.5.html")
    shown = [each.text for each in browser.driver.find_elements(By.CSS_SELECTOR, "code")]

    assert 'model = "quantized"' in shown
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "dl dt")) > 40


@pytest.mark.parametrize("name", ["htcq-elastic.1.html", "htcq-rules.7.html"])
def test_on_a_phone_nothing_sticks_out(name: str, browser: Browser, manual: Path) -> None:
    browser.open(manual / name, width=390)

    assert browser.run(WIDER) is False


def test_a_page_loads_nothing_and_has_nothing_to_complain_of(
    browser: Browser, manual: Path
) -> None:
    page = manual / "htcq.1.html"
    browser.open(page)

    assert browser.requests() == [page.as_uri()]
    assert browser.complaints() == []


def test_it_can_be_read_in_the_dark(browser: Browser, manual: Path) -> None:
    page = manual / "htcq-why.1.html"

    assert browser.brightness(page, "dark") < browser.brightness(page, "light")
    browser.open(page, scheme="dark")
    assert [text for text, ratio in browser.contrasts() if ratio < 4.5] == []
