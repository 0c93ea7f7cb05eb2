"""hgq_construct_tree: where GROUP_QUOTA_x is set, GROUP_QUOTA_DYNAMIC_x is never read."""

from __future__ import annotations

from tests.audit.sites import found, pool

RULE = "static-and-dynamic-quota"


def test_both_kinds_for_one_group_are_found_with_both_values() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 8\nGROUP_QUOTA_DYNAMIC_a = 0.2\n"
    (finding,) = found(RULE, pool(config=config))
    assert [(fact.attribute, fact.value) for fact in finding.evidence] == [
        ("GROUP_QUOTA_a", "8"),
        ("GROUP_QUOTA_DYNAMIC_a", "0.2"),
    ]


def test_one_kind_each_is_not() -> None:
    config = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 8\nGROUP_QUOTA_DYNAMIC_b = 0.2\n"
    assert not found(RULE, pool(config=config))
