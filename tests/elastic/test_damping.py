"""Quotas move in bounded steps, and mins do not wait; numbers by hand in a pool of 100 with the usual limits."""

from __future__ import annotations

from collections.abc import Mapping

from htcq.elastic.damping import HELD, MOVING, SMALL, Damped, StepLimits, damp
from tests.elastic.writing import NOW, target

POOL = 100.0


def step(
    before: Mapping[str, float],
    goals: Mapping[str, float],
    mins: Mapping[str, float] | None = None,
    changed: Mapping[str, float] | None = None,
    limits: StepLimits | None = None,
    pool: float = POOL,
) -> Damped:
    targets = [target(name, quota) for name, quota in goals.items()]
    return damp(targets, before, mins or {}, pool, changed or {}, NOW, limits or StepLimits())


def test_a_tenth_of_the_pool_goes_up_at_a_time() -> None:
    done = step({"a": 10.0, "b": 0.0}, {"a": 60.0, "b": 0.0})

    assert done.quotas == {"a": 20.0, "b": 0.0}
    assert done.why == {"a": MOVING}


def test_what_goes_up_is_shared_in_proportion() -> None:
    done = step({"a": 0.0, "b": 0.0}, {"a": 60.0, "b": 40.0})

    assert done.quotas == {"a": 6.0, "b": 4.0}


def test_it_goes_down_half_as_fast_where_nobody_needs_the_room() -> None:
    done = step({"a": 80.0}, {"a": 10.0})

    assert done.quotas == {"a": 75.0}


def test_it_goes_down_as_fast_as_others_need_the_room() -> None:
    done = step({"a": 100.0, "b": 0.0}, {"a": 50.0, "b": 50.0})

    assert done.quotas == {"a": 90.0, "b": 10.0}


def test_small_changes_wait() -> None:
    done = step({"a": 50.0, "b": 5.0}, {"a": 50.9, "b": 5.5})

    assert done.quotas == {"a": 50.0, "b": 5.0}
    assert done.why == {"a": SMALL, "b": SMALL}


def test_a_change_of_two_percent_of_a_great_quota_is_not_small() -> None:
    great = step({"a": 1000.0}, {"a": 1019.0}, pool=2000.0)
    greater = step({"a": 1000.0}, {"a": 1020.0}, pool=2000.0)

    assert (great.quotas["a"], greater.quotas["a"]) == (1000.0, 1020.0)


def test_a_group_rests_for_ten_minutes_after_a_change() -> None:
    for ago, quota in ((599.0, 10.0), (600.0, 20.0)):
        assert step({"a": 10.0}, {"a": 60.0}, changed={"a": NOW - ago}).quotas["a"] == quota


def test_up_to_its_min_a_group_is_raised_at_once_whatever_was_changed() -> None:
    done = step(
        {"lender": 2.0, "borrower": 98.0},
        {"lender": 50.0, "borrower": 50.0},
        mins={"lender": 50.0, "borrower": 50.0},
        changed={"lender": NOW - 1, "borrower": NOW - 1},
    )

    assert done.quotas == {"lender": 50.0, "borrower": 50.0}


def test_even_a_little_is_given_at_once_where_it_is_guaranteed() -> None:
    assert step({"a": 9.5}, {"a": 10.0}, mins={"a": 10.0}).quotas["a"] == 10.0


def test_a_min_that_is_not_asked_for_is_not_given() -> None:
    assert step({"a": 0.0}, {"a": 3.0}, mins={"a": 50.0}).quotas["a"] == 3.0


def test_where_the_pool_became_smaller_everybody_goes_down_at_once() -> None:
    done = step(
        {"a": 60.0, "b": 40.0}, {"a": 30.0, "b": 20.0}, changed={"a": NOW, "b": NOW}, pool=50.0
    )

    assert done.quotas == {"a": 30.0, "b": 20.0}


def test_a_group_above_others_has_what_they_have() -> None:
    goals = [target("phys", 60.0, leaf=False), target("phys.hep", 50.0), target("phys.lep", 10.0)]
    done = damp(
        goals, {"phys": 20.0, "phys.hep": 10.0, "phys.lep": 10.0}, {}, POOL, {}, NOW, StepLimits()
    )

    assert done.quotas == {"phys": 30.0, "phys.hep": 20.0, "phys.lep": 10.0}


def test_jobs_of_a_group_above_others_are_damped_as_if_they_were_a_group() -> None:
    goals = [target("phys", 60.0, leaf=False), target("phys.hep", 10.0)]
    done = damp(goals, {"phys": 10.0, "phys.hep": 10.0}, {}, POOL, {}, NOW, StepLimits())

    assert done.quotas == {"phys": 20.0, "phys.hep": 10.0}


def test_in_a_pool_of_a_few_slots_at_least_one_moves() -> None:
    assert step({"a": 0.0}, {"a": 4.0}, pool=4.0).quotas["a"] == 1.0


def test_held_groups_do_not_keep_others_from_moving() -> None:
    done = step({"a": 10.0, "b": 10.0}, {"a": 30.0, "b": 30.0}, changed={"a": NOW - 1})

    assert done.quotas == {"a": 10.0, "b": 20.0}
    assert done.why == {"a": HELD, "b": MOVING}


def test_quotas_with_fractions_reach_their_goals() -> None:
    quotas: Mapping[str, float] = {"a": 2.5, "b": 0.0}
    goals = {"a": 0.25, "b": 4.75}
    for _ in range(100):
        quotas = step(
            quotas,
            goals,
            pool=5.0,
            limits=StepLimits(min_change=0.0, min_change_part=0.0, hold_time=0.0),
        ).quotas
    assert quotas == goals
