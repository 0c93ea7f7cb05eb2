"""On 25.14.1, a rate of 1 where 32 are wanted: the first limit of a group at 2 with 17 to gain was 2 + 17/32."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, uses, wants
from tests.audit.sites import found

RULE = "small-round-robin-rate"
TREE = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 40\nGROUP_QUOTA_b = 5\n"
DEMAND = (wants("a", 40), wants("b", 5))


def test_a_group_with_little_to_gain_waits_for_a_later_pass() -> None:
    """Without surplus the root, with 55 of 100, is the farthest from its quota: 55 passes; b may go to 5/55."""
    (finding,) = found(RULE, groups(f"{TREE}GROUP_QUOTA_ROUND_ROBIN_RATE = 1\n", *DEMAND))
    assert "a rate of 1 makes 55 passes" in finding.message
    assert "which uses 0, is 0.727273" in finding.message  # a, the first in order: 40/55


def test_hundreds_of_passes_are_found_though_everybody_gets_something() -> None:
    config = (
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 500\nGROUP_QUOTA_ROUND_ROBIN_RATE = 1\n"
        "GROUP_ACCEPT_SURPLUS = True\n"
    )
    (finding,) = found(RULE, groups(config, wants("a", 500), weight=500))
    assert "500 passes" in finding.message


def test_at_the_default_rate_there_is_one_pass() -> None:
    assert not found(RULE, groups(TREE, *DEMAND))


def test_a_rate_that_gives_all_who_wait_something_is_not_found() -> None:
    config = f"{TREE}GROUP_QUOTA_ROUND_ROBIN_RATE = 20\nGROUP_ACCEPT_SURPLUS = True\n"
    assert not found(RULE, groups(config, *DEMAND))


def test_a_group_that_accepts_no_surplus_comes_half_way() -> None:
    """Seen on 25.14.1: 6 slots, a quota of 6 and a rate of 1 let 5 run in the first cycle, with surplus accepted 6."""
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 6\nGROUP_QUOTA_ROUND_ROBIN_RATE = 1\n"
    (finding,) = found(RULE, groups(config, wants("a", 6), weight=6))
    assert "a cycle fills 5 of the 6 that it could" in finding.message
    accepting = f"{config}GROUP_ACCEPT_SURPLUS = True\n"
    assert not found(RULE, groups(accepting, wants("a", 6), weight=6))


def test_a_group_at_its_limit_gains_nothing_in_any_pass() -> None:
    config = f"{TREE}GROUP_QUOTA_ROUND_ROBIN_RATE = 20\nGROUP_ACCEPT_SURPLUS = True\n"
    assert not found(RULE, groups(config, wants("a", 40), wants("b", 5, 5), *uses("b", 5)))
