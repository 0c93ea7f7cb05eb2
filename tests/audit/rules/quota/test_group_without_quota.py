"""hgq_construct_tree: a group without a quota is one with a dynamic quota of 0, and a subtree of 0 gives 0."""

from __future__ import annotations

from tests.audit.sites import found, pool

RULE = "group-without-quota"


def test_a_group_without_a_quota_is_found_with_all_below_it() -> None:
    config = "GROUP_NAMES = a, a.x, b\nGROUP_QUOTA_DYNAMIC_a.x = 0.5\nGROUP_QUOTA_b = 3\n"
    (finding,) = found(RULE, pool(config=config))
    assert finding.subject == "group a"
    assert "the quotas of 1 group below it" in finding.message


def test_many_are_one_finding() -> None:
    (finding,) = found(RULE, pool(config="GROUP_NAMES = a, b, c, d\n"))
    assert (finding.count, finding.examples) == (4, ("a", "b", "c"))


def test_groups_with_a_static_or_a_dynamic_quota_are_not() -> None:
    config = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 0\nGROUP_QUOTA_DYNAMIC_b = 0.5\n"
    assert not found(RULE, pool(config=config))


def test_a_name_that_no_knob_can_have_is_another_rule_s() -> None:
    assert not found(RULE, pool(config="GROUP_NAMES = nice-user\n"))
