"""Submissions that come to nothing: what the counters of a schedd say (seen on 25.14.1: tests/condor/test_unmet.py)."""

from __future__ import annotations

from htcq.expected.unmet import FAILS, STOPPED, VANISH
from tests.audit.sites import Text, found, schedd
from tests.expected.pools import access_point, cycles, free, observed, only, site

#: Nothing started, ended or is in the queue.
_NOTHING: dict[str, Text | None] = {
    "RecentJobsStarted": 0, "RecentJobsCompleted": 0, "RecentJobsExited": 0, "TotalJobAds": 0,
}  # fmt: skip
_MAP = """
JOB_TRANSFORM_NAMES = AssignGroup
JOB_TRANSFORM_AssignGroup @=end
   EVALSET AcctGroup = usermap("groups", Owner)
@end
SUBMIT_REQUIREMENT_NAMES = HasGroup
SUBMIT_REQUIREMENT_HasGroup = AcctGroup isnt undefined
SCHEDD_CLASSAD_USER_MAP_NAMES = groups
CLASSAD_USER_MAPFILE_groups = /no/such/groups.map
"""


def test_an_access_point_that_refuses_every_job() -> None:
    ad = access_point(**_NOTHING, RecentJobsSubmitted=18, RecentStatsLifetime=1200)
    finding = only(VANISH, site(free(), ad, cycles(), access={"access1": _MAP}))
    assert "18 jobs were submitted at access1 in the last 20 min, none started" in finding.message
    assert "no job may be submitted without AcctGroup, which a user map sets" in finding.message
    assert observed(finding)["CLASSAD_USER_MAPFILE_groups"] == "/no/such/groups.map"
    assert finding.severity.word == "error"


def test_users_may_take_their_jobs_back() -> None:
    ad = access_point(**_NOTHING, RecentJobsSubmitted=18)
    plain = {"access1": "SCHEDD_INTERVAL = 60\nJOB_TRANSFORM_NAMES = PelicanRetry\n"}
    assert only(VANISH, site(free(), ad, cycles(), access=plain)).severity.word == "info"
    few = access_point(**_NOTHING, RecentJobsSubmitted=2)
    assert not found(VANISH, site(free(), few, cycles(), access={"access1": _MAP}))


def test_jobs_that_start_or_wait_have_not_vanished() -> None:
    for name in _NOTHING:
        ad = access_point(**{**_NOTHING, name: 1}, RecentJobsSubmitted=18)
        assert not found(VANISH, site(free(), ad, cycles(), access={"access1": _MAP})), name
    # Counters that the schedd does not publish say nothing.
    ad = access_point(**{**_NOTHING, "TotalJobAds": None}, RecentJobsSubmitted=18)
    assert not found(VANISH, site(free(), ad, cycles(), access={"access1": _MAP}))


def test_an_access_point_where_nothing_is_submitted_any_more() -> None:
    busy: dict[str, Text | None] = {
        **_NOTHING, "RecentJobsSubmitted": 0, "JobsSubmitted": 9000, "StatsLifetime": 36000,
        "RecentStatsLifetime": 1200,
    }  # fmt: skip
    other = schedd("access2", RecentJobsSubmitted=5, TotalJobAds=5)
    finding = only(STOPPED, site(free(), access_point(**busy), other, cycles()))
    assert "before, there were 300 in that time" in finding.message
    # At night nobody submits anywhere.
    assert not found(STOPPED, site(free(), access_point(**busy), cycles()))
    quiet = access_point(**{**busy, "JobsSubmitted": 900})
    assert not found(STOPPED, site(free(), quiet, other, cycles()))
    assert not found(
        STOPPED, site(free(), access_point(**{**busy, "StatsLifetime": 3600}), other, cycles())
    )


def test_submitters_of_whom_the_negotiator_hears_nothing() -> None:
    finding = only(FAILS, site(free(), cycles(failed="ada@site")))
    assert "no answer on jobs of 1 submitter (ada@site)" in finding.message
    assert not found(FAILS, site(free(), cycles()))
