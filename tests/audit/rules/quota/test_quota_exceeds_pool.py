"""The pool of these tests weighs 144 and has nothing but one free machine."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found

RULE = "quota-exceeds-pool"
CONFIG = "GROUP_NAMES = biology, chem\nGROUP_QUOTA_biology = 40\nGROUP_QUOTA_chem = {}\n"


def test_a_quota_above_the_pool_is_found_and_its_group_is_named() -> None:
    (finding,) = found(RULE, groups(CONFIG.format(2000), wants("biology"), weight=144))
    assert finding.severity is Severity.WARNING
    assert finding.subject == "group chem"
    assert "the quota of group chem is 2000, and the whole pool weighs 144" in finding.message
    assert [fact.attribute for fact in finding.evidence] == ["GROUP_QUOTA_chem", "pool weight"]


def test_a_group_below_another_one_is_found_too() -> None:
    config = "GROUP_NAMES = a, a.b\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_QUOTA_a.b = 500\n"
    (finding,) = found(RULE, groups(config, weight=144))
    assert finding.subject == "group a.b"


def test_a_quota_of_the_whole_pool_is_not() -> None:
    assert not found(RULE, groups(CONFIG.format(144), weight=144))


def test_quotas_that_only_exceed_it_together_are_not() -> None:
    assert not found(RULE, groups(CONFIG.format(120), weight=144))


def test_the_rule_on_all_quotas_says_which_of_them_takes_everything() -> None:
    (finding,) = found("quotas-fill-the-pool", groups(CONFIG.format(2000), wants(""), weight=144))
    assert (
        "static quotas add up to 2040, of which chem has 2000; the pool has 144: no quota is left"
        in finding.message
    )
