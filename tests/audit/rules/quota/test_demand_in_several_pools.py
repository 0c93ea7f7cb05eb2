"""A schedd advertises all of a submitter's idle jobs to every pool that it flocks to, and to every negotiator of it."""

from __future__ import annotations

from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found, negotiator, pool

RULE = "demand-in-several-pools"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"


def test_two_negotiators_are_found() -> None:
    (finding,) = found(RULE, groups(TREE, wants("a"), negotiator("east"), negotiator("west")))
    assert "east and west negotiate for this pool" in finding.message


def test_jobs_that_run_elsewhere_are_found() -> None:
    (finding,) = found(RULE, groups(TREE, wants("a", FlockedJobs=7), wants("a", user="bob")))
    assert "a.ada@site runs 7 jobs in other pools" in finding.message


def test_an_access_point_that_may_flock_is_found() -> None:
    access = {"access1": "FLOCK_TO = other.example\n"}
    (finding,) = found(RULE, pool(wants("a"), config=TREE, access=access))
    assert finding.evidence[0].value == "other.example"


def test_one_pool_is_not() -> None:
    assert not found(RULE, groups(TREE, wants("a", FlockedJobs=0), negotiator("central")))


def test_without_groups_demand_is_not_added_up() -> None:
    assert not found(RULE, groups("", wants("a", FlockedJobs=7)))
