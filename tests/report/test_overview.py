"""The sentence on the state of a pool: what is said, what is left out, and since when."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from htcq.audit.engine import Audit
from htcq.audit.rule import Severity
from htcq.drift.explanation import DriftExplanation, Remembered, tell
from htcq.pool.pool import Pool
from htcq.poolquota.ailment import Ailment
from htcq.report.charts.pictures import Pictures
from htcq.report.pages.overview import overview_page
from htcq.report.views.overview import Seen, groups_over, since_words, verdict, worst_findings
from tests.audit.rules.quota.groups import groups, uses, wants
from tests.audit.sites import negotiator, pool, slot
from tests.balance.pools import GOLDEN, balanced, pool_at
from tests.drift.looks import sample
from tests.poolquota.looks import look, looked
from tests.report.audits import QUOTA, WEIGHT
from tests.report.pages import Page

ZONE = timezone(timedelta(hours=1), "CET")
#: Saturday, and the Thursday before.
NOW = datetime(2026, 11, 7, 12, 15, tzinfo=ZONE).timestamp()
THURSDAY = datetime(2026, 11, 5, 9, tzinfo=ZONE).timestamp()
CONFIG = "GROUP_NAMES = chem, bio\nGROUP_QUOTA_chem = 20\nGROUP_QUOTA_bio = 40\n"
OVER = (*uses("chem", 30), wants("chem", 10, 30))
DRAINED = GOLDEN / "drained" / "half-the-weight-drained.tar.gz"


def seen(config: str = CONFIG, *ads: str, weight: int = 100) -> Seen:
    """Return what is seen of a pool with groups, of which so much is free."""
    return of(groups(config, *ads, negotiator(), weight=weight))


def of(given: Pool) -> Seen:
    """Return what is seen of a pool."""
    return Seen(looked(given), balanced(given), Audit((), ()))


CALM = seen()


def story(over: bool = True) -> DriftExplanation:
    """Return a week in which chemistry is above its quota from Thursday on."""
    since, samples = int(NOW) - 7 * 86400, []
    for end in range(since + 900, int(NOW) + 1, 900):
        usage, seconds = 20.0, 0.0
        if end > THURSDAY and over:
            usage, seconds = 30.0, 900.0
        samples.append(sample("chem", end, usage, 20.0, 900, over=seconds))
    return tell(Remembered("pool", "slot weight", since, samples, ()), since, int(NOW))


def test_a_calm_pool_says_how_much_is_in_use() -> None:
    said = (
        "0 of 100 cores run jobs, 0 jobs wait, every group has what quota and demand give and the "
        "audit found no error."
    )

    assert verdict(CALM) == said


def test_a_group_above_its_quota_is_named_with_the_day_on_which_that_began() -> None:
    given = replace(seen(CONFIG, *OVER), story=story(), now=NOW, zone=ZONE)

    assert verdict(given) == "Group chem uses 30 cores, 10 more than its quota since Thursday."


def test_without_a_history_or_the_time_of_the_capture_nobody_knows_since_when() -> None:
    without, given = "Group chem uses 30 cores, 10 more than its quota.", seen(CONFIG, *OVER)

    assert verdict(replace(given, now=NOW)) == without
    assert verdict(replace(given, story=story())) == without
    assert verdict(replace(given, story=story(over=False), now=NOW)) == without


def test_a_group_that_accepts_surplus_may_use_what_others_leave() -> None:
    lent = look(f"{CONFIG}GROUP_ACCEPT_SURPLUS = True\n", *OVER)

    assert groups_over(lent) == ()


def test_a_group_is_below_only_if_it_asks_for_more_and_then_by_the_lesser_of_quota_and_demand() -> (
    None
):
    """The pool is full, and its quotas are 20 and 40: bio has 10 and asks for 15, or for 60."""
    full = (*OVER, *uses("bio", 10))

    few = verdict(seen(CONFIG, *full, wants("bio", 5, 10), weight=0))
    many = verdict(seen(CONFIG, *full, wants("bio", 50, 10), weight=0))

    assert "bio" not in verdict(seen(CONFIG, *full, weight=0))
    assert few.startswith("Group bio has 10 of the 15 cores that quota and demand give; ")
    assert many.startswith("Group bio has 10 of the 40 cores that quota and demand give; ")


def test_the_first_thing_said_is_what_stands_idle_while_jobs_wait() -> None:
    assert verdict(of(pool_at(DRAINED))) == (
        "64 cores stand idle while 73 jobs wait: 64 drained since 05:13 by condor; group "
        "physics.hep has 17.5 of the 90 slot weight that quota and demand give; 2 more groups below."
    )


def test_what_could_not_be_read_comes_first_and_is_never_fine() -> None:
    sick = Ailment("negotiator-late", "the negotiator has been silent for 2 h")
    seen = replace(CALM, audit=Audit((), (), incomplete=("jobs.ads: a line is cut off",)))

    assert verdict(seen) == "1 part of the pool could not be read."
    assert verdict(replace(seen, audit=replace(seen.audit, health=(sick,)))) == (
        "The pool is not healthy: the negotiator has been silent for 2 h; "
        "1 part of the pool could not be read."
    )


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (4, "since 08:15"),
        (51.25, "since Thursday"),
        (5 * 24, "since Monday"),
        (240, "since 28 October"),
    ],
)
def test_since_when_is_said_as_people_do(hours: float, words: str) -> None:
    assert since_words(NOW - hours * 3600, NOW, ZONE) == words


def test_every_cause_stands_in_the_bar_and_in_its_text() -> None:
    given = pool_at(DRAINED)
    page = Page(overview_page(of(given), given, Pictures(), ()))

    bar = "the pool, GiB of memory: 129 running, 127 stranded, 512 drained"
    assert bar in page.texts["title"]
    assert [part for part in page.texts["title"] if part == "512 drained"]
    assert {"129 running", "127 stranded", "512 drained"} <= set(page.texts["li"])
    assert "of 128: 29 running, 99 stranded" in page.texts["span"]


def test_a_kind_of_node_has_the_exact_memory_in_its_name() -> None:
    given = pool(slot(Memory=523264, TotalSlotMemory=523264), negotiator(), jobs=())

    assert "8 cores, 511 GiB" in Page(overview_page(of(given), given, Pictures(), ())).texts["th"]


def test_the_quotas_of_groups_are_added_up_without_what_no_group_has() -> None:
    page = Page(overview_page(CALM, groups(CONFIG), Pictures(), ()))

    told = "The pool has 100 cores; the quotas of its groups add up to 60, and 0 are used."
    assert told in page.texts["p"]
    assert "no group: 40 in no quota, uses 0" in page.texts["title"]


def test_the_areas_of_a_tree_are_its_quotas_and_a_group_lies_not_beside_its_subgroups() -> None:
    """Oversubscription lets physics keep the 90 of its 150 that it hands on: 240 of a pool of 144."""
    config = """GROUP_NAMES = physics, physics.hep, bio
    GROUP_QUOTA_physics = 100
    GROUP_QUOTA_physics.hep = 90
    GROUP_QUOTA_bio = 34
    """
    given = seen(config, weight=144)
    page = Page(overview_page(given, groups(config), Pictures(), ()))
    areas = {}
    for (_, attributes), title in zip(_boxes(page), page.texts["title"][-4:]):
        width, height = (float(str(attributes[each]).rstrip("%")) for each in ("width", "height"))
        areas[title.partition(":")[0]] = round(width * height / 10000 * 144)

    assert areas == {"physics.hep": 90, "bio": 34, "no group": 10, "physics": 10}
    assert (
        "The pool has 144 cores; the quotas of its groups add up to 134, and 0 are used."
        in page.texts["p"]
    )


def _boxes(page: Page) -> list[tuple[str, dict[str, str | None]]]:
    return [each for each in page.elements if each[1].get("class") == "box"]


def test_the_first_findings_of_the_audit_are_shown_and_its_errors_counted() -> None:
    """The engine ranks them (tests/audit/test_engine.py)."""
    few = replace(WEIGHT, count=3)
    found = Audit((WEIGHT, few, QUOTA), ())

    assert list(worst_findings(found, 2)) == [WEIGHT, few]
    assert verdict(replace(CALM, audit=found)) == "The audit found 2 errors."
    assert WEIGHT.severity is Severity.ERROR
