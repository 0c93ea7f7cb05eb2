"""A group that lacks what others have beyond their quotas (seen on 25.14.1: 24 claims of a quota of 10)."""

from __future__ import annotations

from dataclasses import replace

from htcq.pool.pool import Pool
from tests.audit.rules.quota.groups import uses, wants
from tests.audit.sites import found, job, pool, slot
from tests.balance.pools import GOLDEN, pool_at

RULE = "quota-held-by-others"
CONFIG = """
GROUP_NAMES = a, b
GROUP_QUOTA_a = 4
GROUP_QUOTA_b = 4
GROUP_ACCEPT_SURPLUS = True
NEGOTIATOR_CONSIDER_PREEMPTION = False
"""
NOW = 1_800_000_000


def waiting(since: int, config: str = CONFIG, used: int = 8) -> Pool:
    given = pool(
        slot("slot1@a", Cpus=8 - used),
        *uses("a", used, user="ua"),
        wants("a", 0, used, user="ua"),
        wants("b", 6, user="ub"),
        config=config,
        jobs=[
            job(
                f"1.{proc}", AccountingGroup='"b.ub"', AcctGroup='"b"', User='"ub@site"',
                QDate=since, EnteredCurrentStatus=since,
            )
            for proc in range(6)
        ],
    )  # fmt: skip
    return replace(given, taken_at="2027-01-15T08:00:00+00:00")


def test_a_group_that_waits_for_what_another_has_beyond_its_quota() -> None:
    (finding,) = found(RULE, waiting(NOW - 4000))
    assert finding.subject == "group b"
    assert "b uses 0 of the 4 that it is due; a uses 4 more than the quota" in finding.message
    assert "as its 8 claims end" in finding.advice
    assert "PREEMPTION_REQUIREMENTS" in finding.advice
    assert "GROUP_ACCEPT_SURPLUS_a = False" in finding.advice


def test_the_end_of_one_core_claims_is_no_promise_to_jobs_of_eight_cores() -> None:
    (finding,) = found(RULE, pool_at(GOLDEN / "field" / "multicore-starves"))
    assert finding.advice.startswith(
        "It returns only when claims on 8 cores of one machine end together (46 claims, 1 core the "
        "largest). condor_defrag (DEFRAG in DAEMON_LIST) drains machines"
    )
    assert "PREEMPTION" not in finding.advice


def test_jobs_that_have_just_come_have_not_waited_for_three_cycles() -> None:
    assert not found(RULE, waiting(NOW - 30))


def test_where_nobody_is_above_nobody_holds_it() -> None:
    assert not found(RULE, waiting(NOW - 4000, used=4))
