"""hgq_construct_tree: a group without GROUP_ACCEPT_SURPLUS_<group> follows GROUP_ACCEPT_SURPLUS, not its parent."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found, lines

RULE = "accept-surplus-not-inherited"
TREE = """
GROUP_NAMES = p, p.x
GROUP_QUOTA_p = 20
GROUP_QUOTA_p.x = 5
GROUP_ACCEPT_SURPLUS_p = True
"""


def test_a_subgroup_that_wants_more_than_its_quota_is_found() -> None:
    (finding,) = found(RULE, groups(TREE, wants("p.x", 50)))
    assert "p.x requests 50, and its quota is 5" in finding.message
    assert lines(finding) == ["GROUP_ACCEPT_SURPLUS_p.x = True"]


@pytest.mark.parametrize(
    "knob", ["GROUP_ACCEPT_SURPLUS = True", "GROUP_ACCEPT_SURPLUS_p.x = False"]
)
def test_a_subgroup_that_somebody_decided_on_is_not(knob: str) -> None:
    assert not found(RULE, groups(f"{TREE}{knob}\n", wants("p.x", 50)))


def test_a_subgroup_that_wants_no_more_than_its_quota_is_not() -> None:
    assert not found(RULE, groups(TREE, wants("p.x", 5)))
