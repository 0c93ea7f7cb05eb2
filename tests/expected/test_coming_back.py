"""Jobs that something of their access point puts back again and again.

The counters are those of 25.14.1: with SYSTEM_PERIODIC_HOLD = JobStatus == 2 && RequestMemory < 256
and a release at once, and with a transform that reverses on_exit_remove.
"""

from __future__ import annotations

from htcq.expected.unmet import LASTS
from tests.audit.sites import Text, found
from tests.expected.pools import access_point, cycles, free, observed, only, site, waiting

_HOLDS: dict[str, Text | None] = {
    "RecentJobsExited": 64, "RecentJobsShouldHold": 64, "RecentJobsShouldRequeue": 0,
    "RecentJobsCompleted": 0, "RecentStatsLifetime": 115,
}  # fmt: skip
_BACK: dict[str, Text | None] = {
    "RecentJobsExited": 40, "RecentJobsShouldHold": 0, "RecentJobsShouldRequeue": 40,
    "RecentJobsCompleted": 0, "RecentStatsLifetime": 132,
}  # fmt: skip
_POLICY = {
    "access1": "SYSTEM_PERIODIC_HOLD = JobStatus == 2 && RequestMemory < 256\n"
    "SYSTEM_PERIODIC_RELEASE = NumHolds < 1000000\n"
}
_TRANSFORM = {
    "access1": "JOB_TRANSFORM_NAMES = retry\n"
    "JOB_TRANSFORM_retry = SET OnExitRemove (ExitCode != 0)\n"
}
_HELD = [waiting(f"1.{proc}", NumHolds=40, NumJobMatches=20) for proc in range(4)]
_ENDED = [waiting(f"1.{proc}", NumJobCompletions=20, NumJobStarts=20) for proc in range(2)]


def test_holds_and_releases_that_take_turns() -> None:
    given = site(free(), access_point(**_HOLDS), cycles(), jobs=_HELD, access=_POLICY)
    finding = only(LASTS, given)
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert finding.message.startswith("64 starts of jobs at access1 in the last 1.9 min ended on")
    assert observed(finding)["SYSTEM_PERIODIC_RELEASE"] == "NumHolds < 1000000"


def test_jobs_that_end_and_go_back_into_the_queue() -> None:
    given = site(free(), access_point(**_BACK), cycles(), jobs=_ENDED, access=_TRANSFORM)
    finding = only(LASTS, given)
    assert (finding.subject, finding.severity.word) == ("access point access1", "error")
    assert "JOB_TRANSFORM_retry of access1" in finding.advice
    # What the user wrote himself is his.
    own = site(free(), access_point(**_BACK), cycles(), jobs=_ENDED)
    assert only(LASTS, own).severity.word == "warning"


def test_where_some_complete_or_jobs_are_preempted_it_is_another_matter() -> None:
    some = access_point(**{**_BACK, "RecentJobsCompleted": 1})
    assert not found(LASTS, site(free(), some, cycles(), jobs=_ENDED, access=_TRANSFORM))
    few = access_point(**{**_HOLDS, "RecentJobsShouldHold": 9})
    assert not found(LASTS, site(free(), few, cycles(), jobs=_HELD, access=_POLICY))
    # A job that is preempted goes back as well, and has not ended.
    preempted = [waiting(f"1.{proc}", NumJobStarts=20) for proc in range(2)]
    assert not found(LASTS, site(free(), access_point(**_BACK), cycles(), jobs=preempted))
    once = [waiting(f"1.{proc}", NumHolds=1) for proc in range(20)]
    assert not found(LASTS, site(free(), access_point(**_HOLDS), cycles(), jobs=once))
