"""The page of a story: complete, self-contained, and every name in it is text. tests/browser looks at it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.report.pages.drift import MAX_PLOTS, drift_page
from htcq.report.views.drift import numbers
from htcq.report.views.drift_text import happened, standing
from htcq.report.views.ledger import together
from tests.report.pages import Page
from tests.report.stories import DOUBT, LONG, ODD, QUIET, STORY, UNSEEN, ZONE, crowd


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(drift_page([STORY], ZONE))


@pytest.fixture(scope="module", params=["one", "several", "quiet", "unseen"])
def any_page(request: pytest.FixtureRequest) -> Page:
    stories = {
        "one": [STORY],
        "several": [STORY, QUIET, UNSEEN],
        "quiet": [QUIET],
        "unseen": [UNSEEN],
    }
    return Page(drift_page(stories[request.param], ZONE))


def everything(page: Page) -> str:
    return " ".join(text for texts in page.texts.values() for text in texts)


def test_every_element_is_closed(any_page: Page) -> None:
    assert any_page.open == []


def test_names_of_the_pool_stay_text(page: Page) -> None:
    assert page.count("script") == 1
    assert ODD in page.texts["h4"]


def test_nothing_is_loaded_from_anywhere(any_page: Page) -> None:
    links = [
        attributes.get(name)
        for _, attributes in any_page.elements
        for name in ("src", "href", "action", "data")
    ]

    assert {link for link in links if link and not link.startswith("#")} == {"data:,"}


def test_the_page_says_what_the_text_says(page: Page) -> None:
    said = [entry.text for entry in (*happened(STORY, ZONE), *standing(STORY))]
    said += [number for window in STORY.windows for number in numbers(window)]
    said += [DOUBT, LONG, "2026-11-02 00:00", "2026-11-09 00:00", " CET", "86%"]

    assert [each for each in said if each not in everything(page)] == []


def test_headings_and_landmarks_make_an_outline(any_page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in any_page.elements if tag in ("h1", "h2", "h3", "h4")]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper - level <= 1 for level, deeper in zip(levels, levels[1:]))
    assert [tag for tag in ("header", "nav", "main", "footer") if any_page.count(tag) != 1] == []


def test_every_header_cell_has_a_scope_and_every_field_a_label(any_page: Page) -> None:
    assert all(attributes.get("scope") for tag, attributes in any_page.elements if tag == "th")
    assert any_page.count("label") == any_page.count("input") + any_page.count("select")


def test_ids_are_unique_and_references_lead_somewhere(any_page: Page) -> None:
    ids = [attributes["id"] for _, attributes in any_page.elements if "id" in attributes]
    wanted = [
        attributes["aria-labelledby"]
        for _, attributes in any_page.elements
        if "aria-labelledby" in attributes
    ]
    wanted += [
        (attributes.get("href") or "")[1:] for tag, attributes in any_page.elements if tag == "a"
    ]

    assert len(ids) == len(set(ids))
    assert set(wanted) <= set(ids)


def test_every_group_has_a_row_and_a_plot(page: Page) -> None:
    names = [window.group for window in STORY.windows]
    rows = [
        attributes["data-name"]
        for tag, attributes in page.elements
        if tag == "tr" and "data-name" in attributes
    ]

    assert rows == names == page.texts["h4"]
    assert page.count("figure") == len(names)


def test_a_plot_has_its_numbers_as_text(page: Page) -> None:
    assert "physics: mean usage 50, max 50, quota 73.3" in page.texts["title"]
    assert "mean usage 50, max 50, quota 73.3; starved 17% of the time" in page.texts["p"]


def test_changes_of_a_group_lead_to_its_plot(page: Page) -> None:
    plots = {
        attributes["data-name"]: attributes["id"]
        for tag, attributes in page.elements
        if tag == "figure"
    }
    links = [attributes["href"] for tag, attributes in page.elements if tag == "a"]

    assert links.count(f"#{plots['physics']}") == len(
        [each for each in happened(STORY) if each.subject == "physics"]
    ) + (len([each for each in standing(STORY) if each.subject == "physics"]) + 1)


def test_a_change_is_marked_in_the_plot_of_its_group(page: Page) -> None:
    """Of physics and of the odd one one thing each changed within the week: two days, and five and a quarter hour."""
    marks = [
        attributes["x1"]
        for tag, attributes in page.elements
        if attributes.get("class") == "happened" and tag == "line"
    ]

    assert sorted(marks) == ["28.57%", "71.58%"]


def test_the_ledger_has_a_row_for_each_dimension_and_group(page: Page) -> None:
    rows = [
        attributes["data-group"] for tag, attributes in page.elements if "data-group" in attributes
    ]

    assert rows == ["chem", "physics", "physics", ODD, LONG]
    assert [each for each in (*together(STORY), "192 GiB") if each not in everything(page)] == []
    assert "physics, gpus: 720 lent, 0 borrowed" in page.texts["title"]
    assert "Ledger of elastic quotas" in page.texts["h3"]


def test_without_elastic_quotas_the_page_has_no_ledger() -> None:
    page = Page(drift_page([QUIET], ZONE))

    assert "lastic" not in everything(page)


def test_only_so_many_are_drawn_and_the_others_are_in_the_table() -> None:
    page = Page(drift_page([crowd(MAX_PLOTS + 7)], ZONE))

    assert page.count("figure") == MAX_PLOTS
    assert (
        len([1 for tag, attributes in page.elements if tag == "tr" and "data-name" in attributes])
        == MAX_PLOTS + 7
    )
    assert "The 7 groups with least trouble are not drawn; the table has them." in page.texts["p"]


def test_several_pools_have_a_section_each() -> None:
    page = Page(drift_page([STORY, replace(QUIET, pool="<b>two</b>")], ZONE))

    assert page.texts["h1"] == ["Drift of 2 pools"]
    assert page.texts["h2"] == ["cm.example.net", "<b>two</b>"]


def test_a_time_of_which_nothing_is_known_has_a_page_too() -> None:
    page = Page(drift_page([UNSEEN], ZONE))

    assert "Nothing was recorded in this time." in page.texts["p"]
    assert page.count("figure") == 0
