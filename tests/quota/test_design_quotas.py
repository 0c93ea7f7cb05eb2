"""HTCondor's group quota design, what a static and what a dynamic quota means, and the manual's examples of both.

A test whose name or docstring says that the design differs shows what HTCondor 25.14 does
instead. SCALED is NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False; the design knows nothing
else, but the default is True."""

from __future__ import annotations

import pytest

from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import build_tree
from htcq.quota.settings import Settings
from tests.quota.cycles import allocated, cycle, everything_matches, knobs_of, limits, quotas_of

SCALED = Settings(oversubscription=False)
FAMILY = """
GROUP_NAMES = p p.x p.y
GROUP_QUOTA_p = 20
GROUP_QUOTA_p.x = {x}
GROUP_QUOTA_p.y = {y}
"""


def family(x: float, y: float) -> str:
    return FAMILY.format(x=x, y=y)


@pytest.mark.parametrize("settings", [Settings(), SCALED])
def test_a_static_quota_is_the_least_that_a_group_with_demand_is_allocated(
    settings: Settings,
) -> None:
    """Static quota, its meaning: here the pool has enough for all of them."""
    one = cycle(family(8, 12), 20, {"p.x": 99, "p.y": 99}, settings=settings).rounds[0]
    assert allocated(one) == {"<none>": 0, "p": 0, "p.x": 8, "p.y": 12}


def test_the_least_is_not_what_a_group_gets_where_a_sibling_may_use_the_parent_s_quota_first() -> (
    None
):
    """Static quota, its meaning: the design promises y its 12. x is allocated 8 and 8/20 of p's own 20, which is 16,
    y 12 and 12, and the 20 of p are a bound for both: 16 and 4.
    """
    knobs = family(8, 12) + "GROUP_ACCEPT_SURPLUS_p.x = True\nGROUP_ACCEPT_SURPLUS_p.y = True"
    one = cycle(knobs, 20, {"p.x": 99, "p.y": 99}, take_turn=everything_matches).rounds[0]
    assert (allocated(one)["p.x"], allocated(one)["p.y"]) == (16, 24)
    assert limits(one) == {"p.x": 16, "p.y": 4}


def test_the_least_is_more_than_there_is_where_the_pool_is_smaller_than_the_quotas() -> None:
    """Static quota, its meaning: 20 are promised to groups of a pool of 10, and only without the default scaled."""
    by_default, scaled = (
        quotas_of(cycle(family(8, 12), 10, settings=settings)) for settings in (Settings(), SCALED)
    )
    assert by_default == {"<none>": 0, "p": 20, "p.x": 8, "p.y": 12}
    assert scaled == {"<none>": 0, "p": 0, "p.x": 4, "p.y": 6}


def test_nothing_keeps_children_from_having_more_than_their_parent() -> None:
    """Static quota, the sum over children: the design forbids 18 + 12 of 20. HTCondor does not complain: by default
    both have theirs, otherwise both are scaled by 20/30.
    """
    assert build_tree(knobs_of(family(18, 12)))[1] == ()
    assert quotas_of(cycle(family(18, 12), 50)) == {"<none>": 30, "p": 20, "p.x": 18, "p.y": 12}
    assert quotas_of(cycle(family(18, 12), 50, settings=SCALED)) == pytest.approx(
        {"<none>": 30, "p": 0, "p.x": 12, "p.y": 8}
    )


def test_what_children_leave_is_their_parent_s_but_by_default_the_parent_keeps_all() -> None:
    """Static quota, the remainder: 20 - 8 - 5 by the design; by default p has 20 beside the 13 below it."""
    assert quotas_of(cycle(family(8, 5), 50, settings=SCALED))["p"] == 7
    assert quotas_of(cycle(family(8, 5), 50))["p"] == 20


@pytest.mark.parametrize("settings", [Settings(), SCALED])
def test_what_the_groups_leave_is_the_root_s_whatever_the_setting(settings: Settings) -> None:
    """Static quota, the remainder, at the root: 50 - 20."""
    assert quotas_of(cycle(family(8, 5), 50, settings=settings))["<none>"] == 30


def test_a_dynamic_quota_becomes_an_amount_at_each_level_of_the_tree() -> None:
    """Dynamic quota, its meaning: half of 80 is 40, a quarter of that 10, and half of that 5."""
    knobs = """
    GROUP_NAMES = p p.x p.x.deep
    GROUP_QUOTA_DYNAMIC_p = 0.5
    GROUP_QUOTA_DYNAMIC_p.x = 0.25
    GROUP_QUOTA_DYNAMIC_p.x.deep = 0.5
    """
    assert quotas_of(cycle(knobs, 80)) == {"<none>": 40, "p": 40, "p.x": 10, "p.x.deep": 5}


@pytest.mark.parametrize(("settings", "of_p"), [(Settings(), 20), (SCALED, 9)])
def test_a_dynamic_quota_is_a_share_of_what_static_siblings_leave(
    settings: Settings, of_p: float
) -> None:
    """Dynamic quota, its meaning: a quarter of p's 20 would be 5 by the design; s has 8, and a quarter of 12 is 3."""
    knobs = (
        "GROUP_NAMES = p p.d p.s\nGROUP_QUOTA_p = 20\nGROUP_QUOTA_p.s = 8\n"
        "GROUP_QUOTA_DYNAMIC_p.d = 0.25"
    )
    assert quotas_of(cycle(knobs, 50, settings=settings)) == {
        "<none>": 30,
        "p": of_p,
        "p.d": 3,
        "p.s": 8,
    }


def test_static_siblings_may_leave_nothing_to_share() -> None:
    """Dynamic quota, its meaning: static quotas of 25 leave nothing of p's 20."""
    knobs = (
        "GROUP_NAMES = p p.d p.s\nGROUP_QUOTA_p = 20\nGROUP_QUOTA_p.s = 25\n"
        "GROUP_QUOTA_DYNAMIC_p.d = 0.25"
    )
    assert quotas_of(cycle(knobs, 50))["p.d"] == 0


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0.5, 0.25, 0.125), {"<none>": 12.5, "a": 50, "b": 25, "c": 12.5}),
        ((0.5, 0.25, 0.25), {"<none>": 0, "a": 50, "b": 25, "c": 25}),
        ((1, 0.5, 0.5), {"<none>": 0, "a": 50, "b": 25, "c": 25}),
    ],
    ids=("less than 1", "1", "more than 1"),
)
def test_shares_of_more_than_one_in_all_are_divided_by_their_sum(
    shares: tuple[float, float, float], expected: dict[str, float]
) -> None:
    """Dynamic quota, the sum over siblings. The warning that the design speaks of is a line in the negotiator's log."""
    quotas = (f"GROUP_QUOTA_DYNAMIC_{name} = {share}" for name, share in zip("abc", shares))
    assert quotas_of(cycle("\n".join(["GROUP_NAMES = a b c", *quotas]), 100)) == expected


def test_shares_that_were_divided_may_lose_a_whole_slot_each() -> None:
    """Dynamic quota, the sum over siblings: halves of 2, but 0.94 * (2 / 1.88) is 0.9999999999999999 in binary."""
    knobs = "GROUP_NAMES = a b\nGROUP_QUOTA_DYNAMIC_a = 0.94\nGROUP_QUOTA_DYNAMIC_b = 0.94"
    one = cycle(knobs, 2, {"a": 9, "b": 9}).rounds[0]
    assert [truncated(limit.limit) for limit in one.limits] == [0, 0]


@pytest.mark.parametrize(("share", "limit"), [(".29", 28), (".57", 56), (".07", 7), (".25", 25)])
def test_a_share_of_a_hundred_may_be_one_less_than_the_design_says(share: str, limit: int) -> None:
    """Dynamic quota, its meaning: 100 times these is 28.999999999999996, 56.99999999999999 and 7.000000000000001."""
    one = cycle(f"GROUP_NAMES = q\nGROUP_QUOTA_DYNAMIC_q = {share}", 100, {"q": 1000}).rounds[0]
    assert truncated(limits(one)["q"]) == limit


def test_the_manual_s_thirds_of_thirty_are_nineteen_and_nine() -> None:
    """0.66 and 0.33 of 30: 19.8 and 9.9, with 0.3 left for the root; limits are cut off."""
    knobs = (
        "GROUP_NAMES = physics chemistry\nGROUP_QUOTA_DYNAMIC_physics = .66\n"
        "GROUP_QUOTA_DYNAMIC_chemistry = .33"
    )
    quotas = cycle(knobs, 30, {"physics": 100, "chemistry": 100})
    (one, *_) = quotas.rounds
    assert quotas_of(quotas) == pytest.approx({"<none>": 0.3, "physics": 19.8, "chemistry": 9.9})
    assert allocated(one) == pytest.approx({"<none>": 0, "physics": 19.8, "chemistry": 9.9})
    assert {name: truncated(limit) for name, limit in limits(one).items()} == {
        "physics": 19,
        "chemistry": 9,
    }


def test_the_manual_s_nested_shares_are_divided_by_a_sum_just_above_one() -> None:
    """0.66667 + 0.33334 is 1.00001; 30 * 0.66667 / 1.00001 = 19.9999, and 0.75 and 0.25 of that."""
    knobs = """
    GROUP_NAMES = physics physics.hep physics.lep chemistry
    GROUP_QUOTA_DYNAMIC_physics = .66667
    GROUP_QUOTA_DYNAMIC_chemistry = .33334
    GROUP_QUOTA_DYNAMIC_physics.hep = .75
    GROUP_QUOTA_DYNAMIC_physics.lep = .25
    """
    expected = {
        "physics": 19.9999,
        "chemistry": 10.0001,
        "physics.hep": 14.999925,
        "physics.lep": 4.999975,
    }
    assert quotas_of(cycle(knobs, 30)) == pytest.approx({"<none>": 0, **expected}, abs=1e-5)


def test_groups_in_upstream_s_test_of_concurrency_limits_have_their_quotas_for_limits() -> None:
    """src/condor_tests/job_cp_cclim_acctgrp_basic_van.run: 1, 2 and 3 of 6; that c runs only 2 is another limit's."""
    knobs = "GROUP_NAMES = a b c\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_b = 2\nGROUP_QUOTA_c = 3"
    quotas = cycle(knobs, 6, {"a": 5, "b": 5, "c": 5})
    assert quotas_of(quotas) == {"<none>": 0, "a": 1, "b": 2, "c": 3}
    assert limits(quotas.rounds[0]) == {"a": 1, "b": 2, "c": 3}
