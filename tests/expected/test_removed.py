"""Jobs that SYSTEM_PERIODIC_REMOVE of their access point removes before they complete.

The counters are those of 25.14.1 with SYSTEM_PERIODIC_REMOVE = (time() - QDate) > 30: of 18 jobs
none completed, and the six that were in the queue were seconds old.
"""

from __future__ import annotations

from htcq.expected.unmet import VANISH
from tests.audit.sites import Text, found, schedd
from tests.expected.pools import NOW, access_point, cycles, free, observed, only, site, waiting

_LOST: dict[str, Text | None] = {
    "RecentJobsSubmitted": 18, "RecentJobsStarted": 8, "RecentJobsExited": 10,
    "RecentJobsCompleted": 0, "TotalJobAds": 6, "RecentStatsLifetime": 109,
}  # fmt: skip
_NONE_YET: dict[str, Text | None] = {**_LOST, "RecentJobsSubmitted": 6, "RecentJobsExited": 0}
_YOUNG = [waiting(f"3.{proc}", NOW - 20) for proc in range(3)]


def _access(policy: str) -> dict[str, str]:
    return {"access1": f"SYSTEM_PERIODIC_REMOVE = {policy}\n"}


_SECONDS = _access("(time() - QDate) > 30")


def test_a_policy_that_removes_whatever_is_submitted() -> None:
    given = site(free(), access_point(**_LOST), cycles(), jobs=_YOUNG, access=_SECONDS)
    finding = only(VANISH, given)
    assert finding.message == (
        "12 jobs at least left the queue of access1 in the last 1.8 min, none completed: "
        "SYSTEM_PERIODIC_REMOVE of access1 removes a job 31 s after its submission, such as "
        "3.0"
    )
    assert observed(finding)["SYSTEM_PERIODIC_REMOVE"] == "(time() - QDate) > 30"
    assert finding.severity.word == "error"


def test_it_is_told_before_it_has_removed_any() -> None:
    given = site(free(), access_point(**_NONE_YET), cycles(), jobs=_YOUNG, access=_SECONDS)
    finding = only(VANISH, given)
    assert "removes a job 31 s after its submission: all 3 jobs there" in finding.message
    assert finding.severity.word == "warning"


def test_an_empty_queue_is_judged_by_jobs_of_others() -> None:
    own = access_point(**{**_LOST, "TotalJobAds": 0})
    other = waiting("1.0", NOW - 20, ScheddName='"access2"')
    given = site(free(), own, schedd("access2"), cycles(), jobs=[other], access=_SECONDS)
    assert "18 jobs at least left the queue of access1" in only(VANISH, given).message


def test_one_that_waits_for_running_jobs_with_a_unit_too_small() -> None:
    policy = _access("JobStatus == 2 && time() - EnteredCurrentStatus > 60")
    given = site(free(), access_point(**_LOST), cycles(), jobs=_YOUNG, access=policy)
    assert "removes a job 1 min after its submission" in only(VANISH, given).message


def test_policies_that_remove_some_jobs_are_sound() -> None:
    usual = (
        "JobStatus == 5 && time() - EnteredCurrentStatus > 7 * 24 * 3600",
        "time() - QDate > 14 * 24 * 3600",
        "NumJobStarts > 10",
        "RequestMemory > 100000",
        "false",
    )
    for policy in usual:
        # A user may remove all of his own jobs.
        given = site(free(), access_point(**_LOST), cycles(), jobs=_YOUNG, access=_access(policy))
        assert not found(VANISH, given), policy
    completes = access_point(**{**_LOST, "RecentJobsCompleted": 1})
    limit = _access("time() - QDate > 1800")
    assert not found(VANISH, site(free(), completes, cycles(), jobs=_YOUNG, access=limit))
    # Nothing was removed yet, and half an hour may be meant.
    quiet = access_point(**_NONE_YET)
    assert not found(VANISH, site(free(), quiet, cycles(), jobs=_YOUNG, access=limit))
    own = [
        waiting(f"3.{proc}", NOW - 20, PeriodicRemove="time() - QDate > 30") for proc in range(3)
    ]
    plain = {"access1": "SCHEDD_INTERVAL = 60\n"}
    assert not found(VANISH, site(free(), access_point(**_LOST), cycles(), jobs=own, access=plain))
