"""The log of 25.14.1 says "quota limit of -nan" where no group is to grow but one uses less than its quota."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, uses, wants
from tests.audit.sites import found

RULE = "limit-not-a-number"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 10\nGROUP_ACCEPT_SURPLUS = True\n"
#: Two jobs on 3 cpus each, and 4 that wait: 6 by number of jobs, while 6 is what the running ones
#: alone weigh.
TWO_ON_SIX = (
    *uses("a", 2, cpus=3),
    wants("a", 4, 2, WeightedRunningJobs="6.0", WeightedIdleJobs=12),
)


def test_a_group_that_seems_to_want_only_what_it_uses_gets_a_limit_that_is_no_number() -> None:
    config = f"{TREE}NEGOTIATOR_USE_WEIGHTED_DEMAND = False\n"
    (finding,) = found(RULE, groups(config, *TWO_ON_SIX))
    assert finding.subject == "group a"
    assert "requests 6 and uses 6 of its quota of 10, and 4 jobs are idle" in finding.message


def test_in_one_unit_it_has_a_limit() -> None:
    assert not found(RULE, groups(TREE, *TWO_ON_SIX))


def test_where_nothing_waits_it_does_no_harm() -> None:
    assert not found(RULE, groups(TREE, *uses("a", 2), wants("a", 0, 2)))
