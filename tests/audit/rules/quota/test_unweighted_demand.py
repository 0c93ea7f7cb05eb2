"""hgq_prepare_for_matchmaking adds up jobs instead of their weights where NEGOTIATOR_USE_WEIGHTED_DEMAND is false."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, wants
from tests.audit.sites import found, lines

RULE = "unweighted-demand"
OFF = (
    "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_b = 5\n"
    "NEGOTIATOR_USE_WEIGHTED_DEMAND = False\n"
)


def test_jobs_that_weigh_more_than_1_ask_for_too_little() -> None:
    (finding,) = found(RULE, groups(OFF, wants("a", 10, WeightedIdleJobs=80), wants("b", 10)))
    assert finding.severity is Severity.ERROR
    assert "the demand of a is 10, its number of jobs, but they weigh 80" in finding.message
    assert lines(finding) == ["NEGOTIATOR_USE_WEIGHTED_DEMAND = True"]


def test_jobs_of_weight_1_make_no_difference_yet() -> None:
    (finding,) = found(RULE, groups(OFF, wants("a"), wants("b")))
    assert finding.severity is Severity.INFO


def test_with_slot_weights_off_jobs_are_the_right_unit() -> None:
    assert not found(
        RULE,
        groups(f"{OFF}NEGOTIATOR_USE_SLOT_WEIGHTS = False\n", wants("a", 10, WeightedIdleJobs=80)),
    )


def test_weighted_demand_is_the_default() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
    assert not found(RULE, groups(config, wants("a", 10, WeightedIdleJobs=80)))
