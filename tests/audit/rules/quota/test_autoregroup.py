"""hgq_negotiate_with_all_groups: with autoregroup the root's quota is the pool, and no group name caps its turn."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found, lines

RULE = "autoregroup"
TREE = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 5\nGROUP_AUTOREGROUP_a = True\n"


def test_a_regrouping_group_with_submitters_is_found() -> None:
    (finding,) = found(RULE, groups(TREE, wants("a")))
    assert "1 submitter of a negotiates for the whole pool" in finding.message
    assert "although a must not accept surplus" in finding.message
    assert lines(finding) == ["GROUP_AUTOREGROUP = False", "GROUP_AUTOREGROUP_a = False"]


def test_so_are_submitters_without_a_group_beside_it() -> None:
    (finding,) = found(RULE, groups(TREE, wants("")))
    assert "1 submitter without a group" in finding.message


def test_where_only_other_groups_submit_it_is_not() -> None:
    assert not found(RULE, groups(TREE, wants("b")))


def test_without_groups_the_knob_does_nothing() -> None:
    assert not found(RULE, groups("GROUP_AUTOREGROUP = True\n", wants("")))
