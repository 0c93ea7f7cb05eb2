"""What submitters of one group may take in the first spin: priorities, the group's limit, ceilings and floors."""

from __future__ import annotations

import math

import pytest

from htcq.quota.shares import Claimant, Pie, SubmitterShare, ceiling_left, shares


def limits(found: tuple[SubmitterShare, ...]) -> dict[str, float]:
    return {each.name: each.limit for each in found}


def test_shares_go_by_the_inverse_of_priority() -> None:
    """1/1000 and 1/3000 are as 3 to 1: of 80, 60 and 20."""
    found = shares([Claimant("late", 3000.0), Claimant("early", 1000.0)], Pie(80.0))
    assert [(each.name, each.share, each.limit) for each in found] == [
        ("early", 0.75, 60),
        ("late", 0.25, 20),
    ]


def test_where_all_priorities_are_infinite_nobody_gets_anything() -> None:
    found = shares([Claimant("a", math.inf), Claimant("b", math.inf)], Pie(80.0))
    assert [(each.share, each.limit) for each in found] == [(0, 0), (0, 0)]


def test_what_is_used_already_is_taken_off_the_share() -> None:
    assert limits(
        shares([Claimant("a", 1.0, usage=30.0), Claimant("b", 1.0, usage=50.0)], Pie(80.0))
    ) == {
        "a": 10,
        "b": 0,
    }


def test_a_group_s_limit_is_the_base_of_its_shares() -> None:
    found = shares([Claimant("a", 1.0), Claimant("b", 1.0)], Pie(80.0, group_limit=10.0))
    assert limits(found) == {"a": 5, "b": 5}


@pytest.mark.parametrize(("preemption", "limit"), [(True, 10.0), (False, 4.0)])
def test_without_preemption_the_group_s_room_bounds_each(preemption: bool, limit: float) -> None:
    """Alone with a limit of 10 of which the group uses 6."""
    pie = Pie(80.0, group_limit=10.0, group_usage=6.0, consider_preemption=preemption)
    assert limits(shares([Claimant("a", 1.0)], pie)) == {"a": limit}


def test_priorities_may_be_ignored() -> None:
    found = shares(
        [Claimant("a", 1.0, 70.0), Claimant("b", 9.0)], Pie(80.0, ignore_priorities=True)
    )
    assert limits(found) == {"a": math.inf, "b": math.inf}


def test_a_limit_that_is_no_number_leaves_nothing() -> None:
    assert limits(shares([Claimant("a", 1.0)], Pie(80.0, group_limit=-2147483648.0))) == {"a": 0}


@pytest.mark.parametrize(
    ("ceiling", "usage", "left"),
    [(None, 5.0, None), (10, 3.9, 7), (10, 10.0, 0), (3, 10.0, 0), (0, 0.0, 0)],
)
def test_a_ceiling_leaves_what_the_whole_part_of_usage_does_not_take(
    ceiling: int | None, usage: float, left: int | None
) -> None:
    assert ceiling_left(Claimant("a", 500.0, usage=usage, ceiling=ceiling)) == left


@pytest.mark.parametrize(
    ("floor", "usage", "first"), [(None, 0.0, 0), (5, 0.0, 5), (5, 5.0, 0), (100, 0.0, 80)]
)
def test_a_floor_that_is_not_reached_comes_before_all_others(
    floor: int | None, usage: float, first: float
) -> None:
    """It bounds what may be given, not what may be used: with 2 used and a floor of 5, 5 more may be given."""
    assert shares([Claimant("a", 500.0, usage=usage, floor=floor)], Pie(80.0))[0].floor == first


def test_what_is_given_in_the_floor_round_is_the_floor_itself() -> None:
    assert shares([Claimant("a", 500.0, usage=2.0, floor=5)], Pie(80.0))[0].floor == 5


def test_nobody_shares_nothing() -> None:
    assert shares([], Pie(80.0)) == ()
