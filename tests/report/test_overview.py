"""The sentence on the state of a pool: what is said, what is left out, and since when."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from htcq.audit.engine import Audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Severity
from htcq.audit.stock import Stock, Stranded, stock_of
from htcq.drift.explanation import DriftExplanation, Remembered, tell
from htcq.poolquota.ailment import Ailment
from htcq.report.charts.pictures import Pictures
from htcq.report.pages.overview import overview_page
from htcq.report.views.overview import (
    Seen,
    groups_off_quota,
    since_words,
    verdict,
    worst_findings,
)
from tests.audit.rules.quota.groups import uses, wants
from tests.audit.sites import pool, slot
from tests.drift.looks import sample
from tests.poolquota.looks import look
from tests.report.audits import QUOTA, WEIGHT
from tests.report.pages import Page

ZONE = timezone(timedelta(hours=1), "CET")
#: Saturday, and the Thursday before.
NOW = datetime(2026, 11, 7, 12, 15, tzinfo=ZONE).timestamp()
THURSDAY = datetime(2026, 11, 5, 9, tzinfo=ZONE).timestamp()
CONFIG = "GROUP_NAMES = chem, bio\nGROUP_QUOTA_chem = 20\nGROUP_QUOTA_bio = 40\n"
OVER = look(CONFIG, *uses("chem", 30), wants("chem", 10, 30))
STOCK = stock_of(Evidence(pool(slot(), jobs=())))
CALM = Seen(look(CONFIG), STOCK, Audit((), ()))


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
    said = "0 of 8 cores are in use, every group has its quota and the audit found no error."

    assert verdict(CALM) == said


def test_a_group_above_its_quota_is_named_with_the_day_on_which_that_began() -> None:
    seen = replace(CALM, look=OVER, story=story(), now=NOW, zone=ZONE)

    assert verdict(seen) == "Chem uses 30 cores, more than its quota of 20 since Thursday."


def test_without_a_history_or_the_time_of_the_capture_nobody_knows_since_when() -> None:
    without = "Chem uses 30 cores, more than its quota of 20."

    assert verdict(replace(CALM, look=OVER, now=NOW)) == without
    assert verdict(replace(CALM, look=OVER, story=story())) == without
    assert verdict(replace(CALM, look=OVER, story=story(over=False), now=NOW)) == without


def test_a_group_that_accepts_surplus_may_use_what_others_leave() -> None:
    lent = look(f"{CONFIG}GROUP_ACCEPT_SURPLUS = True\n", *uses("chem", 30), wants("chem", 10, 30))

    assert groups_off_quota(lent) == ()


def test_a_group_below_its_quota_is_off_only_while_its_jobs_wait() -> None:
    idle = look(CONFIG, *uses("bio", 10))
    waits = look(CONFIG, *uses("bio", 10), wants("bio", 50, 10))

    assert groups_off_quota(idle) == ()
    assert verdict(replace(CALM, look=waits)) == (
        "Bio uses 10 of its 40 cores while its jobs wait."
    )


def test_what_could_not_be_read_comes_first_and_is_never_fine() -> None:
    sick = Ailment("negotiator-late", "the negotiator has been silent for 2 h")
    seen = replace(CALM, audit=Audit((), (), incomplete=("jobs.ads: a line is cut off",)))

    assert verdict(seen) == "1 part of the pool could not be read."
    assert verdict(replace(seen, audit=replace(seen.audit, health=(sick,)))) == (
        "The pool is not healthy: the negotiator has been silent for 2 h; "
        "1 part of the pool could not be read."
    )


@pytest.mark.parametrize(("cores", "said"), [(96, True), (1, False)])
def test_stranded_cores_are_said_from_a_hundredth_of_the_pool_on(cores: int, said: bool) -> None:
    stranded = Stranded(("memory",), {"cpus": cores, "memory": 0, "gpus": 0})
    stocks = {**STOCK.stocks, "cpus": Stock(used=900, free=100, stranded=cores)}
    seen = replace(CALM, stock=replace(STOCK, stocks=stocks, stranded=(stranded,)))

    assert ("96 cores stand idle for lack of memory" in verdict(seen)) is said


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


def test_the_quotas_of_groups_are_added_up_without_what_no_group_has() -> None:
    given = pool(slot(), jobs=())
    page = Page(overview_page(CALM, given, Pictures(), ()))

    told = "The pool has 100 cores; the quotas of its groups add up to 60, and 0 are used."
    assert told in page.texts["p"]
    assert "no group: 40 in no quota, uses 0" in page.texts["title"]


def test_errors_come_before_warnings_and_many_before_few() -> None:
    few = replace(WEIGHT, count=3)
    found = Audit((QUOTA, few, WEIGHT), ())

    assert list(worst_findings(found, 2)) == [WEIGHT, few]
    assert verdict(replace(CALM, audit=found)) == "The audit found 2 errors."
    assert WEIGHT.severity is Severity.ERROR
