"""Measured on 25.14.1: 14 idle jobs of 100 MB weighed 0 to their schedd, and their group was never given a slot."""

from __future__ import annotations

import pytest

from tests.audit.sites import job, look, pool, schedd, slot, submitter

RULE = "demand-truncated-to-zero"
LEAST = "SLOT_WEIGHT = min({Cpus, floor(Memory/2048)})\n"
GROUPS = "GROUP_NAMES = a\nGROUP_QUOTA_a = 4\n"


def test_idle_jobs_that_weigh_nothing_are_found() -> None:
    ads = [slot(), submitter("a.ada@site", IdleJobs=14, WeightedIdleJobs=0)]
    (finding,) = look(RULE, pool(*ads, config=GROUPS)).findings
    assert finding.subject == "submitter a.ada@site"
    assert {fact.attribute: fact.value for fact in finding.evidence} == {
        "IdleJobs": "14",
        "WeightedIdleJobs": "0",
    }


def test_a_negative_demand_is_found_too() -> None:
    assert look(RULE, pool(submitter(IdleJobs=4, WeightedIdleJobs=-40))).findings


def test_the_configuration_that_did_it_is_shown() -> None:
    ads = [slot(), submitter(IdleJobs=14, WeightedIdleJobs=0)]
    (finding,) = look(RULE, pool(*ads, access={"access1": LEAST})).findings
    assert finding.evidence[-1].value == "min({Cpus, floor(Memory/2048)})"


def test_submitters_of_one_schedd_are_one_finding() -> None:
    ads = [submitter(f"user{number}@site", IdleJobs=1, WeightedIdleJobs=0) for number in range(5)]
    (finding,) = look(RULE, pool(*ads)).findings
    assert finding.count == 5


def test_a_configuration_is_found_before_it_does_harm() -> None:
    """A job that asks for nothing gets 128 MB by default, and floor(128/2048) is 0."""
    (finding,) = look(RULE, pool(slot(), schedd(), access={"access1": LEAST})).findings
    assert finding.subject == "access point access1"


def test_the_own_jobs_of_an_access_point_are_tried() -> None:
    big = [submitter(WeightedIdleJobs=4), slot()]
    given = pool(*big, jobs=[job(RequestMemory=8192, RequestCpus=4)], access={"access1": LEAST})
    assert not look(RULE, given).findings


def test_jobs_that_the_schedd_has_not_weighed_yet_are_not_found() -> None:
    ads = [slot(), submitter(IdleJobs=1, WeightedIdleJobs=0)]
    assert not look(
        RULE, pool(*ads, jobs=[job()], access={"access1": "SLOT_WEIGHT = Cpus\n"})
    ).findings


@pytest.mark.parametrize(
    "config", ["UID_DOMAIN = site\n", GROUPS + "NEGOTIATOR_USE_WEIGHTED_DEMAND = False\n"]
)
def test_where_weighted_demand_decides_nothing_nobody_starves(config: str) -> None:
    assert not look(RULE, pool(submitter(IdleJobs=14, WeightedIdleJobs=0), config=config)).findings


def test_a_plain_access_point_is_not_found() -> None:
    given = pool(slot(), submitter(), jobs=[job()], access={"access1": "SLOT_WEIGHT = Cpus\n"})
    outcome = look(RULE, given)
    assert not outcome.findings
    assert not outcome.not_checked


def test_without_submitters_and_access_points_it_is_not_checked() -> None:
    assert len(look(RULE, pool(slot())).not_checked) == 2
