"""Jobs that no starter begins to execute.

The ads are cut down from those of 25.14.1 with a hook X_HOOK_PREPARE_JOB that sleeps for ever: the
slots are Claimed and Busy, the jobs have JobStatus 2 and NumShadowStarts 1, and no
JobCurrentStartExecutingDate; beside them jobs that run have it within a second.
"""

from __future__ import annotations

from dataclasses import replace

from htcq.expected.unmet import STARTS
from tests.audit.sites import Text, found
from tests.expected.pools import (
    LATELY,
    LONG_AGO,
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

CLAIMS = (claim("slot1_1@node1"), claim("slot1_2@node1"))
HOOK = {"node1": "STARTER_DEFAULT_JOB_HOOK_KEYWORD = X\nX_HOOK_PREPARE_JOB = /hang.sh\n"}


def placed(proc: int, since: int = LONG_AGO, **changes: Text | None) -> str:
    """Return a job that runs by its status on node1 since then, and has a shadow."""
    own: dict[str, Text | None] = {
        "JobStatus": 2, "EnteredCurrentStatus": since, "JobCurrentStartDate": since,
        "NumShadowStarts": 1, "NumJobStarts": 0, "RemoteHost": f'"slot1_{proc + 1}@node1"',
    }  # fmt: skip
    return waiting(f"4.{proc}", **{**own, **changes})


def test_a_hook_that_hangs_is_told_with_the_knob() -> None:
    given = site(free(), *CLAIMS, cycles(), jobs=[placed(0), placed(1)], execute=HOOK)
    finding = only(STARTS, given)
    assert finding.subject == "machine node1"
    assert "2 jobs, such as 4.0, have claims on node1 since 2027-01-15" in finding.message
    assert observed(finding)["X_HOOK_PREPARE_JOB"] == "/hang.sh"
    assert finding.severity.word == "error"


def test_it_is_a_warning_until_large_images_would_have_come() -> None:
    since = NOW - 400
    jobs = [placed(0, since), placed(1, since)]
    assert only(STARTS, site(free(), *CLAIMS, cycles(), jobs=jobs)).severity.word == "warning"


def test_jobs_that_a_starter_executes_are_not_late() -> None:
    begun = [placed(proc, JobCurrentStartExecutingDate=LONG_AGO + 1) for proc in range(2)]
    assert not found(STARTS, site(free(), *CLAIMS, cycles(), jobs=begun))
    # One that waits beside one that runs there, or alone, may have large input.
    assert not found(STARTS, site(free(), *CLAIMS, cycles(), jobs=[begun[0], placed(1)]))
    assert not found(STARTS, site(free(), *CLAIMS, cycles(), jobs=[placed(1)]))
    lately = [placed(proc, LATELY) for proc in range(2)]
    assert not found(STARTS, site(free(), *CLAIMS, cycles(), jobs=lately))
    # The time of an earlier run is no sign of this one.
    earlier = [placed(proc, JobCurrentStartExecutingDate=LONG_AGO - 9) for proc in range(2)]
    assert found(STARTS, site(free(), *CLAIMS, cycles(), jobs=earlier))


def test_without_the_time_of_a_claim_it_is_not_told() -> None:
    """Not 1970."""
    unknown: dict[str, Text | None] = {"JobCurrentStartDate": None}
    jobs = [placed(0, **unknown), placed(1, **unknown)]
    finding = only(STARTS, site(free(), *CLAIMS, cycles(), jobs=jobs))
    assert "have claims on node1, and none has begun" in finding.message
    finding = only(STARTS, site(free(), *CLAIMS, cycles(), jobs=[placed(0), jobs[1]]))
    assert "have claims on node1 since 2027-01-15 05:30 UTC, and none" in finding.message
    deferred = [placed(proc, DeferralTime=NOW + 36_000, **unknown) for proc in range(2)]
    finding = only(STARTS, site(free(), *CLAIMS, access_point(), cycles(), jobs=deferred))
    assert "have claims and wait there for their DeferralTime" in finding.message


def test_a_capture_without_names_may_not_have_the_attribute() -> None:
    jobs = [placed(0), placed(1)]
    given = replace(site(free(), *CLAIMS, cycles(), jobs=jobs), anonymous=True)
    assert not found(STARTS, given)


def test_input_that_waits_for_a_transfer_that_hangs_is_the_access_points() -> None:
    """One of MAX_CONCURRENT_UPLOADS = 1 sends and sends nothing, so that the others wait."""
    queue: dict[str, Text | None] = {
        "TransferQueueNumUploading": 1, "TransferQueueNumWaitingToUpload": 4,
        "TransferQueueMaxUploading": 1,
    }  # fmt: skip
    jobs = [placed(0), placed(1)]
    access = {"access1": "MAX_CONCURRENT_UPLOADS = 1\n"}
    given = site(free(), *CLAIMS, access_point(**queue), cycles(), jobs=jobs, access=access)
    finding = only(STARTS, given)
    assert finding.subject == "access point access1"
    assert "4 wait for their turn to send input, 1 of at most 1 send" in finding.message
    assert observed(finding)["MAX_CONCURRENT_UPLOADS"] == "1"


def test_input_that_never_comes_on_machines_with_one_job_each() -> None:
    """As seen with URLs of a plugin that hangs: TransferringInput is true, and a job is on each machine."""
    claims = [claim("slot1_1@node1"), claim("slot1_1@node2", Machine='"node2"')]
    jobs = [placed(0), placed(1, RemoteHost='"slot1_1@node2"')]
    finding = only(STARTS, site(free(), *claims, access_point(), cycles(), jobs=jobs))
    assert finding.subject == "access point access1"
    assert "in 2 slots, and none has begun to execute, nor has any other" in finding.message
    begun = placed(2, JobCurrentStartDate=NOW - 90, JobCurrentStartExecutingDate=NOW - 80)
    assert not found(STARTS, site(free(), *claims, access_point(), cycles(), jobs=[*jobs, begun]))


def test_jobs_that_a_transform_lets_wait_in_their_slots() -> None:
    """As seen with JOB_TRANSFORM_nightly = SET DeferralTime (QDate + 10 * 3600)."""
    access = {
        "access1": "JOB_TRANSFORM_NAMES = nightly\n"
        "JOB_TRANSFORM_nightly = SET DeferralTime (QDate + 10 * 3600)\n"
    }
    jobs = [placed(proc, DeferralTime="(QDate + 10 * 3600)") for proc in range(2)]
    ads = (free(), *CLAIMS, access_point(), cycles())
    finding = only(STARTS, site(*ads, jobs=jobs, access=access, execute=HOOK))
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert "wait there for their DeferralTime, 2027-01-15 15:30 UTC" in finding.message
    assert finding.message.endswith("JOB_TRANSFORM_nightly of access1 sets it")
    assert observed(finding)["JOB_TRANSFORM_nightly"] == "SET DeferralTime (QDate + 10 * 3600)"
    assert "condor_drain" not in finding.advice

    by_owner = only(STARTS, site(*ads, jobs=jobs))
    assert (by_owner.subject, by_owner.severity.word) == ("access point access1", "info")
    # A few minutes before its time a job has its slot on purpose; after that it should have begun.
    soon = [placed(proc, DeferralTime=NOW + 200) for proc in range(2)]
    assert only(STARTS, site(*ads, jobs=soon)).subject == "machine node1"
