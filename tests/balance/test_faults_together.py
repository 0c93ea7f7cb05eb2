"""Capacity that several causes keep at once, and limits of 0: a pool in which nothing starts is never sound."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.balance.balance import Balance
from htcq.report.views.status import gain_text, plugin
from tests.audit.sites import (
    Text,
    accounting,
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    pool,
    schedd,
    slot,
    submitter,
)
from tests.balance.pools import GOLDEN, balanced, check, pool_at

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


def test_what_to_do_and_what_the_first_cycle_starts_are_one_number() -> None:
    """Seen on 25.14.1: one job with a concurrency limit starts on a partitionable slot in a cycle."""
    found = check(pool_at(GOLDEN / "field" / "pegasus-limit-one-per-cycle"))

    assert [each.partition("its first cycle")[2] for each in found.once_a_negotiator_works] == [
        " starts 1 job, 14 wait (outranked, such as node.test#1.10)"
    ]
    (todo,) = found.todo
    assert (todo.gain.jobs, todo.gain.started, todo.gain.starts.cpus) == (15, 1, 1)
    said = "15 jobs would start and use weight 15 of the slots, 1 of them with the first cycle"
    assert gain_text(todo) == said
    assert said in plugin(found, ())[1]


def test_jobs_that_a_crash_keeps_wait_for_that_first() -> None:
    found = balance("NEGOTIATOR_PRE_JOB_RANK = (1\n")
    assert found.demand is not None

    assert {each.reason: each.jobs for each in found.demand.by} == {"negotiator-crash": 10}


def test_an_access_point_with_as_many_jobs_as_it_may_run_is_a_finding() -> None:
    """MAX_JOBS_RUNNING holds seven free cores for which jobs wait."""
    jobs = [job(f"1.{proc}") for proc in range(10)]
    full = schedd(MaxJobsRunning=1, TotalRunningJobs=1)
    used = slot(Cpus=7, Memory=15360, NumDynamicSlots=1)
    ads = (used, dynamic_slot(), full, negotiator(), submitter(IdleJobs=10, RunningJobs=1))
    found = check(pool(*ads, jobs=jobs))

    assert not found.is_sound
    assert [(each.cause, each.jobs) for each in found.faults] == [("max-jobs-running", 7)]
    assert found.todo[0].cure == "a higher MAX_JOBS_RUNNING of access1"


@pytest.mark.parametrize(
    ("config", "ads", "cause", "cure"),
    [
        ("X_LIMIT = 1\n", (), "concurrency-limit", "a higher X_LIMIT"),
        ("", (accounting("ada@site", Ceiling=0),), "submitter-ceiling", "a higher ceiling"),
        ("SLOT_WEIGHT = 0\n", (), "submitter-share", "a SLOT_WEIGHT above 0"),
    ],
)
def test_a_limit_below_one_request_ends_with_no_job(
    config: str, ads: tuple[str, ...], cause: str, cure: str
) -> None:
    jobs = [job(f"1.{proc}", ConcurrencyLimits='"x:2"') for proc in range(3)]
    weight: dict[str, Text | None] = {"SlotWeight": 0} if "WEIGHT" in config else {}
    whole = (slot(**weight), schedd(), negotiator(), submitter(IdleJobs=3), *ads)
    found = balanced(pool(*whole, jobs=jobs, config=config))

    assert not found.is_sound
    assert [each.cause for each in found.faults] == [cause]
    assert cure in found.todo[0].cure


def test_slots_that_are_left_to_another_negotiator_are_not_certain_to_be_matched() -> None:
    hidden = "NEGOTIATOR_SLOT_CONSTRAINT = false\n"
    two = (negotiator(), negotiator("other"))
    jobs = [job(f"1.{proc}") for proc in range(3)]
    found = balanced(pool(slot(), schedd(), *two, submitter(IdleJobs=3), jobs=jobs, config=hidden))

    assert [text for text in found.unknown if "--name other says whether" in text]


def test_slots_that_are_left_to_a_negotiator_that_has_stopped_get_no_job() -> None:
    """Two ads of negotiators are in the collector; the cycles of the second ended long ago."""
    hidden = "NEGOTIATOR_SLOT_CONSTRAINT = false\n"
    works, stopped = (
        negotiator(
            name, LastHeardFrom=NOW - 5, MyCurrentTime=NOW - 5, LastNegotiationCycleEnd0=NOW - ago
        )
        for name, ago in (("central", 10), ("other", 9000))
    )
    jobs = [job(f"1.{proc}") for proc in range(3)]
    given = pool(
        slot(LastHeardFrom=NOW), schedd(LastHeardFrom=NOW), stopped, works,
        submitter(IdleJobs=3), jobs=jobs, config=hidden,
    )  # fmt: skip
    given = replace(given, taken_at="2027-01-15T08:00:00+00:00")
    for named in ("central", ""):
        found = balanced(replace(given, negotiator=named))
        assert [(each.cause, each.jobs) for each in found.faults] == [("slot-constraint", 3)]
        assert found.todo[0].cure.startswith("a negotiator other that completes its cycles; ")
        assert not [text for text in found.unknown if "--name" in text]


@pytest.mark.parametrize(
    ("start", "faults"), [("KeyboardIdle > 900", []), ("NodeIsHealthy is true", ["owner"])]
)
def test_an_owner_who_uses_his_machine_is_no_fault(start: str, faults: list[str]) -> None:
    found = balance(State='"Owner"', Start=start)

    assert [each.cause for each in found.faults] == faults


def test_what_a_cycle_would_start_waits_for_the_negotiator_and_not_for_limits() -> None:
    """The limits of both groups are reached by the jobs that the missing cycle would start."""
    groups = "GROUP_NAMES = hep, none\nGROUP_QUOTA_hep = 4\nGROUP_QUOTA_none = 0\n"
    names = ("none.ben@site", "hep.ada@site")
    jobs = [
        job(
            f"{cluster}.{proc}",
            AccountingGroup=f'"{name.partition("@")[0]}"',
            AcctGroup=f'"{name.partition(".")[0]}"',
        )
        for cluster, name in enumerate(names, 1)
        for proc in range(8)
    ]
    ads = [submitter(name, IdleJobs=8, WeightedIdleJobs=8) for name in names]
    config = f"{groups}GROUP_ACCEPT_SURPLUS_none = True\n"
    found = check(pool(policy_slot(), schedd(), *ads, jobs=jobs, config=config, complete=False))

    assert [(each.cause, each.jobs) for each in found.faults] == [("negotiator-absent", 8)]
    assert found.demand is not None
    assert {each.reason: each.jobs for each in found.demand.by} == {
        "negotiator-absent": 8,
        "group-quota": 8,
    }


def test_jobs_that_the_schedd_itself_refuses_are_a_finding() -> None:
    jobs = [job(f"1.{proc}") for proc in range(6)]
    ads = (slot(), schedd(), negotiator(), submitter(IdleJobs=6))
    found = check(pool(*ads, jobs=jobs, access={"access1": "START_VANILLA_UNIVERSE = False\n"}))

    assert not found.is_sound
    assert [(each.cause, each.jobs) for each in found.faults] == [("start-vanilla-universe", 6)]
