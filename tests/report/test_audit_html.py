"""The page of an audit: complete, self-contained, and every name in it is text. tests/browser looks at it."""

from __future__ import annotations

import pytest

from htcq.report.charts.pictures import Pictures
from htcq.report.pages.audit import audit_page
from htcq.report.views.audit_text import summary
from tests.report.audits import NOTHING, PICTURES, SAMPLE, SCRIPT, WEIGHT
from tests.report.pages import Page


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(audit_page(SAMPLE, PICTURES))


def test_every_element_is_closed(page: Page) -> None:
    assert page.open == []


def test_names_of_the_pool_stay_text(page: Page) -> None:
    assert page.count("script") == 1
    assert page.count("b") == 0
    assert f" {SCRIPT.subject}" in " " + " ".join(page.texts["span"])


def test_nothing_is_loaded_from_anywhere(page: Page) -> None:
    links = [
        attributes.get(name)
        for _, attributes in page.elements
        for name in ("src", "href", "action", "data")
    ]

    assert {link for link in links if link and not link.startswith("#")} == {"data:,"}


def test_the_page_says_what_the_text_says(page: Page) -> None:
    everything = " ".join(text for texts in page.texts.values() for text in texts)
    facts = [fact for finding in SAMPLE.findings for fact in finding.evidence]
    said = [summary(SAMPLE), *SAMPLE.incomplete, *(each.missing for each in SAMPLE.not_checked)]
    said += [each.advice for each in SAMPLE.findings] + [WEIGHT.message] + list(WEIGHT.examples)
    said += [text for fact in facts for text in (fact.attribute, fact.value, fact.place)]

    assert [each for each in said if each not in everything] == []


def test_headings_and_landmarks_make_an_outline(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if tag in ("h1", "h2", "h3", "h4")]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper - level <= 1 for level, deeper in zip(levels, levels[1:]))
    assert [tag for tag in ("header", "nav", "main", "footer") if page.count(tag) != 1] == []


def test_every_header_cell_has_a_scope_and_every_field_a_label(page: Page) -> None:
    assert all(attributes.get("scope") for tag, attributes in page.elements if tag == "th")
    assert page.count("label") == page.count("input") + page.count("select")


def test_ids_are_unique_and_references_lead_somewhere(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    wanted = [
        attributes["aria-labelledby"]
        for _, attributes in page.elements
        if "aria-labelledby" in attributes
    ]
    wanted += [
        (attributes.get("href") or "")[1:] for tag, attributes in page.elements if tag == "a"
    ]

    assert len(ids) == len(set(ids))
    assert set(wanted) <= set(ids)


def test_only_configuration_is_set_as_such(page: Page) -> None:
    lines = [setting.line for finding in SAMPLE.findings for setting in finding.settings]

    assert page.texts["pre"] == lines
    assert not set(page.texts["pre"]) & {finding.advice for finding in SAMPLE.findings}


def test_a_pool_without_findings_weights_or_groups_has_a_page_too() -> None:
    page = Page(audit_page(NOTHING, Pictures()))

    assert "Nothing was found." in page.texts["p"]
    assert page.count("svg") == page.count("form") == 0
    assert page.count("h2") == 2


def test_the_pictures_have_their_numbers_as_text(page: Page) -> None:
    assert "group_physics: quota 6,000, uses 5,800, asks for 9,000" in page.texts["title"]
    assert "quota 1,000, uses 0, asks for 0.5" in page.texts["span"]
    assert "Cpus: 80.0% of the pool's weight" in page.texts["title"]
    assert "2 more expressions of less weight." in page.texts["p"]
    assert page.count("svg") == 3 + 5


def test_all_groups_have_one_scale(page: Page) -> None:
    """All ask for 14,200, which fills a bar; physics for 9,000, and one below it for 4,000 and 0.5; chemistry for 5,200."""
    asked = [
        attributes["width"]
        for tag, attributes in page.elements
        if (tag, attributes.get("class")) == ("rect", "asked")
    ]

    assert asked == ["100.00%", "63.38%", "28.17%", "0.00%", "36.62%"]


def test_what_follows_from_a_root_cause_is_a_list_below_it() -> None:
    text = audit_page(SAMPLE, PICTURES)
    assert text.count('<ul class="caused">') == 1
    assert "<code>users-of-nobody</code>" in text
