"""Runs that end by knobs of the access point, and begin anew; the counters are those of 25.14.1."""

from __future__ import annotations

from htcq.expected.unmet import LASTS, STARTS
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found
from tests.expected.pools import access_point, cycles, free, observed, only, site, waiting

_LOOP = """
SYSTEM_PERIODIC_HOLD = JobStatus == 2 && RequestMemory < 256
SYSTEM_PERIODIC_RELEASE = NumHolds < 1000000
"""
_RETRY = """
JOB_TRANSFORM_NAMES = retry
JOB_TRANSFORM_retry = SET OnExitRemove (ExitBySignal == False) && (ExitCode != 0)
"""
_HELD: dict[str, Text | None] = {
    "RecentJobsExited": 64, "RecentJobsShouldHold": 64, "RecentJobsShouldRequeue": 0,
    "RecentJobsCompleted": 0, "RecentStatsLifetime": 115, "TotalJobAds": 4,
}  # fmt: skip
_REQUEUED: dict[str, Text | None] = {
    **_HELD, "RecentJobsExited": 40, "RecentJobsShouldHold": 0, "RecentJobsShouldRequeue": 40,
}  # fmt: skip


def _pool(config: str, counters: dict[str, Text | None], **changes: Text | None) -> Pool:
    own: dict[str, Text | None] = {
        "NumShadowStarts": 20, "NumJobStarts": 0, "LastRemoteHost": '"slot1_1@node1"', **changes,
    }  # fmt: skip
    jobs = [waiting(f"1.{proc}", **own) for proc in range(4)]
    slots = free(RecentClaimRequests=64, RecentActivationRequests=64, RecentJobStarts=64)
    whole = (slots, access_point(**counters), cycles())
    return site(*whole, jobs=jobs, access={"access1": config})


def test_jobs_that_are_held_and_released_for_ever() -> None:
    given = _pool(_LOOP, _HELD)
    finding = only(LASTS, given)
    assert finding.subject == "access point access1"
    assert finding.message == (
        "64 runs of jobs of access1, such as 1.0, ended in the last 1.9 min and none completed: by "
        "SYSTEM_PERIODIC_HOLD and SYSTEM_PERIODIC_RELEASE of access1 they go on hold and are released, to "
        "begin anew"
    )
    assert observed(finding)["SYSTEM_PERIODIC_HOLD"] == "JobStatus == 2 && RequestMemory < 256"
    # Jobs that have not run yet hide nothing.
    assert found(LASTS, _pool(_LOOP, {**_HELD, "TotalJobAds": 4000}))
    # The machine that they were on is sound.
    assert not found(STARTS, given)
    assert found(STARTS, _pool("SCHEDD_INTERVAL = 60\n", _HELD))


def test_jobs_that_leave_the_queue_only_when_they_fail() -> None:
    finding = only(LASTS, _pool(_RETRY, _REQUEUED))
    assert "by JOB_TRANSFORM_retry of access1 they go back into the queue" in finding.message


def test_where_one_job_completes_or_the_knobs_are_not_set_nothing_is_told() -> None:
    assert not found(LASTS, _pool(_LOOP, {**_HELD, "RecentJobsCompleted": 1}))
    assert not found(LASTS, _pool(_LOOP, {**_HELD, "RecentJobsExited": 70}))
    few: dict[str, Text | None] = {**_HELD, "RecentJobsExited": 11, "RecentJobsShouldHold": 11}
    assert not found(LASTS, _pool(_LOOP, few))
    assert not found(LASTS, _pool("SYSTEM_PERIODIC_HOLD = NumJobStarts > 9\n", _HELD))
    assert not found(LASTS, _pool(_LOOP, _HELD, JobStatus=5, HoldReasonCode=12))
