"""Which submitter ads the negotiator looks at, and what they add to their groups (obtainAdsFromCollector, 25.14)."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.poolquota.demand import Submitter
from tests.audit.rules.quota.groups import wants
from tests.audit.sites import pool, submitter

TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"


def submitters(config: str, *ads: str) -> tuple[Submitter, ...]:
    return Evidence(pool(*ads, config=TREE + config)).quotas.submitters


def test_a_submitter_of_several_schedds_is_one_with_the_sum_of_its_jobs() -> None:
    (one,) = submitters(
        "", wants("a", 3, 1), wants("a", 4, 2, WeightedIdleJobs=8, ScheddName='"access2"')
    )
    assert one == Submitter("a.ada@site", "a", False, 7, 3, 11, 3, 14, 1)


def test_who_has_no_jobs_or_asks_to_be_skipped_is_not_looked_at() -> None:
    assert (
        submitters(
            "",
            wants("a", 0),
            wants("a", 3, user="bob", SkipMatchmaking="true"),
            submitter("nobody"),
        )
        == ()
    )


def test_a_constraint_on_submitters_leaves_the_others_out() -> None:
    config = 'NEGOTIATOR_SUBMITTER_CONSTRAINT = ScheddName == "access2"\n'
    found = submitters(config, wants("a"), wants("a", user="bob", ScheddName='"access2"'))
    assert [each.name for each in found] == ["a.bob@site"]


def test_a_schedd_that_does_not_weigh_its_jobs_counts_them() -> None:
    (one,) = submitters("", wants("a", 3, 2, WeightedIdleJobs=None, WeightedRunningJobs=None))
    assert (one.weighted_idle, one.weighted_running, one.requested) == (3, 2, 5)


def test_demand_is_counted_in_jobs_where_it_is_not_weighted() -> None:
    (one,) = submitters(
        "NEGOTIATOR_USE_WEIGHTED_DEMAND = False\n", wants("a", 3, 2, WeightedIdleJobs=30)
    )
    assert one.requested == 5


def test_global_job_priorities_multiply_it() -> None:
    (one,) = submitters("USE_GLOBAL_JOB_PRIOS = True\n", wants("a", 3, JobPrioArray='"9,0"'))
    assert (one.priorities, one.requested) == (2, 6)
