"""Capacity that several causes keep at once, and limits of 0: a pool in which nothing starts is never sound."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.balance.balance import Balance
from htcq.report.views.status import plugin
from tests.audit.sites import (
    Text,
    job,
    negotiator,
    pool,
    schedd,
    slot,
    submitter,
)
from tests.balance.pools import GOLDEN, check, pool_at

NOW = 1_800_000_000
_DRAINED: dict[str, Text | None] = {
    "State": '"Drained"', "Activity": '"Retiring"', "Draining": "true", "Start": "false",
    "DrainReason": '"by root"',
}  # fmt: skip
_OFFLINE: dict[str, Text | None] = {"Offline": "true"}
_NO_TIME = "NEGOTIATOR_MAX_TIME_PER_SUBMITTER = 0\n"


def balance(
    config: str = "", came: int = NOW - 9000, asks: bool = True, **changes: Text | None
) -> Balance:
    """Return the balance of a pool of one slot, closed by ``changes``, with ten jobs that wait."""
    jobs = [
        job(f"1.{proc}", QDate=came, EnteredCurrentStatus=came, ConcurrencyLimits='"x"')
        for proc in range(10)
    ]
    ads = [slot(**changes), schedd(), negotiator()]
    if asks:
        ads.append(submitter(IdleJobs=10))
    given = pool(*ads, jobs=jobs, config=config)
    return check(replace(given, taken_at="2027-01-15T08:00:00+00:00"))


def test_a_drained_machine_that_is_offline_too_is_a_finding() -> None:
    found = balance(**_DRAINED, **_OFFLINE)

    assert not found.is_sound
    assert [(each.cause, each.jobs, each.behind) for each in found.faults] == [("offline", 0, 8)]


@pytest.mark.parametrize(
    "config",
    [
        _NO_TIME,
        "NEGOTIATOR_SUBMITTER_CONSTRAINT = false\n",
        "NEGOTIATOR_JOB_CONSTRAINT = false\n",
        "X_LIMIT = 0\n",
    ],
)
def test_a_drained_machine_is_a_finding_whatever_else_must_be_lifted(config: str) -> None:
    found = balance(config, **_DRAINED)

    assert not found.is_sound
    assert [(each.cause, each.behind) for each in found.faults] == [("drained", 8)]


def test_a_limit_that_jobs_reach_explains_why_a_drained_machine_is_not_missed() -> None:
    jobs = [job(f"1.{proc}", ConcurrencyLimits='"x"') for proc in range(10)]
    ads = (slot(**_DRAINED), slot("slot1@node2"), schedd(), negotiator(), submitter(IdleJobs=10))

    assert check(pool(*ads, jobs=jobs, config="X_LIMIT = 1\n")).is_sound


@pytest.mark.parametrize(("since", "causes"), [(NOW - 7200, ["drained"]), (NOW - 600, [])])
def test_a_drain_of_condor_defrag_that_outlasts_the_last_job_is_somebodys(
    since: int, causes: list[str]
) -> None:
    found = balance(**{**_DRAINED, "DrainReason": '"Defrag node"', "EnteredCurrentState": since})

    assert [each.cause for each in found.faults] == causes


@pytest.mark.parametrize(
    ("config", "cause"),
    [
        ("NEGOTIATOR_SUBMITTER_CONSTRAINT = false\n", "submitter-constraint"),
        ("NEGOTIATOR_JOB_CONSTRAINT = false\n", "job-constraint"),
        ("X_LIMIT = 0\n", "concurrency-limit"),
        ("NEGOTIATOR_SLOT_CONSTRAINT = false\n", "slot-constraint"),
    ],
)
def test_what_lets_no_job_start_is_a_finding(config: str, cause: str) -> None:
    found = balance(config)

    assert not found.is_sound
    assert [(each.cause, each.jobs) for each in found.faults] == [(cause, 8)]


def test_a_submitter_that_is_not_advertised_is_a_finding_once_its_jobs_are_ten_minutes_old() -> (
    None
):
    assert [each.cause for each in balance(asks=False).faults] == ["not-advertised"]
    assert balance(asks=False, came=NOW - 60).is_sound


def test_a_pool_without_slots_says_so_and_not_what_a_group_lacks() -> None:
    found = check(
        pool(schedd(), negotiator(), submitter(IdleJobs=2), jobs=[job("1.0"), job("1.1")])
    )

    assert not found.is_sound
    assert found.demand is not None
    assert found.demand.nowhere is not None
    assert found.demand.nowhere.text == "the collector has no slot"
    state, text = plugin(found, ())
    assert (state, "the collector has no slot" in text) == (2, True)


def test_where_no_cycle_comes_all_that_jobs_would_use_stands_for_that() -> None:
    """Recorded from 25.14.1: of 20 jobs 16 run once there is a negotiator, on slots with a policy and without."""
    found = check(pool_at(GOLDEN / "field" / "policy-and-plain-real"))
    absent = found.of("negotiator-absent")

    assert absent is not None
    assert (absent.amounts.cpus, absent.jobs) == (16, 16)


def test_jobs_that_a_crash_keeps_wait_for_that_first() -> None:
    found = balance("NEGOTIATOR_PRE_JOB_RANK = (1\n")
    assert found.demand is not None

    assert {each.reason: each.jobs for each in found.demand.by} == {"negotiator-crash": 10}
