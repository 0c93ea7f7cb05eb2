"""hgq_construct_tree exits on a text that does not parse; a group without a number gets the key 3.40282e38."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, uses, wants
from tests.audit.sites import found, look, pool

RULE = "sort-expression-broken"
TREE = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_DYNAMIC_b = 0\nGROUP_SORT_EXPR = "


@pytest.mark.parametrize("config", [f"{TREE}1 +\n", "GROUP_SORT_EXPR = (\n"])
def test_a_text_that_does_not_parse_ends_the_negotiator_even_without_groups(config: str) -> None:
    (finding,) = found(RULE, groups(config))
    assert finding.severity is Severity.ERROR
    assert "the negotiator exits" in finding.message


def test_an_attribute_that_nobody_sets_makes_all_groups_equal() -> None:
    (finding,) = found(RULE, groups(f"{TREE}GroupPriority\n"))
    assert finding.severity is Severity.ERROR
    assert (
        "not a number for any group, because the negotiator never sets grouppriority"
        in finding.message
    )


def test_an_unguarded_division_makes_a_group_without_quota_the_last() -> None:
    """ClassAds divide reals by 0 to an error; b has a quota of 0."""
    (finding,) = found(RULE, groups(f"{TREE}GroupResourcesInUse/GroupQuota\n", wants("a")))
    assert finding.severity is Severity.WARNING
    assert "is not a number for b" in finding.message


def test_an_attribute_that_nobody_sets_is_found_where_it_is_guarded() -> None:
    (finding,) = found(RULE, groups(f"{TREE}(GroupPriority ?: 0) + GroupQuota\n"))
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("config", [TREE.rpartition("GROUP_SORT_EXPR")[0], f"{TREE}GroupQuota\n"])
def test_the_default_and_expressions_on_what_is_set_are_not_found(config: str) -> None:
    assert not found(RULE, groups(config, wants("a", 5, 5), *uses("a", 5)))


def test_without_slots_the_keys_are_not_checked() -> None:
    outcome = look(RULE, pool(config=f"{TREE}GroupResourcesInUse/GroupQuota\n"))
    assert not outcome.findings
    assert [each.missing for each in outcome.not_checked] == ["slot ads (collector.ads)"]
