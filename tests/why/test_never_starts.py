"""Jobs that no cycle starts, whatever room there is: nobody says that they start.

The facts are those of HTCondor's own source (qmgmt_factory.cpp, matchmaker.cpp,
classad/matchClassad.cpp, 25.14), and a real 25.14.1 and 23.9.6 did the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.errors import InputError, PoolError
from htcq.pool.pool import Pool
from htcq.why import match_failure as wall
from htcq.why.choice import at_access_point, jobs_of
from htcq.why.verdict import Verdict, Verdicts
from tests.audit.sites import Text, dynamic_slot, job, negotiator, pool, schedd, slot, submitter

#: A cluster of ten jobs, of which one may be idle at a time.
FACTORY: dict[str, Text] = {
    "TotalSubmitProcs": 10,
    "JobMaterializeNextProcId": 1,
    "JobMaterializeMaxIdle": 1,
}
SILENT = (("jobs of access2", "no answer within 5 s"),)


def verdicts(given: Pool, who: str) -> tuple[Verdict, ...]:
    judged = Verdicts(given)
    return judged.on(jobs_of(given, judged.cycle.quotas, who))


def ids(verdict: Verdict) -> list[str]:
    return [each.id for each in verdict.walls]


def with_jobs(*jobs: str) -> Pool:
    return pool(slot(), submitter(IdleJobs=len(jobs)), schedd(), negotiator(), jobs=jobs)


def test_a_job_that_is_not_in_the_queue_yet() -> None:
    (found,) = verdicts(with_jobs(job("3.0", **FACTORY)), "3.4")
    (only,) = found.walls
    assert (found.starts, found.jobs[0].id, only.id) == (False, "3.4", wall.MAX_IDLE)
    assert only.amounts == {"next": 1, "to_come": 9, "max_idle": 1}
    assert (
        "fewer than 1 of them are idle or on hold (max_idle); the next one is 3.1, with 9 jobs still to be "
        "materialized" in only.text
    )


def test_of_a_cluster_the_next_job_to_come_is_named() -> None:
    changes = {
        **FACTORY,
        "JobMaterializeMaxIdle": 0,
        "JobMaterializeLimit": 1,
        "JobMaterializePaused": 1,
    }
    first, coming = verdicts(with_jobs(job("3.0", **changes)), "3")
    assert (first.jobs[0].id, first.starts) == ("3.0", True)
    assert (coming.jobs[0].id, coming.starts, ids(coming)) == ("3.1", False, [wall.MAX_IDLE])
    assert coming.walls[0].amounts == {
        "next": 1,
        "to_come": 9,
        "max_materialize": 1,
        "paused": True,
    }


@pytest.mark.parametrize("who", ["3.10", "3." + "9" * 5000])
def test_a_cluster_has_no_more_jobs_than_were_submitted(who: str) -> None:
    with pytest.raises(InputError, match=r"there is no job 3\."):
        verdicts(with_jobs(job("3.0", **FACTORY)), who)


def test_a_negotiator_that_does_not_answer_starts_nothing() -> None:
    asked = pool(slot(), submitter(), schedd(), negotiator(), jobs=[job()])
    silent = replace(
        asked, negotiator="central", failed=(("central configuration", "no answer within 5 s"),)
    )
    (found,) = verdicts(silent, "1.0")
    assert (found.starts, found.starts_by, ids(found)) == (False, "", [wall.NEGOTIATOR_LATE])


@pytest.mark.parametrize(
    ("version", "walls"), [("25.11.0", [wall.SKIP_MATCHMAKING]), ("25.10.1", []), ("23.9.6", [])]
)
def test_older_negotiators_do_not_know_skip_matchmaking(version: str, walls: list[str]) -> None:
    of = negotiator(CondorVersion=f'"$CondorVersion: {version} 2026-05-01 $"')
    (found,) = verdicts(
        pool(slot(), submitter(SkipMatchmaking="true"), schedd(), of, jobs=[job()]), "1.0"
    )
    assert (found.starts, ids(found)) == (not walls, walls)


@pytest.mark.parametrize("text", [None, "error", "undefined", "1/0 == 1", '"true"'])
def test_requirements_that_are_not_there_or_no_truth_value(text: str | None) -> None:
    """An ad without Requirements matches nothing, and none borrows those of the other ad."""
    (of_job,) = verdicts(with_jobs(job(Requirements=text)), "1.0")
    given = pool(slot(Requirements=text), submitter(), schedd(), negotiator(), jobs=[job()])
    (of_slot,) = verdicts(given, "1.0")
    assert (of_job.starts, ids(of_job)) == (False, [wall.REQUIREMENTS])
    assert (of_slot.starts, ids(of_slot)) == (False, [wall.START])
    assert "excludes the only slot" in of_job.walls[0].text


def test_jobs_of_an_access_point_that_does_not_answer_are_not_known() -> None:
    given = replace(with_jobs(job()), failed=SILENT)
    judged = Verdicts(given)
    for who in ("9.0", "ben"):
        with pytest.raises(PoolError) as raised:
            jobs_of(given, judged.cycle.quotas, who)
        assert raised.value.hint == "not all access points answered: jobs of access2"
    with pytest.raises(PoolError, match="the jobs of the access point 'access2' are not known"):
        at_access_point(given.jobs or (), "access2", judged.access_point, given)


def test_the_dedicated_scheduler_of_a_job_is_that_of_its_id_in_the_whole_pool() -> None:
    (found,) = verdicts(with_jobs(job(JobUniverse=11, GlobalJobId='"access1#1.0#5"')), "1.0")
    assert found.submitter == "DedicatedScheduler@access1"


def test_a_slot_that_another_access_point_has_claimed_as_a_whole() -> None:
    """As the ad of a real one says: claimed, with the schedd and the user of the first job."""
    claim: dict[str, Text] = {
        "State": '"Claimed"', "RemoteScheddName": '"access2"', "RemoteUser": '"ben@site"',
        "RemoteOwner": '"ben@site"', "AccountingGroup": '"ben@site"', "WantMatching": "true", "Cpus": 7,
    }  # fmt: skip
    given = pool(
        slot(**claim),
        submitter(),
        schedd(),
        schedd("access2"),
        negotiator(),
        jobs=[job(ScheddName='"access1"')],
    )
    (found,) = verdicts(given, "1.0")
    (only,) = found.walls
    assert (found.starts, only.id, only.amounts) == (
        False,
        wall.OTHER_ACCESS_POINT,
        {"slots": 1, "why": "access2"},
    )


def test_swap_that_no_job_uses_does_not_come_by_itself() -> None:
    """Where jobs run they may give it back as they end."""
    clause = "TARGET.Memory >= RequestMemory && TARGET.VirtualMemory >= 1000000"
    queue = [job(ScheddName='"access1"', Requirements=clause)]
    ads = (submitter(), schedd(), negotiator())
    idle = slot(VirtualMemory=500)
    used = slot(VirtualMemory=500, Cpus=7, Memory=15360, NumDynamicSlots=1)
    found = [
        Verdicts(given).on(given.jobs or ())[0].fits_nowhere
        for given in (pool(idle, *ads, jobs=queue), pool(used, dynamic_slot(), *ads, jobs=queue))
    ]
    assert found == [True, False]
