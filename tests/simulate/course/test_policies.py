"""What becomes of jobs by their policies (user_job_policy.cpp, 23.9 and 25.14): when they run, wait, are held, are gone.

``tests/golden/real-time`` has the same of real pools."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from htcq.pool.pool import Pool
from htcq.simulate.course.claims import REUSED
from tests.audit.sites import VERSION, accounting, job, pool, schedd, static_slot
from tests.simulate.course.test_preempted import ALWAYS, asks, course, held, of

NOW = 1750000000
#: The schedd looks in the middle of each minute, a shadow eight seconds after its job began and then every minute.
CYCLE = 60.0


def site(*jobs: str, slots: int = 1, access: str = "", version: str = "25.14.1") -> Pool:
    ads = [static_slot(f"slot{number}@node1", SlotID=number) for number in range(1, slots + 1)]
    own = schedd("access1", CondorVersion=f'"{VERSION.replace("25.14.1", version)}"')
    return pool(
        *ads, own, asks("ada", len(jobs)), jobs=jobs, access={"access1": access or "A = 1\n"}
    )


def one(id_: str = "1.0", **changes: str | int | float) -> str:
    own: dict[str, str | int | float] = {
        "Owner": '"ada"',
        "User": '"ada@site"',
        "ServerTime": NOW,
        "EnteredCurrentStatus": NOW,
    }
    return job(id_, **{**own, **changes})


def running(given: Pool, cycles: int = 4, seconds: str = "100000") -> list[int]:
    """Return how many claims there are after each cycle, a minute apart."""
    return [each.running for each in course(given, cycles, CYCLE, seconds).samples]


@pytest.mark.parametrize(
    ("policy", "claims"),
    [
        ({"AllowedJobDuration": 60}, [1, 1, 0, 0]),
        ({"AllowedExecuteDuration": 60}, [1, 1, 0, 0]),
        ({"PeriodicHold": "JobStatus == 2 && time() - JobCurrentStartDate >= 60"}, [1, 1, 0, 0]),
        ({"PeriodicRemove": "RemoteWallClockTime > 60"}, [1, 1, 0, 0]),
        ({"PeriodicVacate": "NumVacates =?= undefined && JobStatus == 2"}, [1, 1, 1, 1]),
        ({"TimerRemove": NOW + 10}, [1, 1, 0, 0]),
        ({"PeriodicHold": "NumJobStarts == 1 && JobStatus == 2", "PeriodicRelease": "true"}, [1, 1, 1, 1]),
        ({"PeriodicHold": "JobStatus == 1"}, [1, 1, 1, 1]),
        ({"PeriodicRemove": "Nothing > 5"}, [1, 1, 1, 1]),
        ({"PeriodicRemove": "0.5"}, [1, 1, 1, 1]),
    ],
)  # fmt: skip
def test_a_job_leaves_its_claim_by_its_policy(
    policy: dict[str, str | int], claims: list[int]
) -> None:
    assert running(site(one("1.0", **policy))) == claims


@pytest.mark.parametrize(
    ("access", "claims"),
    [
        ("SYSTEM_PERIODIC_REMOVE = JobStatus == 2\n", [1, 0, 0, 0]),
        ("SYSTEM_PERIODIC_HOLD_NAMES = A, B\nSYSTEM_PERIODIC_HOLD_B = JobStatus == 2\n", [1, 0, 0, 0]),
        ("SYSTEM_PERIODIC_HOLD_B = JobStatus == 2\n", [1, 1, 1, 1]),
        ("SYSTEM_PERIODIC_HOLD = JobStatus == 2\nSYSTEM_PERIODIC_RELEASE = NumHolds < 9\n", [1, 1, 1, 0]),
        ("SYSTEM_PERIODIC_REMOVE = JobStatus == 2\nPERIODIC_EXPR_INTERVAL = 0\n", [1, 1, 1, 1]),
        ("SYSTEM_PERIODIC_VACATE = JobStatus == 2\n", [1, 1, 1, 1]),
    ],
)  # fmt: skip
def test_policies_of_an_access_point_are_followed(access: str, claims: list[int]) -> None:
    """A shadow's hold counts three times: the third is the last with fewer than nine."""
    assert running(site(one(), access=access)) == claims


@pytest.mark.parametrize(
    ("version", "claims"), [("25.14.1", [1, 0, 0, 0]), ("23.9.6", [1, 1, 1, 0])]
)
def test_system_max_releases_counts_since_it_is_there(version: str, claims: list[int]) -> None:
    access = (
        "SYSTEM_PERIODIC_HOLD = JobStatus == 2\nSYSTEM_PERIODIC_RELEASE = NumHolds < 6\n"
        "SYSTEM_MAX_RELEASES = 2\n"
    )
    assert running(site(one(), access=access, version=version)) == claims


@pytest.mark.parametrize(
    ("policy", "starts"),
    [
        ({}, [0]),
        ({"OnExitRemove": "ExitCode == 3"}, [0, 60, 120]),
        ({"OnExitRemove": "ExitCode == 0 || NumJobCompletions > 3"}, [0]),
        ({"OnExitRemove": "ExitCode =?= 0", "JobSuccessExitCode": 2}, [0, 60, 120]),
        ({"OnExitHold": "!ExitBySignal", "PeriodicRelease": "HoldReasonCode == 3"}, [0, 60, 120]),
        ({"OnExitHold": "!ExitBySignal"}, [0]),
    ],
)
def test_what_follows_the_end_of_a_job(policy: dict[str, str | int], starts: list[int]) -> None:
    """Each run takes 20 seconds, and the claim is given back where the job stays."""
    found = course(site(one("1.0", **policy)), 3, CYCLE, "20")

    assert [start.at for start in found.starts] == starts


def test_held_jobs_are_released_but_not_those_that_their_user_holds() -> None:
    held: dict[str, str | int] = {
        "JobStatus": 5,
        "PeriodicRelease": "time() - EnteredCurrentStatus > 20",
    }
    jobs = [one("1.0", **held, HoldReasonCode=15), one("2.0", **held, HoldReasonCode=1)]
    found = course(site(*jobs, slots=2), 2, CYCLE)

    assert [(start.job.id, start.at) for start in found.starts] == [("1.0", 60)]
    assert found.samples[1].idle == 0


@pytest.mark.parametrize(
    ("version", "second"),
    [
        ("23.9.6", (8, REUSED)),
        ("25.7.2", (8, REUSED)),
        ("25.8.2", (60, "match")),
        ("25.14.1", (60, "match")),
    ],
)
@pytest.mark.parametrize("policy", ["PeriodicHold", "OnExitHold"])
def test_the_claim_of_a_job_that_is_held_is_used_again_by_older_schedds(
    policy: str, version: str, second: tuple[float, str]
) -> None:
    """On 23.9.6 the next job runs in the second of the hold, on 25.14.1 with a match of the next cycle."""
    jobs = [one("1.0", JobPrio=5, **{policy: "true"}), one("2.0")]
    found = course(site(*jobs, version=version), 2, CYCLE, "8" if policy == "OnExitHold" else "300")

    assert [(start.job.id, start.at, start.by) for start in found.starts] == [
        ("1.0", 0, "match"), ("2.0", *second),
    ]  # fmt: skip


def test_a_job_that_waits_is_held_or_removed() -> None:
    jobs = [
        one("1.0", RequestMemory=99999, PeriodicRemove="true"),
        one("2.0", RequestMemory=99999, PeriodicHold="true"),
        one("3.0", RequestMemory=99999),
    ]
    assert [each.idle for each in course(site(*jobs), 2, CYCLE).samples] == [3, 1]


def test_a_claim_is_kept_for_the_next_job_of_the_submitter() -> None:
    """The job ends after 20 seconds, its claim after 110 more; a job that is released at 90 starts there."""
    late = one("2.0", JobStatus=5, HoldReasonCode=15, PeriodicRelease="time() > 1750000085")
    kept = one("1.0", KeepClaimIdle=110)

    assert running(site(kept), 4, "20") == [1, 1, 1, 0]
    found = course(site(kept, late), 4, CYCLE, "20")
    assert [(start.at, start.by) for start in found.starts][1:] == [(90, REUSED)]
    assert running(site(one("1.0")), 4, "20") == [1, 0, 0, 0]


def test_others_do_not_get_a_claim_that_is_kept() -> None:
    jobs = [one("1.0", KeepClaimIdle=110), *of("ben", 2, 1, QDate=NOW)]
    first, last = (
        accounting(f"{who}@site", Priority=each, PriorityFactor=1.0)
        for who, each in (("ada", 1.0), ("ben", 900.0))
    )
    asking = (asks("ada", 1), asks("ben", 1), first, last)
    given = pool(static_slot(), schedd("access1"), *asking, jobs=jobs)
    found = course(given, 4, CYCLE, "20")

    assert [(start.job.id, start.at) for start in found.starts] == [("1.0", 0), ("2.0", 180)]


def test_a_deferred_job_keeps_its_slot_and_begins_at_its_time() -> None:
    assert running(site(one(DeferralTime=NOW + 90)), 4, "20") == [1, 1, 0, 0]


def test_a_job_that_comes_later_than_its_window_is_held() -> None:
    found = course(site(one(DeferralTime=NOW - 90, DeferralWindow=60)), 2, CYCLE, "20")

    assert len(found.starts) == 1
    assert [(each.running, each.idle) for each in found.samples] == [(1, 0), (0, 0)]


def test_a_job_with_a_deferral_that_is_no_time_is_held() -> None:
    """jobWaitUntilExecuteTime of the starter, 25.14: no whole number is as good as a time that is over."""
    found = course(site(one(DeferralTime='"tomorrow"')), 2, CYCLE, "500")
    assert [(each.running, each.idle) for each in found.samples] == [(1, 0), (0, 0)]


def test_a_job_that_left_its_slot_cools_down() -> None:
    access = "SYSTEM_ON_VACATE_COOL_DOWN = 30 * NumVacates + 50\n"
    given = site(one(PeriodicVacate="NumVacates =?= undefined && JobStatus == 2"), access=access)
    taken = datetime.fromtimestamp(NOW, timezone.utc).isoformat()

    assert running(replace(given, taken_at=taken)) == [1, 0, 1, 1]


@pytest.mark.parametrize(
    ("knob", "version", "starts"),
    [
        ("", "25.10.1", [0, 30]),
        ("", "25.9.1", [0, 15]),
        ("SYSTEM_COOLDOWN_DURATION = 35\n", "25.14.1", [0, 45]),
        ("SYSTEM_COOLDOWN_DURATION = 0\n", "25.14.1", [0, 15]),
        ("SYSTEM_COOLDOWN_DURATION = 35\n", "23.9.6", [0, 15]),
    ],
)
def test_a_cool_down_lasts_longer_since_it_does(
    knob: str, version: str, starts: list[float]
) -> None:
    """5 seconds on 23.9.6 and 20 on 25.14.1, with an expression that says 5; the job leaves its slot after 8."""
    access = f"SYSTEM_ON_VACATE_COOL_DOWN = 5.9\n{knob}"
    policy = "NumVacates =?= undefined && JobStatus == 2"
    given = site(one(PeriodicVacate=policy), access=access, version=version)
    taken = datetime.fromtimestamp(NOW, timezone.utc).isoformat()
    found = course(replace(given, taken_at=taken), 9, 15.0)

    assert [start.at for start in found.starts] == starts


@pytest.mark.parametrize(("considers", "by"), [("True", "match"), ("False", REUSED)])
def test_claims_are_used_again_whatever_their_limits_where_nobody_considers_these(
    considers: str, by: str
) -> None:
    jobs = [one("1.0", ConcurrencyLimits='"licence"'), one("2.0")]
    access = f"CLAIM_RECYCLING_CONSIDER_LIMITS = {considers}\n"
    found = course(site(*jobs, access=access), 2, CYCLE, "20")

    assert [start.by for start in found.starts] == ["match", by]


def test_a_captured_job_that_loses_its_claim_waits_again() -> None:
    """Its schedd says where it runs, and it is of the claim's own submitter."""
    runs: dict[str, str | int] = {"JobStatus": 2, "RemoteHost": '"slot1@node1"', "CurrentHosts": 1}
    jobs = [*of("ben", 5, 1, **runs), *of("eve", 6, 1, **runs), *of("ada", 1, 1)]
    found = course(pool(held(1), asks("ada", 1), asks("ben", 0), jobs=jobs, config=ALWAYS), 1)

    assert [each.job and each.job.id for each in found.evictions] == ["5.0"]
    assert found.samples[0].idle == 1
    assert found.unmodelled == ()
