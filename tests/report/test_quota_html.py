"""The page of group quotas: complete, self-contained, and every name in it is text. tests/browser looks at it."""

from __future__ import annotations

import pytest

from htcq.poolquota.explanation.group import stories
from htcq.report.pages.quota import quota_page
from htcq.report.views.quota import AMOUNTS, quota_table
from tests.audit.rules.quota.groups import PHYSICS, wants
from tests.poolquota.looks import look
from tests.report.pages import Page
from tests.report.quota_pages import CHANGED, CHANGES, LONG, OTHER, PLAIN, SCRIPT, SITE


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(quota_page([(SITE, CHANGED), (OTHER, OTHER)], CHANGES))


def _said(page: Page) -> str:
    return " ".join(" ".join(text for texts in page.texts.values() for text in texts).split())


def test_every_element_is_closed(page: Page) -> None:
    assert page.open == []


def test_names_of_the_pool_stay_text(page: Page) -> None:
    assert page.count("script") == 1
    assert SCRIPT in _said(page)
    assert SCRIPT not in quota_page([(SITE, None)])


def test_nothing_is_loaded_from_anywhere(page: Page) -> None:
    links = [
        attributes.get(name)
        for _, attributes in page.elements
        for name in ("src", "href", "action", "data")
    ]

    assert {link for link in links if link and not link.startswith("#")} == {"data:,"}


def test_every_group_has_a_row_with_every_number(page: Page) -> None:
    bodies = [
        attributes["data-name"]
        for tag, attributes in page.elements
        if tag == "tbody" and "data-name" in attributes
    ]
    labels = [
        attributes["data-label"]
        for tag, attributes in page.elements
        if tag == "td" and "data-label" in attributes
    ]

    assert bodies == [each.name for given in (SITE, OTHER) for each in given.standings]
    assert labels.count("effective, slot weight") == labels.count("turn") == len(bodies)
    assert labels.count("idle, schedd slot weight") == labels.count("configured") == len(bodies)
    assert {cell for row in quota_table(SITE, AMOUNTS).cells for cell in row} <= set(
        page.texts["td"]
    )


def test_rows_know_their_parents_and_which_have_some_below(page: Page) -> None:
    rows = [
        attributes
        for tag, attributes in page.elements
        if tag == "tbody" and "data-name" in attributes
    ]
    names = {row["id"]: row["data-name"] for row in rows}
    parents = {
        row["data-name"]: names.get(row.get("data-parent")) for row in rows[: len(SITE.standings)]
    }

    assert parents == {each.name: each.group.parent for each in SITE.standings}
    assert [row["data-name"] for row in rows if "data-open" in row] == [
        "<none>", "group_chemistry", "group_physics", "group_physics.production", "<none>",
    ]  # fmt: skip


def test_every_story_is_in_the_page(page: Page) -> None:
    told = [
        f"{one.text}."
        for given in (SITE, OTHER)
        for each in stories(given).values()
        for one in each
    ]

    assert [each for each in told if each not in page.texts["dd"]] == []
    assert page.count("dd") == len(told)
    assert page.count("details") == len(SITE.standings) + len(OTHER.standings)


def test_warnings_units_and_totals_are_said(page: Page) -> None:
    said = _said(page)

    assert "In slot weight: pool 10,000, quotas 15,578.782, used 1,712.5, allocated 10,603." in said
    assert "allocations add up to 10,603; the pool has 10,000 (NEGOTIATOR_ALLOW_QUOTA" in said
    assert "SlotWeight is Cpus on every slot, so these are cores" in said
    assert "Negotiator west." in said
    assert "EffectiveQuota published 1,500, computed 578.782" in page.texts["span"]


def test_a_fatal_problem_is_said() -> None:
    text = _said(Page(quota_page([(look(f"{PHYSICS}GROUP_QUOTA_chem = -1\n"), None)])))

    assert "configuration: GROUP_QUOTA_chem is out of range: -1: the negotiator exits on it" in text


def test_a_what_if_has_its_knobs_and_what_differs(page: Page) -> None:
    said = _said(page)
    rows = page.texts["th"]

    assert (
        "GROUP_QUOTA_DYNAMIC_group_physics.analysis = 0.3 GROUP_QUOTA_group_physics.production = "
        "3000"
    ) in said
    assert {
        "group_biology ",
        "group_botany ",
        "group_physics.analysis",
        "group_physics.production",
    } <= set(rows)
    assert {"vanishes", "appears"} <= set(page.texts["span"])
    assert {"+319.958", "-1,000"} <= set(page.texts["td"])
    assert (
        "Nothing changes: every group has the quota, the allocation and the limit that it has now."
        in said
    )


def test_without_a_what_if_nothing_is_said_of_one() -> None:
    assert "would" not in _said(Page(quota_page([(SITE, None)])))


def test_several_pools_have_an_overview(page: Page) -> None:
    links = {attributes.get("href") for tag, attributes in page.elements if tag == "a"}

    assert links == {"#groups", "#pool-1", "#pool-2"}
    assert "htcq quota: 2 pools" in page.texts["title"]
    assert "htcq quota: cm.example.net" in Page(quota_page([(SITE, None)])).texts["title"]


def test_headings_and_landmarks_make_an_outline(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if tag in ("h1", "h2", "h3", "h4")]

    assert levels == [1, 2, 3, 2, 3]
    assert [tag for tag in ("header", "main", "footer") if page.count(tag) != 1] == []


def test_every_header_cell_has_a_scope_and_every_field_a_label(page: Page) -> None:
    assert all(attributes.get("scope") for tag, attributes in page.elements if tag == "th")
    assert page.count("label") == page.count("input") == 1


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
    wanted += [
        attributes["data-parent"] for _, attributes in page.elements if "data-parent" in attributes
    ]

    assert len(ids) == len(set(ids))
    assert set(wanted) <= set(ids)


def test_a_bar_is_of_a_group_with_those_below_it(page: Page) -> None:
    """Physics with its own: analysis requests 7,200 and production 2,000; analysis uses 1,200."""
    assert "group_physics: quota 5,995.8, uses 1,200, requests 9,200" in page.texts["title"]
    assert f"{LONG}: quota 1,000, uses 0, requests 0" in page.texts["title"]
    assert page.count("svg") == len(SITE.standings) + len(OTHER.standings)


def test_demand_below_nothing_draws_nothing() -> None:
    page = Page(
        quota_page(
            [
                (
                    look(
                        "GROUP_NAMES = a\nGROUP_QUOTA_a = 10\n", wants("a", 5, WeightedIdleJobs=-4)
                    ),
                    None,
                )
            ]
        )
    )

    assert "a: quota 10, uses 0, requests 0" in page.texts["title"]


def test_a_pool_without_groups_has_a_page_too() -> None:
    page = Page(quota_page([(PLAIN, None)]))

    assert (
        "There is no group: the negotiator knows no quotas, and submitters share the pool by "
        "their priority."
    ) in (page.texts["p"])
    assert page.open == []
    assert page.count("details") == 1
