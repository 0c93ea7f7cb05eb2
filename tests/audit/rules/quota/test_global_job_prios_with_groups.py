"""obtainAdsFromCollector clones a submitter for each entry of JobPrioArray before groups' demand is added up."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found

RULE = "global-job-prios-with-groups"
ON = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nUSE_GLOBAL_JOB_PRIOS = True\n"


def test_three_priorities_ask_three_times() -> None:
    (finding,) = found(RULE, groups(ON, wants("a", 10, JobPrioArray='"5,0,-3"')))
    assert finding.severity is Severity.WARNING
    assert (
        "have 3 priorities, so that its demand of 10 adds 30 to the demand of a" in finding.message
    )


def test_one_priority_each_makes_no_difference_yet() -> None:
    (finding,) = found(RULE, groups(ON, wants("a", 10, JobPrioArray='"0"')))
    assert finding.severity is Severity.INFO


def test_by_default_and_without_groups_it_is_not() -> None:
    several = wants("a", 10, JobPrioArray='"5,0,-3"')
    assert not found(RULE, groups("GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n", several))
    assert not found(RULE, groups("USE_GLOBAL_JOB_PRIOS = True\n", several))
