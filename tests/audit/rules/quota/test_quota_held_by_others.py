"""A group that lacks what others have beyond their quotas (seen on 25.14.1: 24 claims of a quota of 10)."""

from __future__ import annotations

from dataclasses import replace

from htcq.pool.pool import Pool
from tests.audit.rules.quota.groups import uses, wants
from tests.audit.sites import found, job, pool, slot

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
    assert "b has 0 of 4 that quota and demand give it; a 4 above its quota" in finding.message
    assert "as its 8 claims end" in finding.advice
    assert "GROUP_ACCEPT_SURPLUS_a = False" in finding.advice


def test_jobs_that_have_just_come_have_not_waited_for_three_cycles() -> None:
    assert not found(RULE, waiting(NOW - 30))


def test_where_nobody_is_above_nobody_holds_it() -> None:
    assert not found(RULE, waiting(NOW - 4000, used=4))
