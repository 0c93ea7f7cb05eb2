"""Claims in which nothing runs (each was seen on daemons of 25.14.1: tests/condor/test_unmet.py)."""

from __future__ import annotations

import pytest

from htcq.expected.unmet import IDLE_CLAIMS, SUSPENDED
from htcq.pool.pool import Pool
from tests.audit.sites import found, schedd, submitter
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

IDLE = claim(Activity='"Idle"')
#: By its status it runs; no shadow was ever started for it.
STUCK = waiting(JobStatus=2, EnteredCurrentStatus=LONG_AGO)


def test_claims_whose_jobs_never_get_a_shadow() -> None:
    access = {"access1": "JOB_START_DELAY = 600\n"}
    schedd = access_point(NumJobStartsDelayed=1)
    finding = only(IDLE_CLAIMS, site(free(), IDLE, schedd, cycles(), jobs=[STUCK], access=access))
    assert finding.subject == "access point access1"
    assert "1 claim with 1 core of access1 has been idle since 2027-01-15" in finding.message
    assert "1 job there that run by their status have no shadow" in finding.message
    assert list(observed(finding))[:2] == ["NumJobStartsDelayed", "JOB_START_DELAY"]


def test_claims_that_stand_while_jobs_wait() -> None:
    assert found(IDLE_CLAIMS, site(free(), IDLE, access_point(), cycles(), jobs=[waiting()]))
    assert not found(IDLE_CLAIMS, site(free(), IDLE, access_point(), cycles())), "nobody waits"
    fresh = claim(Activity='"Idle"', since=LATELY)
    assert not found(IDLE_CLAIMS, site(free(), fresh, access_point(), cycles(), jobs=[waiting()]))


def test_claims_that_their_holder_keeps_on_purpose_are_not() -> None:
    dedicated = claim(
        Activity='"Idle"', RemoteUser='"DedicatedScheduler@access1"', AccountingGroup=None
    )
    assert not found(
        IDLE_CLAIMS, site(free(), dedicated, access_point(), cycles(), jobs=[waiting()])
    )


def test_suspended_claims() -> None:
    suspended = claim(Activity='"Suspended"')
    execute = {"node1": "SUSPEND = True\nNUM_CPUS = 8\n"}
    given = site(free(), suspended, cycles(), jobs=[waiting()], execute=execute)
    finding = only(SUSPENDED, given)
    assert "1 claim with 1 core on node1 has been suspended since" in finding.message
    assert (finding.severity.word, observed(finding)["SUSPEND"]) == ("warning", "True")
    assert only(SUSPENDED, site(free(), suspended, cycles())).severity.word == "info"
    assert not found(
        SUSPENDED, site(free(), claim(Activity='"Suspended"', since=NOW - 30), cycles())
    )


def test_claims_whose_jobs_a_user_has_suspended() -> None:
    """Seen on 25.14.1: condor_suspend of the jobs; SUSPEND and CONTINUE have their defaults."""
    job = waiting("3.0", JobStatus=7, RemoteHost='"slot1_1@node1"')
    execute = {"node1": "SUSPEND = False\nCONTINUE = True\nSINGULARITY = /usr/bin/apptainer\n"}
    given = site(free(), claim(Activity='"Suspended"'), cycles(), jobs=[job], execute=execute)
    finding = only(SUSPENDED, given)
    assert finding.advice == "condor_continue of 3.0 at access1, where condor_suspend was called."
    assert observed(finding) == {"SUSPEND": "False"}


def test_a_transform_that_makes_the_schedd_wait_after_each_start() -> None:
    access = "JOB_TRANSFORM_NAMES = polite\nJOB_TRANSFORM_polite = DEFAULT NextJobStartDelay 600\n"
    finding = only(
        IDLE_CLAIMS,
        site(
            free(), IDLE, access_point(NumJobStartsDelayed=1), cycles(), jobs=[STUCK],
            access={"access1": access},
        ),
    )  # fmt: skip
    assert finding.advice.startswith("JOB_TRANSFORM_polite of access1")
    assert "JOB_START_DELAY" not in finding.advice
    assert observed(finding)["JOB_TRANSFORM_polite"] == "DEFAULT NextJobStartDelay 600"


def _kept(
    config: str, *ads: str, since: int = NOW - 20, wanted: str = "access2", own: str = ""
) -> Pool:
    """Return a pool with an idle claim of access1, and a job that waits at another access point."""
    kept = claim(since=since, Activity='"Idle"')
    jobs = [waiting(ScheddName=f'"{wanted}"')]
    whole = (free(), kept, own or access_point(), schedd("access2"), *ads, cycles())
    return site(*whole, jobs=jobs, access={"access1": config})


_DEDICATED = submitter("DedicatedScheduler@access1", ScheddName='"access1"', IdleJobs=0)


def test_a_transform_that_keeps_claims_is_told_at_the_first_look() -> None:
    """Seen on 25.14.1: KeepClaimIdle of the last job counts, and no other job of the access point comes."""
    warm = "JOB_TRANSFORM_NAMES = warm\nJOB_TRANSFORM_warm = SET KeepClaimIdle 86400\n"
    finding = only(IDLE_CLAIMS, _kept(warm))
    assert "access1 keeps them by JOB_TRANSFORM_warm = SET KeepClaimIdle 86400" in finding.message
    assert finding.advice.startswith("JOB_TRANSFORM_warm of access1, then condor_reconfig there")
    assert "JOB_START_DELAY" not in finding.advice
    # A job of it may come into the claim at once; and some seconds are what they are for.
    assert not found(IDLE_CLAIMS, _kept(warm, wanted="access1"))
    assert not found(IDLE_CLAIMS, _kept(warm.replace("86400", "300")))


@pytest.mark.parametrize(
    ("seconds", "is_long"),
    [
        ("60 * 60", True),
        ("= 60 * 60", True),
        ("60 * 5", False),
        ("ifThenElse(NumJobStarts > 0, 300, 3600)", True),
    ],
)
def test_a_time_that_is_an_expression_is_computed(seconds: str, is_long: bool) -> None:
    warm = f"JOB_TRANSFORM_NAMES = warm\nJOB_TRANSFORM_warm = SET KeepClaimIdle {seconds}\n"
    assert bool(found(IDLE_CLAIMS, _kept(warm))) is is_long


@pytest.mark.parametrize(
    ("text", "is_long"),
    [
        ('[ Requirements = JobUniverse == 5; set_KeepClaimIdle = 60 * 60; set_x = "a;b" ]', True),
        ("[ EVAL_SET_keepclaimidle = 3600 ]", True),
        ("[ set_KeepClaimIdle = 300 ]", False),
        ('[ delete_KeepClaimIdle = true; copy_KeepClaimIdle = "x" ]', False),
        ("[ set_KeepClaimIdle = ", False),
    ],
)
def test_a_transform_that_is_a_classad_counts_where_the_schedd_takes_it(
    text: str, is_long: bool
) -> None:
    """Until 25.8.1: job_transforms.cpp of 25.8.2 ignores it."""
    warm = f"JOB_TRANSFORM_NAMES = warm\nJOB_TRANSFORM_warm = {text}\n"
    older = access_point(CondorVersion='"$CondorVersion: 24.0.5 2025-01-01 $"')
    assert bool(found(IDLE_CLAIMS, _kept(warm, own=older))) is is_long
    assert not found(IDLE_CLAIMS, _kept(warm))


def test_a_dedicated_scheduler_that_never_gives_claims_back() -> None:
    """Seen on 25.14.1: after a parallel job its claims have the name of its user."""
    finding = only(IDLE_CLAIMS, _kept("UNUSED_CLAIM_TIMEOUT = 0\n", _DEDICATED))
    assert "access1 keeps them by UNUSED_CLAIM_TIMEOUT = 0" in finding.message
    assert "UNUSED_CLAIM_TIMEOUT of access1 (0 is for ever)" in finding.advice
    # Without parallel jobs the knob is for nothing.
    assert not found(IDLE_CLAIMS, _kept("UNUSED_CLAIM_TIMEOUT = 0\n"))
    usual = "UNUSED_CLAIM_TIMEOUT = 600\n"
    assert not found(IDLE_CLAIMS, _kept(usual, _DEDICATED, since=NOW - 400))
    assert found(IDLE_CLAIMS, _kept(usual, _DEDICATED, since=NOW - 900))
    gathering = _kept("UNUSED_CLAIM_TIMEOUT = 0\n", _DEDICATED)
    parallel = waiting("7.0", JobUniverse=11)
    whole = site(
        free(), claim(Activity='"Idle"'), access_point(), _DEDICATED, cycles(),
        jobs=[parallel], access={"access1": "UNUSED_CLAIM_TIMEOUT = 0\n"},
    )  # fmt: skip
    assert found(IDLE_CLAIMS, gathering)
    assert not found(IDLE_CLAIMS, whole)
