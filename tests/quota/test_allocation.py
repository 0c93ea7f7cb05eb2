"""Quotas and allocations worked out by hand or seen in a real pool; the recorded cycles are in test_recorded.py."""

from __future__ import annotations

import pytest

from htcq.quota.condor import Turn
from htcq.quota.group_limits import truncated
from htcq.quota.settings import Settings
from tests.quota.cycles import allocated, cycle, everything_matches, limits, quotas_of

SCALED = Settings(oversubscription=False)
LENIENT = Settings(strict_enforce=False)
SMALL_POOL = """
GROUP_NAMES = group_a group_b group_b.x
GROUP_QUOTA_group_a = 8
GROUP_QUOTA_group_b = 12
GROUP_QUOTA_group_b.x = 6
GROUP_ACCEPT_SURPLUS = true
"""
STATIC = """
GROUP_NAMES = physics chemistry
GROUP_QUOTA_physics = 20
GROUP_QUOTA_chemistry = 10
"""
NESTED = """
GROUP_NAMES = physics physics.hep physics.lep chemistry
GROUP_QUOTA_physics = 20
GROUP_QUOTA_physics.hep = 15
GROUP_QUOTA_physics.lep = 5
GROUP_QUOTA_chemistry = 10
"""


def test_with_oversubscription_a_parent_keeps_what_it_hands_on() -> None:
    """Seen in a running pool of weight 64: published were 44, 8, 12 and 6, which is 70."""
    quotas = cycle(SMALL_POOL, 64)

    assert quotas_of(quotas) == {"<none>": 44, "group_a": 8, "group_b": 12, "group_b.x": 6}
    assert [group.subtree_quota for group in quotas.groups] == [64, 8, 12, 6]
    assert quotas.rounds[0].surplus == 70


def test_without_oversubscription_a_parent_keeps_the_rest() -> None:
    quotas = cycle(SMALL_POOL, 64, settings=SCALED)

    assert quotas_of(quotas) == {"<none>": 44, "group_a": 8, "group_b": 6, "group_b.x": 6}
    assert quotas.rounds[0].surplus == 64


@pytest.mark.parametrize(
    ("pool", "settings", "physics", "chemistry", "rest"),
    [
        (30, Settings(), 20, 10, 0),
        (30, SCALED, 20, 10, 0),
        (15, Settings(), 20, 10, 0),
        (15, SCALED, 10, 5, 0),
        (60, Settings(), 20, 10, 30),
        (60, SCALED, 20, 10, 30),
        (0, Settings(), 0, 0, 0),
    ],
)
def test_static_quotas_are_scaled_to_a_small_pool_only_without_oversubscription(
    pool: float, settings: Settings, physics: float, chemistry: float, rest: float
) -> None:
    """The manual's example; it tells of the scaling, which the default setting does not do."""
    quotas = cycle(STATIC, pool, settings=settings)

    assert quotas_of(quotas) == {"<none>": rest, "chemistry": chemistry, "physics": physics}


def test_dynamic_quotas_are_shares_of_what_the_static_ones_leave_and_scaled_where_they_exceed_one() -> (
    None
):
    """Pool 100: 40 static; the shares 0.9 and 0.3 of the 60 become 0.75 and 0.25 of them."""
    knobs = """
    GROUP_NAMES = a b c
    GROUP_QUOTA_a = 40
    GROUP_QUOTA_DYNAMIC_b = 0.9
    GROUP_QUOTA_DYNAMIC_c = 0.3
    """
    quotas = quotas_of(cycle(knobs, 100))

    assert quotas == pytest.approx({"<none>": 0, "a": 40, "b": 45, "c": 15})


def test_a_subtree_that_is_given_nothing_has_no_quota_at_all() -> None:
    knobs = """
    GROUP_NAMES = a a.b
    GROUP_QUOTA_a = 0
    GROUP_QUOTA_a.b = 7
    """

    assert quotas_of(cycle(knobs, 100)) == {"<none>": 100, "a": 0, "a.b": 0}


def test_without_groups_the_root_has_the_pool_and_there_are_no_rounds() -> None:
    quotas = cycle("GROUP_NAMES = ", 10, {"<none>": 5})

    assert quotas_of(quotas) == {"<none>": 10}
    assert quotas.rounds == ()


def test_a_share_of_a_pool_loses_its_fraction_in_the_limit() -> None:
    """29 of 100 hundredths is 28 for a binary machine; the manual's two thirds of three quarters of 30 is 14."""
    one = cycle("GROUP_NAMES = q\nGROUP_QUOTA_DYNAMIC_q = .29", 100, {"q": 1000}).rounds[0]
    knobs = """
    GROUP_NAMES = physics physics.hep physics.lep chemistry
    GROUP_QUOTA_DYNAMIC_physics = .66667
    GROUP_QUOTA_DYNAMIC_chemistry = .33334
    GROUP_QUOTA_DYNAMIC_physics.hep = .75
    GROUP_QUOTA_DYNAMIC_physics.lep = .25
    """
    other = cycle(knobs, 30, {"physics.hep": 60, "physics.lep": 60}).rounds[0]

    assert {group: truncated(limit) for group, limit in limits(one).items()} == {"q": 28}
    assert {group: truncated(limit) for group, limit in limits(other).items()} == {
        "physics.hep": 14,
        "physics.lep": 4,
    }


@pytest.mark.parametrize(("settings", "physics"), [(Settings(), 20), (SCALED, 0)])
def test_groups_that_accept_no_surplus_stay_within_their_quota(
    settings: Settings, physics: float
) -> None:
    quotas = cycle(NESTED, 30, {"physics.hep": 60, "physics.lep": 60}, settings=settings)

    assert quotas_of(quotas)["physics"] == physics
    assert limits(quotas.rounds[0]) == {"physics.hep": 15, "physics.lep": 5}
    assert (quotas.rounds[0].surplus, quotas.rounds[0].max_delta) == (
        physics + 10,
        max(physics, 15),
    )


SURPLUS = (
    NESTED + "GROUP_ACCEPT_SURPLUS_physics.hep = true\nGROUP_ACCEPT_SURPLUS_physics.lep = true"
)


@pytest.mark.parametrize(
    ("settings", "got", "limit"), [(Settings(), 40, 20), (LENIENT, 40, 40), (SCALED, 20, 20)]
)
def test_a_child_that_accepts_surplus_takes_what_its_parent_kept_beside(
    settings: Settings, got: float, limit: float
) -> None:
    """With oversubscription physics keeps 20 though it hands on 20; only strictness holds the child back."""
    one = cycle(SURPLUS, 30, {"physics.hep": 60}, settings=settings).rounds[0]

    assert allocated(one)["physics.hep"] == got
    assert limits(one) == {"physics.hep": limit}


def test_the_first_of_two_children_may_take_all_of_the_parent_s_quota() -> None:
    """Seen with real daemons: 20 jobs of hep ran, none of lep, though its quota is 5."""
    one = cycle(
        SURPLUS, 30, {"physics.hep": 60, "physics.lep": 60}, take_turn=everything_matches
    ).rounds[0]

    assert (allocated(one)["physics.hep"], allocated(one)["physics.lep"]) == (30, 10)
    assert limits(one) == {"physics.hep": 20, "physics.lep": 0}


def test_without_oversubscription_each_child_gets_its_own() -> None:
    """Seen with real daemons: 15 and 5."""
    one = cycle(
        SURPLUS,
        30,
        {"physics.hep": 60, "physics.lep": 60},
        settings=SCALED,
        take_turn=everything_matches,
    ).rounds[0]

    assert limits(one) == {"physics.hep": 15, "physics.lep": 5}


def test_a_cycle_with_matches_is_the_one_that_a_running_pool_logged() -> None:
    """A pool of weight 64, logged by 25.14.1: group_a uses 20, group_b.x asks for 30 and finds room for 20."""
    quotas = cycle(
        SMALL_POOL,
        64,
        {"group_a": 20, "group_b.x": 30},
        {"group_a": 20},
        take_turn=lambda group, limit: Turn({group: 20}),
    )
    first, second = quotas.rounds[:2]

    assert allocated(first) == {"<none>": 0, "group_a": 20, "group_b": 0, "group_b.x": 30}
    assert (first.surplus, first.max_delta) == (20, 30)
    assert first.order == ("group_b", "group_b.x", "group_a", "<none>")
    assert limits(first)["group_b.x"] == 30
    assert sum(group.requested for group in second.groups) == 40
    assert (second.surplus, second.max_delta) == (30, 0)
    assert second.order == ("group_b", "group_a", "group_b.x", "<none>")
    assert second.limits == ()


def test_surplus_goes_by_quota_first_and_only_then_to_those_without() -> None:
    """Pool 40: quotas 10, 20 and 0, the root's 10 is free: a third and two thirds of it, nothing for c."""
    knobs = """
    GROUP_NAMES = a b c
    GROUP_QUOTA_a = 10
    GROUP_QUOTA_b = 20
    GROUP_QUOTA_c = 0
    GROUP_ACCEPT_SURPLUS = true
    """
    tight = cycle(knobs, 40, {"a": 90, "b": 90, "c": 90}).rounds[0]
    ample = cycle(knobs, 40, {"a": 11, "b": 21, "c": 90}).rounds[0]

    assert allocated(tight) == {
        "<none>": 0,
        "a": 10 + 10 * (10 / 30),
        "b": 20 + 10 * (20 / 30),
        "c": 0,
    }
    assert allocated(ample) == {"<none>": 0, "a": 11, "b": 21, "c": 8}
