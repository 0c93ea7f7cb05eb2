"""Work is precious: what it costs, whose it may be, how much of it a day, and how fast.

A borrower runs eight jobs of one cpu for an hour each, so that each loses one weight-hour; the
lender waits with four, its min.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from htcq.elastic.reclaim.budget import ReclaimBudget
from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.reclaim_events import IntentEvent, MeasurementEvent, ReclaimEvent
from htcq.elastic.reclaim.reclaim_fields import JobEntry
from htcq.elastic.records import PARTS, WEIGHT, GroupClaim
from htcq.settings.reclaim import GroupLimits, ReclaimLimits
from tests.elastic.reclaim.scenes import AT_ONCE, NOW, Scene, borrowed, victims, why
from tests.elastic.reclaim.test_past import record

PACED = replace(AT_ONCE, pool_percent=10)


def taken(
    action: str, ago: float, jobs: Sequence[str], useful: bool, **job: Any
) -> list[ReclaimEvent]:
    """Return the records of an action whose slots those in need have taken, or not."""
    entries = [{"schedd": "access1", "job": each, **job} for each in jobs]
    intent = record(IntentEvent, ago, action=action, jobs=entries, needy=["lender"], places=["x"])
    return [intent, record(MeasurementEvent, ago - 1, action=action, taken=useful)]


def test_it_paces_itself_by_what_those_in_need_have_taken() -> None:
    """8 slots at a timer of 5 minutes: 1, 2, 4 and the last, in 15 minutes and not 40."""
    scene = borrowed(8, 4)
    first = taken("a", 900, ["9.0"], True)
    second = taken("b", 600, ["9.1", "9.2"], True)
    useless = taken("c", 300, ["9.3"], False)

    assert len(scene.plan(PACED).evictions) == 1
    assert len(scene.plan(PACED, first).evictions) == 2
    assert len(scene.plan(PACED, [*first, *second]).evictions) == 4
    assert len(scene.plan(PACED, [*first, *second, *useless]).evictions) == 1
    long_ago = taken("a", 4000, ["9.0"], True)
    assert len(scene.plan(PACED, long_ago).evictions) == 1


def test_no_job_is_taken_back_twice() -> None:
    events = taken("a", 80_000, ["1.0"], True)
    assert ReclaimLimits().vacates == 1
    plan = borrowed(8, 4).plan(AT_ONCE, events)

    assert "1.0" not in victims(plan)
    assert why(plan)["1.0"] == "it was vacated 1 times already"


@pytest.mark.parametrize(
    ("limits", "most", "said"),
    [
        ({"day_hours": 2.0}, 2, "the limit of 2 lost hours a day in all is reached"),
        ({"group_hours": 1.5}, 1, "the limit of 1.5 lost hours a day of borrower is reached"),
        ({"user_hours": 3.0}, 3, "the limit of 3 lost hours a day of borrower.bob@site is reached"),
        (
            {"groups": {"borrower": GroupLimits(0, 0, 1.0)}, "group_hours": 9.0},
            1,
            "the limit of 1 lost hours a day of borrower is reached",
        ),
        ({"day_hours": 0.0}, 0, "the limit of 0 lost hours a day in all is reached"),
    ],
)
def test_the_work_that_is_lost_in_a_day_is_limited(
    limits: dict[str, Any], most: int, said: str
) -> None:
    plan = borrowed(8, 4).plan(replace(AT_ONCE, **limits))

    assert len(plan.evictions) == most
    assert said in why(plan).values()


def test_work_that_was_lost_today_counts_and_that_of_yesterday_does_not() -> None:
    bob = {"group": "borrower", "submitter": "borrower.bob@site", "lost_weight_hours": 2.5}
    limits = replace(AT_ONCE, user_hours=4.0)

    assert len(borrowed(8, 4).plan(limits, taken("a", 3600, ["9.0"], True, **bob)).evictions) == 1
    assert len(borrowed(8, 4).plan(limits, taken("a", 86500, ["9.0"], True, **bob)).evictions) == 4


def one(**more: Any) -> Scene:
    """Return the borrower on all of a machine, with one job that is told apart."""
    scene = Scene().machine()
    for number in range(7):
        scene.runs(f"1.{number}", "borrower")
    return scene.runs("3.0", "borrower", **more).waits("2.0", "lender", 1)


def test_fault_12_a_job_in_its_retirement_time_is_left_alone() -> None:
    """It ran an hour; the machine allows two, and the job can only shorten that."""
    allowed = {"slot_ad": {"MaxJobRetirementTime": "7200"}}
    short = one(started=NOW - 700, **allowed).plan()
    assert "3.0" not in victims(short)
    assert why(short)["3.0"] == "its MaxJobRetirementTime lasts 6500 s more"

    assert victims(one(started=NOW - 700, MaxJobRetirementTime=600, **allowed).plan()) == ["3.0"]
    assert victims(one(started=NOW - 700, MaxJobRetirementTime=7200).plan()) == ["3.0"]


def test_a_job_says_what_its_work_counts_for() -> None:
    """The shortest run goes first, unless its work counts for more."""
    assert victims(one(started=NOW - 1800).plan()) == ["3.0"]
    dear = one(started=NOW - 1800, HtcqVacateCost=3).plan()
    assert victims(dear) == ["1.0"]
    cheap = one(started=NOW - 7200, HtcqVacateCost="0.25").plan()
    assert victims(cheap) == ["3.0"]
    assert cheap.lost_weight_hours == 0.5
    assert victims(one(started=NOW - 1800, HtcqVacateCost="-1").plan()) == ["3.0"]


def test_a_group_has_its_own_time_to_run() -> None:
    limits = replace(AT_ONCE, groups={"borrower": GroupLimits(7200, 0, 100.0)})
    plan = borrowed(8, 4).plan(limits)

    assert not plan.evictions
    assert "it has run 3600 s of the 7200 s that are guaranteed to every job" in why(plan).values()


def test_a_min_of_half_a_large_pool_can_come_back_within_a_day_by_the_defaults() -> None:
    """2,000 claims of one cpu, each of which ran for ten hours: 1,000 of them come back."""
    budget = ReclaimBudget(ReclaimLimits(pool_percent=100), 2000, 2000.0)
    one = GroupClaim("borrower", "borrower.bob@site", "ap", "1.0", "s", "n", {WEIGHT: PARTS})
    taken_back = 0
    while not budget.refusal(Candidate(one, "s", 36_000.0), ()):
        budget.spend([Candidate(one, "s", 36_000.0)])
        taken_back += 1
        if taken_back % 500 == 0:
            # The next reclaim of the day.
            entry = JobEntry("ap", "1.0", "borrower", "borrower.bob@site", 10.0)
            budget = ReclaimBudget(
                ReclaimLimits(pool_percent=100), 2000, 2000.0, [entry] * taken_back
            )
    assert taken_back == 1200
