"""Jobs on hold: what is a fault of the site, and what is the user's (codes of condor_holdcodes.h, 25.14)."""

from __future__ import annotations

import pytest

from htcq.expected.unmet import HELD_BY_FAULTS, STARTS
from tests.audit.sites import Text, found
from tests.expected.pools import (
    LATELY,
    NOW,
    access_point,
    claim,
    cycles,
    free,
    observed,
    only,
    site,
    waiting,
)


def held(count: int, **changes: Text | None) -> list[str]:
    """Return jobs of access1 on hold."""
    return [waiting(f"1.{proc}", JobStatus=5, **changes) for proc in range(count)]


def test_a_disk_that_is_full_at_the_access_point() -> None:
    by_code = held(40, HoldReasonCode=12, HoldReasonSubCode=28)
    finding = only(HELD_BY_FAULTS, site(free(), access_point(), cycles(), jobs=by_code))
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert (
        "40 jobs, such as 1.0, went on hold at access1: No space left on device" in finding.message
    )
    assert observed(finding)["HoldReasonSubCode"] == "28"


def test_the_text_of_the_reason_serves_where_the_ad_has_no_code_of_the_system() -> None:
    reason = '"Transfer output files failure at ap1: Disk quota exceeded"'
    jobs = held(2, HoldReasonCode=12, HoldReason=reason, LastRemoteHost='"slot1_1@node1"')
    finding = only(HELD_BY_FAULTS, site(free(), access_point(), cycles(), jobs=jobs))
    assert finding.severity.word == "warning"
    assert "Disk quota exceeded" in finding.message
    assert "all of them were on node1 last" in finding.message


def test_two_jobs_that_a_machine_puts_on_hold_are_a_warning_and_more_are_told_once() -> None:
    own: dict[str, Text | None] = {
        "HoldReasonCode": 19, "LastRemoteHost": '"slot1_1@node1"', "NumShadowStarts": 1,
        "NumJobStarts": 0,
    }  # fmt: skip
    finding = only(HELD_BY_FAULTS, site(free(), access_point(), cycles(), jobs=held(2, **own)))
    assert (finding.subject, finding.severity.word) == ("machine node1", "warning")
    many = site(free(), access_point(), cycles(), jobs=held(3, **own))
    assert found(STARTS, many)
    assert not found(HELD_BY_FAULTS, many)


@pytest.mark.parametrize(
    "changes",
    [
        {"HoldReasonCode": 1, "HoldReason": '"No space left on device, says ada"'},
        {"HoldReasonCode": 3, "HoldReasonSubCode": 28},
        {"HoldReasonCode": 13, "HoldReasonSubCode": 2},
        {"HoldReasonCode": 34, "HoldReasonSubCode": 102},
        {},
    ],
)
def test_what_a_user_did_or_forgot_is_no_fault(changes: dict[str, Text | None]) -> None:
    jobs = held(40, **changes)
    assert not found(HELD_BY_FAULTS, site(free(), access_point(), cycles(), jobs=jobs))


def test_an_access_point_whose_policy_holds_every_job() -> None:
    """Seen on 25.14.1 with SYSTEM_PERIODIC_HOLD = True: every job goes on hold with code 26."""
    jobs = held(3, HoldReasonCode=26)
    access = {"access1": "SYSTEM_PERIODIC_HOLD = True\n"}
    ads = (free(), access_point(), cycles())
    finding = only(HELD_BY_FAULTS, site(*ads, jobs=jobs, access=access))
    assert "by SYSTEM_PERIODIC_HOLD (HoldReasonCode 26); it has no other job" in finding.message
    assert observed(finding)["SYSTEM_PERIODIC_HOLD"] == "True"
    # Where other jobs wait or run, or fewer are held, the policy does what it is for.
    assert not found(HELD_BY_FAULTS, site(*ads, jobs=[*jobs, waiting("2.0")], access=access))
    assert not found(HELD_BY_FAULTS, site(*ads, jobs=jobs[:2], access=access))
    mixed = [*jobs, *held(1, HoldReasonCode=1)]
    assert not found(HELD_BY_FAULTS, site(*ads, jobs=mixed, access=access))


def test_an_access_point_whose_limit_holds_every_job() -> None:
    """Seen on 25.14.1 with MAX_TRANSFER_INPUT_MB = 0: every job that transfers goes on hold, with code 32."""
    jobs = held(4, HoldReasonCode=32, HoldReasonSubCode=0)
    ads = (free(), access_point(), cycles())
    finding = only(HELD_BY_FAULTS, site(*ads, jobs=jobs))
    assert finding.subject == "access point access1"
    assert "by MAX_TRANSFER_INPUT_MB (HoldReasonCode 32); it has no other job" in finding.message
    assert finding.advice.startswith("MAX_TRANSFER_INPUT_MB of access1")

    assert not found(HELD_BY_FAULTS, site(*ads, jobs=[*jobs, waiting("2.0")]))
    mixed = [*jobs, *held(1, HoldReasonCode=26)]
    assert not found(HELD_BY_FAULTS, site(*ads, jobs=mixed))


@pytest.mark.parametrize(("code", "subcode"), [(21, 0), (6, 22)])
def test_a_machine_that_holds_every_job_by_its_own_policy_or_for_its_disk(
    code: int, subcode: int
) -> None:
    """Seen on 25.14.1 with WANT_HOLD = True, and with ENCRYPT_EXECUTE_DIRECTORY where that cannot work."""
    own: dict[str, Text | None] = {
        "HoldReasonCode": code, "HoldReasonSubCode": subcode, "NumShadowStarts": 1,
        "NumJobStarts": 1, "LastRemoteHost": '"slot1_1@node1"',
    }  # fmt: skip
    ads = (access_point(), cycles())
    execute = {"node1": "WANT_HOLD = True\n"}
    finding = only(HELD_BY_FAULTS, site(free(), *ads, jobs=held(3, **own), execute=execute))
    assert (finding.subject, finding.severity.word) == ("machine node1", "error")
    assert observed(finding)["WANT_HOLD"] == "True"
    by_policy = "PREEMPT and WANT_HOLD of node1 are true for these jobs: correct one"
    assert finding.advice.startswith(by_policy if code == 21 else "Repair what StarterLog of node1")
    assert not found(HELD_BY_FAULTS, site(free(), *ads, jobs=held(2, **own))), "an accident"
    # Where a job lasts the policy holds some jobs, as it is meant to.
    assert not found(HELD_BY_FAULTS, site(free(), claim(), *ads, jobs=held(3, **own)))
    missing = {**own, "HoldReasonSubCode": 102 if code == 21 else 2}
    assert not found(HELD_BY_FAULTS, site(free(), *ads, jobs=held(3, **missing)))


def test_an_access_point_whose_directories_are_gone() -> None:
    """Seen on 25.14.1 with a purged directory: jobs that ran cannot write output, others cannot begin."""
    lost_none = access_point(RecentJobsCompleted=0)
    lost: dict[str, Text | None] = {"JobStatus": 5, "NumShadowStarts": 1}
    output: dict[str, Text | None] = {**lost, "HoldReasonCode": 12, "HoldReasonSubCode": 13}
    directory: dict[str, Text | None] = {**lost, "HoldReasonCode": 14, "HoldReasonSubCode": 2}
    jobs = [
        waiting("1.0", LATELY, **output), waiting("1.1", LATELY, **output),
        waiting("1.2", LATELY, **directory), waiting("2.0"),
    ]  # fmt: skip
    finding = only(HELD_BY_FAULTS, site(free(), lost_none, cycles(), jobs=jobs))
    assert finding.message == (
        "3 jobs of access1, such as 1.0, went on hold since 2027-01-15 07:59 UTC, all of its jobs "
        "that had a slot: the output of 2 cannot be written (HoldReasonCode 12) and the initial "
        "directory of 1 cannot be entered (HoldReasonCode 14)"
    )
    assert (finding.subject, finding.severity.word) == ("access point access1", "warning")
    eve = {**directory, "User": '"eve@site"', "Owner": '"eve"'}
    several = [*jobs, waiting("3.0", LATELY, **eve)]
    error = only(HELD_BY_FAULTS, site(free(), lost_none, cycles(), jobs=several))
    assert error.severity.word == "error"
    runs = waiting("4.0", JobStatus=2, NumShadowStarts=1)
    assert not found(HELD_BY_FAULTS, site(free(), lost_none, cycles(), jobs=[*several, runs]))
    completes = access_point(RecentJobsCompleted=1)
    assert not found(HELD_BY_FAULTS, site(free(), completes, cycles(), jobs=several))
    for unknown in (access_point(), access_point(RecentJobsCompleted="undefined")):
        assert not found(HELD_BY_FAULTS, site(free(), unknown, cycles(), jobs=several))
    old = [waiting(f"1.{proc}", NOW - 90000, **directory) for proc in range(3)]
    assert not found(HELD_BY_FAULTS, site(free(), lost_none, cycles(), jobs=old))
    # Output that a job never wrote.
    none = [waiting(f"1.{proc}", LATELY, **{**output, "HoldReasonSubCode": 2}) for proc in range(3)]
    assert not found(HELD_BY_FAULTS, site(free(), lost_none, cycles(), jobs=none))
    full = [
        waiting(f"1.{proc}", LATELY, **{**output, "HoldReasonSubCode": 28}) for proc in range(3)
    ]
    finding = only(HELD_BY_FAULTS, site(free(), access_point(), cycles(), jobs=full))
    assert "No space left on device" in finding.message
