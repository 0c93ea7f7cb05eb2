"""Limits in logs of 25.14.1: 0.914077 works as 0 and 7.79444 as 7; 0.29 of 100 is 28.999999999999996, thus 28."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found

RULE = "quota-truncated"


@pytest.mark.parametrize(
    ("share", "counts", "severity"),
    [
        ("0.009", "0", Severity.WARNING),
        ("0.0779", "7", Severity.WARNING),
        ("0.29", "28", Severity.INFO),
        ("0.57", "56", Severity.INFO),
    ],
)
def test_a_quota_that_loses_its_fraction_is_found(
    share: str, counts: str, severity: Severity
) -> None:
    (finding,) = found(RULE, groups(f"GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = {share}\n"))
    assert finding.severity is severity
    assert finding.message.endswith(f"and counts as {counts}")


@pytest.mark.parametrize(
    "quota", ["GROUP_QUOTA_a = 20", "GROUP_QUOTA_DYNAMIC_a = 0.25", "GROUP_QUOTA_a = 90.5"]
)
def test_whole_quotas_and_small_losses_are_not(quota: str) -> None:
    assert not found(RULE, groups(f"GROUP_NAMES = a\n{quota}\n"))


def test_the_quota_of_a_group_that_only_holds_others_does_not_matter() -> None:
    config = "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 2.5\nGROUP_QUOTA_a.x = 2\n"
    assert not found(RULE, groups(config, wants("a.x")))
    assert found(RULE, groups(config, wants("a")))
