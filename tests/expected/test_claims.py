"""Claims in which nothing runs (each was seen on daemons of 25.14.1: tests/condor/test_unmet.py)."""

from __future__ import annotations

from htcq.expected.unmet import IDLE_CLAIMS, SUSPENDED
from tests.audit.sites import found
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
