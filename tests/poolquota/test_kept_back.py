"""Idle jobs that count as demand and are not offered, by group (schedd.cpp, count_a_job and negotiate, 25.14)."""

from __future__ import annotations

from htcq.pool.pool import Pool
from htcq.pool.weights import Weights
from htcq.poolquota.kept_back import KeptBack, kept_back
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.report.views.quota_sentences import not_offered
from tests.audit.sites import job, pool, schedd, slot, submitter, user

NOW = 1_700_000_000
GROUPS = "GROUP_NAMES = chem, physics\nGROUP_QUOTA_chem = 4\nGROUP_QUOTA_physics = 4\n"


def of(given: Pool) -> tuple[KeptBack, ...]:
    return kept_back(given, PoolQuotas(given, Weights(), ""))


def queue(config: str) -> Pool:
    cooling = {"AccountingGroup": '"physics.ada"', "JobCoolDownExpiration": NOW + 60}
    jobs = [
        job("1.0", AccountingGroup='"physics.ada"'),
        *(job(f"2.{number}", **cooling) for number in range(3)),
        job("3.0", AccountingGroup='"chem.ben"', User='"ben@site"'),
        job("4.0", AccountingGroup='"chem.eve"', User='"eve@site"', JobStatus=5),
    ]
    names = ("physics.ada@site", "chem.ben@site")
    ads = [submitter(name, LastHeardFrom=NOW) for name in names]
    return pool(
        slot(), schedd(), *ads, jobs=jobs, config=config, users=[user("ben@site", MaxJobsRunning=0)]
    )


def test_each_group_says_how_many_of_its_idle_jobs_are_not_offered_and_why() -> None:
    assert of(queue(GROUPS)) == (
        KeptBack("chem", 1, {"user-max-jobs": 1}),
        KeptBack("physics", 4, {"cool-down": 3}),
    )


def test_where_a_schedd_offers_nothing_all_of_its_jobs_are_kept_back() -> None:
    _, physics = of(queue(f"{GROUPS}CURB_MATCHMAKING = True\n"))

    assert physics == KeptBack("physics", 4, {"cool-down": 3, "curb-matchmaking": 1})
    assert not_offered(physics) == (
        "4 of 4 idle jobs of physics count as demand and are not offered now: 3 by cool-down, 1 "
        "by curb-matchmaking"
    )


def test_without_groups_there_is_no_demand_to_speak_of() -> None:
    assert of(queue("A = 1\n")) == ()
