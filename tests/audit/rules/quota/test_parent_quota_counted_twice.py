"""Measured on 25.14.1: of 100, with a=10, b=30, b.x=10, b.y=0.25 and c=0.1, 112 are allocated."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found, lines

RULE = "parent-quota-counted-twice"
TREE = """
GROUP_NAMES = a, b, b.x, b.y, c
GROUP_QUOTA_a = 10
GROUP_QUOTA_b = 30
GROUP_QUOTA_b.x = 10
GROUP_QUOTA_DYNAMIC_b.y = 0.25
GROUP_QUOTA_DYNAMIC_c = 0.1
GROUP_ACCEPT_SURPLUS = True
"""
DEMAND = (wants("a", 50), wants("b.x", 5), wants("b.y", 50), wants("c", 7))


def test_more_than_the_pool_is_allocated() -> None:
    (finding,) = found(RULE, groups(TREE, *DEMAND))
    assert "112 of a pool of 100 is allocated" in finding.message
    assert lines(finding) == ["NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False"]


def test_without_oversubscription_it_is_not() -> None:
    assert not found(
        RULE, groups(TREE + "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False\n", *DEMAND)
    )


def test_a_parent_with_submitters_beside_those_of_its_groups_has_its_quota_twice() -> None:
    """b keeps 30 and hands 10 to b.x and a quarter of the other 20 to b.y: 15."""
    (finding,) = found(RULE, groups(TREE, wants("b", 1), wants("b.x", 1)))
    assert finding.subject == "group b"
    assert (
        "keeps its quota of 30 and passes 15 on to its child groups: together they have 45"
        in finding.message
    )


def test_a_parent_without_submitters_in_a_pool_with_room_is_not_told() -> None:
    assert not found(RULE, groups(TREE, wants("b.x", 5), wants("b.y", 5)))
