"""Quotas of 90 and 20 below one of 80; what declared groups make of it is tested in tests/emit/test_promises.py."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found, look, pool

RULE = "static-quotas-exceed-parent"
BELOW = "GROUP_NAMES = a, a.b, a.c\nGROUP_QUOTA_a.b = 90\nGROUP_QUOTA_a.c = 20\n"


def test_children_above_their_parent_are_found() -> None:
    (finding,) = found(RULE, groups(f"{BELOW}GROUP_QUOTA_a = 80\n", wants("a.b"), weight=144))
    assert finding.severity is Severity.WARNING
    assert finding.subject == "group a"
    assert (
        "the quotas of the groups directly below a add up to 110, more than the 80 of a"
        in finding.message
    )
    assert [fact.attribute for fact in finding.evidence] == [
        "GROUP_QUOTA_a",
        "GROUP_QUOTA_a.b",
        "GROUP_QUOTA_a.c",
    ]


def test_a_parent_with_a_share_has_that_of_the_pool() -> None:
    config = f"{BELOW}GROUP_QUOTA_DYNAMIC_a = 0.5\n"
    (finding,) = found(RULE, groups(config, weight=144))
    assert "more than the 72 of a" in finding.message
    assert not found(RULE, groups(config, weight=300))


def test_quotas_that_fit_are_not() -> None:
    assert not found(RULE, groups(f"{BELOW}GROUP_QUOTA_a = 110\n", weight=144))


def test_shares_of_the_parent_always_fit() -> None:
    config = "GROUP_NAMES = a, a.b\nGROUP_QUOTA_a = 80\nGROUP_QUOTA_DYNAMIC_a.b = 1\n"
    assert not found(RULE, groups(config, weight=144))


def test_a_parent_without_any_quota_is_another_fault() -> None:
    assert not found(RULE, groups(BELOW, weight=144))


def test_the_share_of_an_unknown_pool_is_not_checked() -> None:
    outcome = look(RULE, pool(config=f"{BELOW}GROUP_QUOTA_DYNAMIC_a = 0.5\n"))
    assert not outcome.findings
    assert [each.missing for each in outcome.not_checked] == [
        "slot ads (collector.ads): whether quotas below a fit its share"
    ]
