"""hgq_assign_quotas: static quotas first, dynamic ones of the rest, the root has what is left.

The manual's own 20 and 10 are 20 and 10 of a pool of 15 as well, by default, and the root has 0.
"""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found

RULE = "quotas-fill-the-pool"
MANUAL = "GROUP_NAMES = physics, chemistry\nGROUP_QUOTA_physics = 20\nGROUP_QUOTA_chemistry = 10\n"


def test_static_quotas_that_leave_nothing_for_submitters_without_a_group_are_found() -> None:
    (finding,) = found(RULE, groups(MANUAL, wants("physics"), wants(""), weight=30))
    assert finding.severity is Severity.WARNING
    assert (
        "add up to 30; the pool has 30: no quota is left for 1 submitter without a group"
        in finding.message
    )


def test_nor_may_groups_with_dynamic_quotas_be_left_without() -> None:
    config = MANUAL.replace("chemistry\n", "chemistry, bio\n") + "GROUP_QUOTA_DYNAMIC_bio = 0.5\n"
    (finding,) = found(RULE, groups(config, wants("bio"), weight=25))
    assert "1 submitter of groups with dynamic quotas" in finding.message


def test_promises_beyond_the_pool_that_hurt_nobody_else_are_only_told() -> None:
    (finding,) = found(RULE, groups(MANUAL, wants("physics"), weight=15))
    assert finding.severity is Severity.INFO
    assert "add up to 30, of which physics has 20; the pool has 15" in finding.message


def test_promises_beyond_the_pool_that_two_groups_claim_are_a_warning() -> None:
    (finding,) = found(
        RULE, groups(MANUAL, wants("physics", 50), wants("chemistry", 50), weight=25)
    )
    assert finding.severity is Severity.WARNING
    assert "chemistry and physics have jobs for 30 of it" in finding.message


def test_dynamic_quotas_that_share_out_everything_are_only_told() -> None:
    config = "GROUP_NAMES = a, b\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_QUOTA_DYNAMIC_b = 0.5\n"
    (finding,) = found(RULE, groups(config, wants("a"), wants("")))
    assert finding.severity is Severity.INFO


def test_quotas_that_leave_some_are_not() -> None:
    assert not found(RULE, groups(MANUAL, wants("physics"), wants(""), weight=60))


def test_quotas_that_fill_the_pool_for_all_who_submit_are_not() -> None:
    assert not found(RULE, groups(MANUAL, wants("physics"), wants("chemistry"), weight=30))
