"""The page of a story in a browser: it works, loads nothing, and can be read on a phone, in the dark and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from htcq.drift.explanation import DriftExplanation
from htcq.report.pages.drift import drift_page
from tests.browser.conftest import PAGE, Browser
from tests.report.stories import LONG, ODD, QUIET, STORY, UNSEEN, ZONE, crowd

pytestmark = pytest.mark.browser

_SHOWN = """return [...document.querySelectorAll(arguments[0])]
  .filter((each) => getComputedStyle(each).display !== 'none').map((each) => each.dataset.name)"""
_ROWS, _PLOTS = ".groups tbody tr", "figure"
#: What must be told apart in a plot.
_PAIRS = (
    ((".plot .edge", "stroke"), PAGE),
    ((".plot .edge", "stroke"), (".plot .usage", "fill")),
    ((".plot .limit", "stroke"), PAGE),
    ((".plot .limit", "stroke"), (".plot .usage", "fill")),
    ((".plot .happened", "stroke"), PAGE),
    ((".plot .happened", "stroke"), (".plot .usage", "fill")),
    ((".plot .starved", "fill"), (".plot .track", "fill")),
    ((".plot .over", "fill"), (".plot .track", "fill")),
    ((".plot .starved", "fill"), PAGE),
    ((".plot .over", "fill"), PAGE),
    ((".when .lent", "fill"), PAGE),
    ((".when .borrowed", "fill"), PAGE),
)


def _written(directory: Path, *stories: DriftExplanation) -> Path:
    page = directory / "drift.html"
    page.write_text(drift_page(stories, ZONE), encoding="utf-8")
    return page


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return _written(tmp_path, STORY)


def shown(browser: Browser, selector: str) -> list[str]:
    return list(browser.run(_SHOWN, selector))


def test_the_page_loads_nothing_and_has_no_complaint(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.driver.find_element(By.ID, "text").send_keys("chem")

    assert {url for url in browser.requests() if not url.startswith("data:")} == {page.as_uri()}
    assert browser.complaints() == []


def test_names_of_the_pool_run_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)

    assert browser.driver.title == "htcq drift: cm.example.net"
    assert ODD in browser.driver.find_element(By.TAG_NAME, "main").text


def test_a_script_of_somebody_else_would_be_blocked(browser: Browser, page: Path) -> None:
    assert browser.title_after_a_script_of_somebody_else(page) == "htcq drift: cm.example.net"
    assert any("Content Security Policy" in each for each in browser.complaints())


def test_words_filter_rows_and_plots(browser: Browser, page: Path) -> None:
    browser.open(page)
    field = browser.driver.find_element(By.ID, "text")
    field.send_keys("PHYS")

    assert shown(browser, _ROWS) == shown(browser, _PLOTS) == ["physics"]
    assert browser.driver.find_element(By.ID, "shown").text == "1 of 4 groups shown"

    field.send_keys(" nothing-of-the-kind")
    assert shown(browser, _ROWS) == shown(browser, _PLOTS) == []


def test_words_filter_the_ledger_and_paper_has_it_all(browser: Browser, page: Path) -> None:
    browser.open(page)
    script = (
        "return [...document.querySelectorAll('.ledger tbody tr')].filter((each) => "
        "each.checkVisibility()).length"
    )
    assert browser.run(script) == 5
    browser.driver.find_element(By.ID, "text").send_keys("PHYS")

    assert browser.run(script) == 2
    assert browser.driver.find_element(By.ID, "shown").text == "1 of 4 groups shown"
    browser.emulate("light", "print")
    assert browser.run(script) == 5


def test_the_ledger_stays_a_table_on_a_phone_and_its_pictures_have_names(
    browser: Browser, page: Path
) -> None:
    browser.open(page, 320)
    row = browser.driver.find_element(By.CSS_SELECTOR, ".ledger tbody tr")
    cells = row.find_elements(By.CSS_SELECTOR, "th, td")

    assert row.aria_role == "row"
    assert [cell.aria_role for cell in cells] == ["rowheader", *["cell"] * 7]
    named = "return getComputedStyle(arguments[0], '::before').content"
    assert [browser.run(named, cell) for cell in cells[1:4]] == ['"of"', '"guarantee"', '"used"']
    pictures = browser.driver.find_elements(By.CSS_SELECTOR, "svg.when")
    assert "physics, gpus: 720 lent, 0 borrowed" in {
        picture.accessible_name for picture in pictures
    }


def test_what_was_lent_stands_where_it_was_lent(browser: Browser, page: Path) -> None:
    """On Monday, the first of seven days; borrowed hangs below."""
    browser.open(page, 1280)
    boxes = browser.run(
        "const parts = (picture) => { const all = picture.getBoundingClientRect();"
        "return [...picture.querySelectorAll('rect')].map((each) => each.getBoundingClientRect())"
        ".map((box) => [(box.right - all.left) / all.width, (box.top - all.top) / all.height]); };"
        "return [...document.querySelectorAll('svg.when')].slice(0, 2).map(parts)"
    )
    borrowed, lent = boxes

    assert max(right for right, _ in lent) == pytest.approx(4 / 24, abs=0.01)
    assert {round(top, 2) for _, top in borrowed} == {0.5}
    assert min(top for _, top in lent) == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("most trouble", ["physics", "chem", ODD, LONG]),
        ("name", [ODD, "chem", LONG, "physics"]),
        ("usage", ["physics", "chem", ODD, LONG]),
        ("quota", ["physics", "chem", ODD, LONG]),
        ("starved", ["physics", "chem", ODD, LONG]),
        ("over", ["chem", "physics", ODD, LONG]),
        ("lending", [ODD, "physics", "chem", LONG]),
    ],
)
def test_rows_and_plots_can_be_sorted(
    order: str, names: list[str], browser: Browser, page: Path
) -> None:
    browser.open(page)
    select = Select(browser.driver.find_element(By.ID, "order"))
    select.select_by_visible_text("name")
    select.select_by_visible_text(order)

    assert shown(browser, _ROWS) == shown(browser, _PLOTS) == names


def test_the_keyboard_skips_to_the_groups(browser: Browser, page: Path) -> None:
    link = browser.first_by_keyboard(page)

    assert link.text == "Skip to the groups"
    link.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "p1-groups"


def test_a_change_leads_to_the_plot_of_its_group(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.driver.find_element(By.CSS_SELECTOR, ".timeline:not(.now) a").send_keys(Keys.ENTER)

    assert browser.run("return document.querySelector(':target').dataset.name") == "physics"


def test_without_javascript_everything_is_there_but_the_filter(
    browser: Browser, page: Path
) -> None:
    browser.without_scripts(page)

    assert len(shown(browser, _ROWS)) == len(shown(browser, _PLOTS)) == 4
    assert not browser.driver.find_element(By.ID, "filter").is_displayed()


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize(
    "stories",
    [(STORY,), (UNSEEN,), (STORY, QUIET, UNSEEN), (crowd(60),)],
    ids=["one", "unseen", "three", "crowd"],
)
def test_nothing_is_wider_than_the_window(
    width: int, stories: tuple[DriftExplanation, ...], browser: Browser, tmp_path: Path
) -> None:
    browser.open(_written(tmp_path, *stories), width)

    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.scrolling() == 0


@pytest.mark.parametrize("width", [320, 1280])
def test_words_of_an_axis_do_not_lie_on_each_other(
    width: int, browser: Browser, page: Path
) -> None:
    browser.open(page, width)
    boxes = browser.run(
        "return [...document.querySelectorAll('figure')].map((each) => "
        "[...each.querySelectorAll('text')]"
        ".map((text) => text.getBoundingClientRect()).map((box) => [box.left, box.right]))"
    )

    assert len(boxes) == 4
    for texts in boxes:
        assert len(texts) >= 2
        assert all(left > right for (_, right), (left, _) in zip(texts, texts[1:]))
        assert texts[-1][1] <= width


def test_the_amounts_stand_beside_their_lines(browser: Browser, page: Path) -> None:
    browser.open(page)
    marks, lines = browser.run(
        "const plot = document.querySelector('figure'); const middle = (each) => {"
        "const box = each.getBoundingClientRect(); return (box.top + box.bottom) / 2; };"
        "return [[...plot.querySelectorAll('.scale span')].map(middle), "
        "[...plot.querySelectorAll('.plot > .grid')]"
        ".filter((line) => line.getAttribute('x2') === '100%').map(middle)]"
    )

    assert len(marks) == len(lines) == 5
    assert all(abs(mark - line) < 2 for mark, line in zip(marks, lines))


def test_lines_are_as_thick_however_wide_the_plot_is(browser: Browser, page: Path) -> None:
    browser.open(page)
    style = browser.run(
        "return getComputedStyle(document.querySelector('.plot .limit')).vectorEffect"
    )

    assert style == "non-scaling-stroke"


def test_paper_shows_what_the_filter_hides(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.driver.find_element(By.ID, "text").send_keys("physics")
    browser.emulate("dark", "print")

    assert len(shown(browser, _ROWS)) == len(shown(browser, _PLOTS)) == 4
    assert not browser.driver.find_element(By.ID, "filter").is_displayed()
    assert (
        browser.run("return getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_and_every_line_has_contrast(scheme: str, browser: Browser, page: Path) -> None:
    browser.open(page, scheme=scheme)
    contrasts = browser.contrasts()

    assert len(contrasts) > 60
    assert [each for each in contrasts if each[1] < 4.5] == []
    assert [pair for pair, ratio in zip(_PAIRS, browser.contrasts_of(_PAIRS)) if ratio < 3] == []


def test_a_plot_is_an_image_with_a_name(browser: Browser, page: Path) -> None:
    browser.open(page)
    plots = browser.driver.find_elements(By.CSS_SELECTOR, "svg.plot")

    assert {plot.aria_role for plot in plots} <= {"img", "image"}
    assert "physics: mean usage 50, max 50, quota 73.3" in {plot.accessible_name for plot in plots}


def test_the_table_stays_a_table_on_a_phone(browser: Browser, page: Path) -> None:
    browser.open(page, 320)
    row = browser.driver.find_element(By.CSS_SELECTOR, _ROWS)
    cells = row.find_elements(By.CSS_SELECTOR, "th, td")

    assert row.aria_role == "row"
    assert [cell.aria_role for cell in cells] == ["rowheader", *["cell"] * 8]
    assert cells[0].rect["y"] < cells[1].rect["y"]
    named = "return getComputedStyle(arguments[0], '::before').content"
    assert [browser.run(named, cell) for cell in cells[1:3]] == ['"mean"', '"max"']
