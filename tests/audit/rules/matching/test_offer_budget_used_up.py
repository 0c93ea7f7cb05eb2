"""Since 25.11 a schedd offers 20 jobs of a submitter in one talk (schedd.cpp:negotiate, schedd_negotiate.cpp)."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from tests.audit.sites import Text, dynamic_slot, found, job, pool, schedd, slot, submitter

RULE = "offer-budget-used-up"
#: Jobs that fit nowhere, of higher priority.
LARGE = {"RequestCpus": 128, "JobPrio": 10}
OLD = '"$CondorVersion: 24.0.1 2024-10-31 BuildID: 1 $"'


def site(
    *first: tuple[int, dict[str, Text]],
    access: str = "",
    slots: tuple[str, ...] = (),
    **of_schedd: Text,
) -> Pool:
    """Return a pool where so many jobs with these requests come before five small ones."""
    jobs = [
        job(f"{cluster}.{proc}", **changes)
        for cluster, (count, changes) in enumerate(first, 1)
        for proc in range(count)
    ]
    small = [job(f"99.{proc}", JobPrio=0) for proc in range(5)]
    return pool(
        *(slots or (slot(),)),
        schedd(**of_schedd),
        submitter(IdleJobs=len(jobs) + 5, WeightedIdleJobs=len(jobs) + 5),
        jobs=[*jobs, *small],
        access={"access1": access} if access else None,
    )


def test_twenty_jobs_that_fit_nowhere_block_all_others() -> None:
    (finding,) = found(RULE, site((20, LARGE)))
    assert finding.severity is Severity.ERROR
    assert "offers 20 jobs of ada@site in a cycle" in finding.message
    assert "fit no slot of the pool, such as 1.0" in finding.message
    assert "5 jobs behind them that could start, such as 99.0" in finding.message
    assert [each.line for each in finding.settings] == [
        "SCHEDD_ENABLE_PER_USER_MATCH_LIMITS = False"
    ]


def test_several_autoclusters_use_it_up_together() -> None:
    larger = {**LARGE, "RequestCpus": 256}
    assert found(RULE, site((12, LARGE), (8, larger)))


def test_jobs_that_find_no_room_now_block_them_for_now() -> None:
    """The large slot is full; the small one is free."""
    full = slot("slot1@large", TotalSlotCpus=64, Cpus=0, Memory=0)
    given = site((30, {"RequestCpus": 32, "JobPrio": 1}), slots=(slot(), full))
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.WARNING
    assert "do not fit at the moment" in finding.message


@pytest.mark.parametrize(
    "given",
    [
        site((19, LARGE)),
        site((20, {**LARGE, "JobPrio": -5})),
        site((20, {"RequestCpus": 8, "JobPrio": 10})),
        site((20, LARGE), CondorVersion=OLD),
        site((20, LARGE), access="SCHEDD_ENABLE_PER_USER_MATCH_LIMITS = False\n"),
        site((20, LARGE), access="MAX_CONCURRENT_UPLOADS_PER_USER = 50\n"),
        site((20, LARGE), slots=(slot(Cpus=0, Memory=0), dynamic_slot(Cpus=8))),
        site((20, {**LARGE, "JobStatus": 5})),
    ],
    ids=["19", "behind", "fit", "old", "off", "50", "nothing to start", "held"],
)
def test_a_user_whose_jobs_are_offered_is_not(given: Pool) -> None:
    assert not found(RULE, given)


def test_refunds_that_no_released_schedd_gives_are_no_all_clear() -> None:
    """No binary of 25.14.1 has the knob, and no tag of a release up to 25.13.2 either."""
    given = site((20, LARGE), access="SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS = True\n")
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.ERROR
    assert [each.line for each in finding.settings] == [
        "SCHEDD_ENABLE_PER_USER_MATCH_LIMITS = False"
    ]


def test_what_max_jobs_running_leaves_is_a_budget_too() -> None:
    given = site((3, LARGE), CondorVersion=OLD, MaxJobsRunning=10, TotalRunningJobs=8)
    (finding,) = found(RULE, given)
    assert "offers 2 jobs of ada@site" in finding.message


def test_the_jobs_of_another_user_have_a_budget_of_their_own() -> None:
    others = [job(f"1.{proc}", **LARGE, User='"bob@site"', Owner='"bob"') for proc in range(40)]
    given = pool(
        slot(),
        schedd(),
        submitter("bob@site", IdleJobs=40),
        submitter(),
        jobs=[*others, job("2.0")],
    )
    assert not found(RULE, given)
