"""calculateSubmitterLimit: each submitter may take its share of the limit, at most what the group had left at first.

A group of three equal submitters with a limit of 12, of which the first uses 9: the others'
shares are 4 each, and 3 is left for both of them: 9 + 3 + 3 = 15."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, uses, wants
from tests.audit.sites import accounting, found

RULE = "first-spin-overshoot"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 12\n"
THREE = (*uses("a", 9), wants("a", 9, 9), wants("a", 9, user="bob"), wants("a", 9, user="eve"))


def test_several_submitters_can_each_take_what_is_left() -> None:
    (finding,) = found(RULE, groups(TREE, *THREE))
    assert (
        "a can reach 15 of 12 in one cycle: 2 submitters may take 6, but 3 is left"
        in finding.message
    )


def test_without_preemption_usage_is_read_before_each_submitter() -> None:
    assert not found(RULE, groups(f"{TREE}NEGOTIATOR_CONSIDER_PREEMPTION = False\n", *THREE))


def test_submitters_that_use_nothing_yet_share_the_quota() -> None:
    assert not found(RULE, groups(TREE, wants("a"), wants("a", user="bob"), wants("a", user="eve")))


def test_one_submitter_cannot_overshoot() -> None:
    assert not found(RULE, groups(TREE, *uses("a", 9), wants("a", 9, 9)))


def test_shares_follow_priorities() -> None:
    """bob and eve have a hundredth of the share of ada, who uses 9 of her 12: less than 1 for both of them."""
    records = [accounting(f"a.{user}@site", Priority=f"{priority}.0", WeightedResourcesUsed=f"{used}.0")
               for user, priority, used in (("ada", 1, 9), ("bob", 100, 0), ("eve", 100, 0))]  # fmt: skip
    assert not found(RULE, groups(TREE, *THREE, *records))
