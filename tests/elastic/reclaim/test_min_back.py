"""In what time a min is back: by ends that are drawn, and by reclaims at their limits."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from htcq.elastic.cycle_pace import CyclePace
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.reclaim.ends import Draws
from htcq.elastic.reclaim.min_back import MinBack, mins_back
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim, IdleJobs
from htcq.quota.elastic.declaration import ElasticDemand
from htcq.settings.reclaim import ReclaimLimits

_ONE = {"cpus": 1, WEIGHT: PARTS}
_HOUR, _LIMITS = 3600.0, ReclaimLimits()


def target(group: str, least: float, leaf: bool = True) -> QuotaTarget:
    return QuotaTarget(group, group.rpartition(".")[0], leaf, least, True, least=least)


def look(ages: list[float], waiting: bool = False, **claim: object) -> ElasticObservation:
    """Return a pool that the group ``borrower`` has filled with jobs of those ages, of 10 users."""
    claims = tuple(
        replace(
            GroupClaim(
                "borrower", f"borrower.u{n % 10}@x", "ap", f"1.{n}", f"s{n}", "m", _ONE, 1e6 - age
            ),
            **claim,
        )
        for n, age in enumerate(ages)
    )
    idle = [IdleJobs("borrower", f"borrower.u{n}@x", "ap", "2.0", 5, _ONE) for n in range(10)]
    return ElasticObservation(
        1e6, "cm", ElasticDemand(), float(len(ages)), claims, tuple(idle) if waiting else (),
        weights={"borrower": float(len(ages))},
    )  # fmt: skip


def back(
    seen: ElasticObservation,
    lender: float,
    limits: ReclaimLimits = _LIMITS,
    draws: Draws | None = None,
    worklife: float = 1200,
    objective: float = math.inf,
) -> MinBack:
    """Return the min of the group ``lender`` beside the borrower, which has the rest as its min."""
    goals = (target("borrower", seen.pool_weight - lender), target("lender", lender))
    pace, wanted = CyclePace(60, worklife), {"lender": objective}
    return mins_back(goals, seen, limits, pace, wanted, draws or Draws(random.Random(1)))[-1]


# By reclaim
# --------------------------------------------------------------------------------------------------


def test_half_of_a_large_pool_is_back_in_minutes_at_the_default_limits() -> None:
    """400 jobs after two minutes of need, 600 two cycles later; the next cycle matches them."""
    found = back(look([10 * _HOUR] * 2000), 1000)
    assert (found.missing, found.free, found.reclaim) == (1000, 0, 120 + 120 + 60)


@pytest.mark.parametrize("above", [20.0, 30.0])
def test_what_a_sibling_has_comes_back_though_the_group_above_both_is_below_its_min(
    above: float,
) -> None:
    seen = look([10 * _HOUR] * 20)
    seen = replace(
        seen,
        claims=tuple(replace(each, group="a.borrower") for each in seen.claims),
        weights={"a.borrower": 20.0},
    )
    goals = (target("a", above, False), target("a.borrower", 10), target("a.lender", 10))
    draws = Draws(random.Random(1))
    found = mins_back(goals, seen, _LIMITS, CyclePace(60, 1200), {}, draws)[-1]

    assert (found.group, found.lent) == ("a.lender", 10)
    assert found.ends is not None
    assert found.reclaim == 120 + 120 + 60


def test_what_others_above_keep_to_themselves_does_not_come_back() -> None:
    """a.borrower uses 10 more than its min, and a only 4: the rest of it a.lender lends."""
    seen = look([10 * _HOUR] * 20)
    seen = replace(
        seen,
        claims=tuple(replace(each, group="a.borrower") for each in seen.claims),
        weights={"a.borrower": 20.0},
    )
    goals = (
        target("a", 16, False), target("a.borrower", 10), target("a.lender", 6), target("b", 5),
    )  # fmt: skip
    draws = Draws(random.Random(1))
    found = mins_back(goals, seen, _LIMITS, CyclePace(60, 1200), {}, draws)[-1]

    assert (found.group, found.lent, found.ends, found.reclaim) == ("b", 5, None, None)


def test_where_no_slot_says_since_when_its_job_runs_that_is_the_reason() -> None:
    assert not back(look([_HOUR] * 4), 2).starts_unknown
    found = back(look([_HOUR] * 4, started=None), 2)
    assert (found.ends, found.reclaim, found.starts_unknown) == (None, None, True)


def test_where_nobody_uses_more_than_its_min_nothing_comes_back() -> None:
    """The mins are more than the pool has."""
    goals = (target("borrower", 10), target("lender", 3))
    seen = look([_HOUR] * 10)
    (found,) = mins_back(goals, seen, _LIMITS, CyclePace(60, 1200), {}, Draws(random.Random(1)))
    assert (found.group, found.ends, found.reclaim) == ("lender", None, None)
    assert not found.starts_unknown


def test_limits_of_a_day_make_it_days() -> None:
    unlimited = ReclaimLimits(day_hours=1e9, group_hours=1e9, user_hours=1e9)
    found = back(look([10 * _HOUR] * 2000), 1000, replace(unlimited, day_jobs=200))
    assert found.reclaim == 120 + 4 * 86400 + 60
    hours = back(look([10 * _HOUR] * 2000), 1000, ReclaimLimits(day_hours=9000.0))
    assert hours.reclaim is not None
    assert 86400 < hours.reclaim < 2 * 86400


def test_jobs_that_have_run_for_too_little_are_waited_for() -> None:
    found = back(look([100.0] * 10), 2, ReclaimLimits(min_runtime=1000, pool_percent=100))
    assert found.reclaim == 900 + 60


def test_jobs_that_are_never_vacated_bring_nothing_back() -> None:
    protected = look([_HOUR] * 10, protected="by its owner")
    assert back(protected, 5).reclaim is None
    assert back(look([_HOUR] * 10), 5, ReclaimLimits(vacates=0)).reclaim is None


def test_what_is_free_is_matched_in_one_cycle() -> None:
    seen = replace(look([_HOUR] * 6), pool_weight=10.0)
    found = back(seen, 4)
    assert (found.missing, found.free, found.ends, found.reclaim) == (4, 4, 60, 60)


def test_departments_have_their_mins_back_as_well() -> None:
    goals = (target("p", 4, leaf=False), target("p.a", 0), target("borrower", 4))
    found = mins_back(
        goals, look([_HOUR] * 8), ReclaimLimits(), CyclePace(), {}, Draws(random.Random(1))
    )
    assert [(each.group, each.missing) for each in found] == [("p", 4)]
    assert found[0].ends == 3600 + 60


# As claims end
# --------------------------------------------------------------------------------------------------


def test_a_claim_of_a_submitter_with_more_jobs_is_used_on_until_its_worklife() -> None:
    ages = [100.0] * 8
    assert back(look(ages), 4).ends == 100 + 60
    assert back(look(ages, waiting=True), 4).ends == 1100 + 100 + 60
    assert back(look(ages, waiting=True), 4, worklife=-1).ends is None


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_the_time_is_what_jobs_that_come_and_go_evenly_take(history: bool, sigma: float) -> None:
    """Within 20 %: log-normal run times of an hour in the median, seen at any moment.

    That a job of a given age runs on is drawn here by the definition: of all jobs, by their length.
    """
    dice = random.Random(7)
    # A longer job is seen more often: by its length.
    median = math.log(_HOUR) + sigma * sigma
    lengths = [dice.lognormvariate(median, sigma) for _ in range(400)]
    ages = [dice.uniform(0, length) for length in lengths]

    def real() -> float:
        left = []
        for age in ages:
            while (length := dice.lognormvariate(math.log(_HOUR), sigma)) <= age:
                pass
            left.append(length - age)
        return sorted(left)[199]

    usual = sorted(real() for _ in range(40))[37]
    draws = Draws(random.Random(2))
    if history:
        draws = replace(draws, run_time=lambda _, dice: dice.lognormvariate(math.log(_HOUR), sigma))
    found = back(look(ages), 200, draws=draws).ends
    assert found is not None
    assert abs((found - 60) / usual - 1) < 0.2


def test_it_is_late_where_neither_way_is_in_time() -> None:
    seen = look([2 * _HOUR] * 20)
    assert not back(seen, 10).late
    assert not back(seen, 10, objective=600.0).late
    assert not back(seen, 10, ReclaimLimits(day_jobs=1), objective=3 * _HOUR).late
    assert back(seen, 10, ReclaimLimits(day_jobs=1), objective=600.0).late
