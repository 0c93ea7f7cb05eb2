"""The page of a simulation: complete, self-contained, and every name in it is text. tests/browser looks at it."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import replace

import pytest

from htcq.report.charts.fill_chart import MAX_CELLS
from htcq.report.pages.course import course_page
from htcq.report.pages.cycle import cycle_page
from htcq.report.sections import MAX_ROWS
from htcq.simulate.course.difference import sentences
from htcq.simulate.course.machines import by_fill
from htcq.simulate.cycle.trace import Crash
from htcq.units import show_number
from tests.report.pages import Page
from tests.report.simulations import (
    AFTER,
    BEFORE,
    CHANGES,
    CROWD,
    LONG,
    ONE,
    OTHER,
    PLAIN,
    PLAIN_ONE,
    PLAN,
    POOL,
    SCRIPT,
    UNGROUPED,
    crowd,
)  # fmt: skip

PAGES: dict[str, Callable[[], str]] = {
    "course": lambda: course_page(BEFORE, None, PLAN, POOL),
    "courses": lambda: course_page(BEFORE, AFTER, PLAN, POOL, CHANGES),
    "ungrouped": lambda: course_page(UNGROUPED, None, PLAN, PLAIN),
    "cycle": lambda: cycle_page(ONE, None, POOL),
    "cycles": lambda: cycle_page(ONE, OTHER, POOL, CHANGES),
    "plain": lambda: cycle_page(PLAIN_ONE, None, PLAIN),
    "same": lambda: cycle_page(ONE, ONE, POOL, CHANGES),
}


@pytest.fixture(scope="module", params=PAGES)
def any_page(request: pytest.FixtureRequest) -> Page:
    return Page(PAGES[str(request.param)]())


@pytest.fixture(scope="module")
def courses() -> Page:
    return Page(PAGES["courses"]())


@pytest.fixture(scope="module")
def cycles() -> Page:
    return Page(PAGES["cycles"]())


def said(page: Page) -> str:
    return " ".join(" ".join(text for texts in page.texts.values() for text in texts).split())


def test_every_element_is_closed(any_page: Page) -> None:
    assert any_page.open == []


def test_no_script_is_needed(any_page: Page) -> None:
    assert any_page.count("script") == 0


def test_nothing_is_loaded_from_anywhere(any_page: Page) -> None:
    links = [
        attributes.get(name)
        for _, attributes in any_page.elements
        for name in ("src", "href", "action", "data")
    ]

    assert {link for link in links if link and not link.startswith("#")} == {"data:,"}


def test_names_of_the_pool_stay_text(courses: Page, cycles: Page) -> None:
    for page in (courses, cycles):
        assert f"chemistry.{SCRIPT}@site" in page.texts["th"]
    assert LONG in courses.texts["h3"]


def test_headings_and_landmarks_make_an_outline(any_page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in any_page.elements if tag in ("h1", "h2", "h3", "h4")]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper - level <= 1 for level, deeper in zip(levels, levels[1:]))
    assert [tag for tag in ("header", "nav", "main", "footer") if any_page.count(tag) != 1] == []


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


def test_every_header_cell_has_a_scope_and_every_picture_a_title(any_page: Page) -> None:
    assert all(attributes.get("scope") for tag, attributes in any_page.elements if tag == "th")
    images = [
        attributes
        for tag, attributes in any_page.elements
        if tag == "svg" and attributes.get("role") == "img"
    ]
    # One more is that of the page itself.
    assert len(images) == any_page.count("title") - 1 > 0


def test_every_class_of_a_picture_has_a_style(any_page: Page) -> None:
    styles = "".join(any_page.texts["style"])
    kinds = {
        kind
        for tag, attributes in any_page.elements
        if tag in ("path", "rect", "line", "svg", "li", "text")
        for kind in (attributes.get("class") or "").split()
    }

    assert kinds - {"drawn"}
    assert [kind for kind in kinds - {"drawn"} if f".{kind}" not in styles] == []


def test_a_course_has_every_number_of_its_last_cycle(courses: Page) -> None:
    cells = {text for tag in ("td", "th") for text in courses.texts[tag]}

    for course in (BEFORE, AFTER):
        last = course.samples[-1]
        amounts = [
            *last.groups.values(),
            *last.quotas.values(),
            last.cpus,
            last.largest_cpus,
            last.largest_memory_mb,
        ]
        assert {show_number(amount) for amount in amounts} <= cells
        assert {f"{count:,}" for count in by_fill(course.machines)} <= cells
        assert {f"{len(seconds):,}" for seconds in course.waited.values()} <= cells


def test_a_course_says_what_changes_and_why(courses: Page) -> None:
    text = said(courses)

    assert "GROUP_QUOTA_biology = 26" in text
    assert "--demand physics=x2" in text
    assert "the quota of biology goes from 12 to 26" in text
    assert [each for each in sentences(BEFORE, AFTER) if each not in courses.texts["li"]] == []


def test_base_and_what_if_stand_side_by_side_on_one_scale(courses: Page) -> None:
    figures = courses.count("figure")

    plots = [
        attributes for tag, attributes in courses.elements if attributes.get("class") == "plot"
    ]
    assert len(plots) == 2 * figures
    drawn = [attributes["data-name"] for tag, attributes in courses.elements if tag == "figure"]
    # What the groups leave of the pool is the root's.
    assert sorted(drawn[:5]) == sorted(["<none>", "physics", LONG, "biology", "chemistry"])
    assert drawn[5:] == [
        "cpus in claims",
        "machines by fill",
        "largest free, cpus",
        "largest free, MB of memory",
    ]


def test_without_groups_submitters_are_drawn() -> None:
    page = Page(PAGES["ungrouped"]())

    assert {"ann@site", "ben@site"} <= set(page.texts["h3"])
    assert "Usage over time" in page.texts["h2"]
    assert "quota" not in page.texts["li"]


def test_a_cycle_has_every_number_of_its_trace(cycles: Page) -> None:
    cells = {text for tag in ("td", "th") for text in cycles.texts[tag]}

    for single in (ONE, OTHER):
        assert {each.reason for each in single.trace.rejections} <= cells
        assert {each.job for each in single.trace.matches} <= cells
        assert {each.slot for each in single.trace.matches} <= cells
        assert {
            show_number(single.after.largest_memory_mb),
            show_number(single.after.largest_cpus),
        } <= cells


def test_a_cycle_says_who_gains_and_why(cycles: Page) -> None:
    text = said(cycles)

    assert "group biology: the limit of biology goes from 12 to 26" in cycles.texts["li"]
    assert "6 matches on 6 slots cost 48" in text
    assert "Nothing: no submitter gains or loses." in said(Page(PAGES["same"]()))


def test_bars_tell_usage_and_limit_in_words() -> None:
    titles = Page(PAGES["cycle"]()).texts["title"]
    (biology,) = (each for each in ONE.trace.groups if each.name == "biology")

    assert (
        f"biology: limit 12, used 0 at the start and {show_number(biology.used_after)} at the end"
        in titles
    )
    assert any(
        title.startswith("<none>: not negotiated in this cycle, used 0 at the start")
        for title in titles
    )


def test_what_ends_the_negotiator_is_a_warning() -> None:
    crash = Crash("slot1@node1", "1.0", "Failed to evaluate SlotWeight")
    course = replace(BEFORE, crash=crash, unmodelled=("something is not followed",))
    page = Page(course_page(course, None, PLAN, replace(POOL, damage=("jobs.ads, line 3",))))

    assert (
        page.texts["li"].count(
            "the negotiator crashes here: Failed to evaluate SlotWeight, at slot slot1@node1 for job 1.0"
        )
        == 1
    )
    assert {"not modelled: something is not followed", "incomplete data: jobs.ads, line 3"} <= set(
        page.texts["li"]
    )


def test_a_crowd_of_machines_is_few_cells_with_all_of_them() -> None:
    page = Page(course_page(crowd(), None, PLAN, POOL))
    cells = [attributes for tag, attributes in page.elements if attributes.get("class") == "cell"]

    assert len(cells) == MAX_CELLS
    assert f"{CROWD:,} machines, a cell is 50 machines" in said(page)
    assert len(course_page(crowd(), None, PLAN, POOL)) < 500_000


def test_long_tables_end_and_say_so() -> None:
    (match, *_) = ONE.trace.matches
    many = replace(ONE, trace=replace(ONE.trace, matches=(match,) * (MAX_ROWS + 7)))
    text = cycle_page(many, None, POOL)

    assert "7 more are not shown here: --json has all of them." in html.unescape(text)
    assert text.count(f'<td role="cell" data-label="job">{match.job}</td>') == MAX_ROWS
