"""Startds and schedds without an ad, as seen on 25.14.1.

UPDATE_INTERVAL above CLASSAD_LIFETIME (no ad of a machine whose job runs), a schedd whose client
side of security was wrong (its submitters' ads outlived its own), a startd that died every 15 s.
"""

from __future__ import annotations

from htcq.balance.causes import RUNNING
from htcq.expected.unmet import NO_AD
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC
from tests.audit.sites import Text, found, schedd, submitter
from tests.balance.pools import check
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

_ADS = (free(), access_point(LastHeardFrom=NOW), cycles())


def _running(host: str = "slot1_1@node2", **changes: Text | None) -> str:
    own: dict[str, Text | None] = {
        "JobStatus": 2, "CurrentHosts": 1, "RemoteHost": f'"{host}"',
        "JobCurrentStartDate": LONG_AGO,
    }  # fmt: skip
    return waiting("1.0", **{**own, **changes})


def _pool(*ads: str, jobs: tuple[str, ...] = ()) -> Pool:
    return site(*_ADS, *ads, jobs=jobs)


# A startd
# --------------------------------------------------------------------------------------------------


def test_a_job_runs_on_a_machine_without_an_ad() -> None:
    finding = only(NO_AD, _pool(jobs=(_running(),)))
    assert (finding.subject, finding.severity.word) == ("machine node2", "warning")
    assert finding.message.startswith(
        "1 job, such as 1.0, runs with 1 core on node2 since 2027-01-15 05:30 UTC, and the "
        "collector has no ad of it"
    )
    assert observed(finding)["RemoteHost"] == "slot1_1@node2"
    assert not found(NO_AD, _pool(jobs=(_running("slot1_1@NODE1"),)))


def test_a_job_that_has_just_begun_or_runs_in_another_pool_is_no_sign() -> None:
    assert not found(NO_AD, _pool(jobs=(_running(JobCurrentStartDate=LATELY),)))
    assert not found(NO_AD, _pool(jobs=(_running(RemotePool='"cm.other"'),)))
    # Captures that do not have RemotePool: the schedd says that some run there.
    flocks = access_point(LastHeardFrom=NOW, TotalFlockedJobs=1)
    assert not found(NO_AD, site(free(), flocks, cycles(), jobs=[_running()]))
    of_submitter = submitter(FlockedJobs=2)
    assert not found(NO_AD, _pool(of_submitter, jobs=(_running(),)))
    # A schedd of another pool that flocks to this one.
    foreign = submitter(SubmitterTag='"cm.other"')
    assert not found(NO_AD, _pool(foreign, jobs=(_running(),)))


def test_in_a_large_pool_a_machine_that_is_gone_is_information() -> None:
    many = [free(f"slot1@node{number}") for number in range(10, 120)]
    assert only(NO_AD, _pool(*many, jobs=(_running(),))).severity.word == "info"
    four = tuple(_running(f"slot1_1@gone{number}") for number in range(4))
    finding = only(NO_AD, _pool(*many, jobs=four))
    assert (finding.subject, finding.severity.word) == ("4 machines", "warning")


# A schedd
# --------------------------------------------------------------------------------------------------


def _of_ap5(heard: int, **changes: Text | None) -> str:
    own: dict[str, Text | None] = {
        "ScheddName": '"ap5"', "HeldJobs": 4, "IdleJobs": 0, "LastHeardFrom": heard,
    }  # fmt: skip
    return submitter("eve@site", **{**own, **changes})


def test_submitters_of_an_access_point_without_an_ad() -> None:
    finding = only(NO_AD, _pool(_of_ap5(NOW - 400)))
    assert (finding.subject, finding.severity.word) == ("access point ap5", "warning")
    assert "no ad of the access point ap5, and 1 ad of its submitters (eve@site)" in finding.message
    assert "with 0 idle, 0 running and 4 held jobs" in finding.message
    # It was restarted, it has an ad, it is of another pool.
    assert not found(NO_AD, _pool(_of_ap5(NOW - 200)))
    assert not found(NO_AD, _pool(_of_ap5(NOW - 400), schedd("AP5", LastHeardFrom=NOW)))
    assert not found(NO_AD, _pool(_of_ap5(NOW - 400, SubmitterTag='"cm.other"')))
    # A capture of slots and submitters alone.
    assert not found(NO_AD, site(free(), cycles(), _of_ap5(NOW - 400)))


def test_claims_of_an_access_point_without_any_ad() -> None:
    finding = only(NO_AD, _pool(claim(RemoteScheddName='"ap5"')))
    assert "no ad of the access point ap5; it has 1 claim with 1 core" in finding.message
    assert not found(NO_AD, _pool(claim(since=LATELY, RemoteScheddName='"ap5"')))
    assert not found(NO_AD, _pool(claim(RemoteScheddName='"ap5"', IsDirectAttach="true")))


# A startd that began anew
# --------------------------------------------------------------------------------------------------

_DEAD: dict[str, Text | None] = {
    "DaemonStartTime": LONG_AGO - 9000, "MyCurrentTime": NOW - 400, "LastHeardFrom": NOW - 400,
}  # fmt: skip
_NEW: dict[str, Text | None] = {
    "DaemonStartTime": NOW - 300, "MyCurrentTime": NOW, "LastHeardFrom": NOW, "NumDynamicSlots": 0,
}  # fmt: skip


def _crashed(**changes: Text | None) -> Pool:
    old = claim(**{**_DEAD, **changes})
    jobs = (_running("slot1_1@node1", NumJobStarts=1),)
    ads = (free(**_NEW), old, access_point(LastHeardFrom=NOW), cycles())
    return site(*ads, jobs=jobs)


def test_claims_of_a_startd_that_died() -> None:
    finding = only(NO_AD, _crashed())
    assert (finding.subject, finding.severity.word) == ("machine node1", "warning")
    assert finding.message == (
        "condor_startd of node1 began anew at 2027-01-15 07:55 UTC, and 1 dynamic slot with 1 core "
        "are of the one before: nobody has these claims any more; 1 job, such as 1.0, still runs "
        "there for its schedd, with 1 core"
    )
    # Two startds of one name: the other sends its ads still. The new one has this slot.
    assert not found(NO_AD, _crashed(MyCurrentTime=NOW, LastHeardFrom=NOW))
    # Since a moment ago.
    lately: dict[str, Text | None] = {"MyCurrentTime": LATELY, "LastHeardFrom": LATELY}
    new = {**_NEW, "DaemonStartTime": NOW - 10}
    ads = (free(**new), claim(**{**_DEAD, **lately}), access_point(LastHeardFrom=NOW), cycles())
    assert not found(NO_AD, site(*ads))


def test_a_job_of_a_startd_that_died_in_a_slot_that_has_another_job() -> None:
    """The names of dynamic slots begin anew with each start."""
    ads = (free(**_NEW), claim(**_NEW), access_point(LastHeardFrom=NOW), cycles())
    new = _running("slot1_1@node1", ProcId=1, JobCurrentStartDate=NOW - 250)
    finding = only(NO_AD, site(*ads, jobs=[_running("slot1_1@node1"), new]))
    assert finding.message == (
        "condor_startd of node1 began anew at 2027-01-15 07:55 UTC; 1 job, such as 1.0, still runs "
        "there for its schedd, with 1 core"
    )
    assert not found(NO_AD, site(*ads, jobs=[new]))


def test_what_had_been_carved_for_them_is_whole_again() -> None:
    found_ = check(_crashed())
    assert found_.of(RUNNING) is None
    assert all(min(each.amounts) >= 0 for each in found_.by)
    (dead,) = [slot for slot in _crashed().slots or () if slot.type == DYNAMIC]
    assert dead.name == "slot1_1@node1"


def test_what_its_parent_has_given_back_is_counted_once() -> None:
    """The ad of a dynamic slot may stay a while; its parent says later that it has none."""
    later = free(MyCurrentTime=NOW, NumDynamicSlots=0)
    pool = site(later, claim(MyCurrentTime=NOW - 20), access_point(LastHeardFrom=NOW), cycles())
    found_ = check(pool)
    assert found_.of(RUNNING) is None
    assert all(min(each.amounts) >= 0 for each in found_.by)
    assert not found(NO_AD, pool)
    earlier = site(later, claim(MyCurrentTime=NOW), access_point(LastHeardFrom=NOW), cycles())
    assert check(earlier).of(RUNNING) is not None
