"""What the negotiator publishes of its last cycles, and what jobs say of their starts (25.14.1, seen on a real pool)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unittest import mock

from htcq.audit.catalog import rules_of_pools
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import Cycle
from tests.audit.sites import dynamic_slot, found, job, look, pool, schedd, slot, submitter
from tests.audit.sites import negotiator as negotiator_ad

NOW = 1_800_000_000
MISSING, CUT, LONG, STARTS = (
    "expected-starts-missing", "negotiation-cut-off", "cycles-too-long", "matched-jobs-do-not-start",
)  # fmt: skip


def negotiator(
    matches: int = 0, considered: int = 0, seconds: int = 1, cut: str = "", cycles: int = 3
) -> str:
    """Return the negotiator's ad, with as many cycles, a minute apart."""
    given: dict[str, str | int] = {}
    for age in range(cycles):
        of_cycle = {
            "Time": NOW - 60 * (age + 1), "Duration": seconds, "Matches": matches, "Rejections": 0,
            "NumJobsConsidered": considered, "SubmittersOutOfTime": f'"{cut}"', "ScheddsOutOfTime": '""',
        }  # fmt: skip
        given.update(
            {f"LastNegotiationCycle{name}{age}": value for name, value in of_cycle.items()}
        )
    return negotiator_ad(**given)


def site(*ads: str, jobs: Sequence[str] = (), config: str = "NEGOTIATOR_INTERVAL = 60\n") -> Pool:
    return replace(
        pool(*ads, schedd(), submitter(), jobs=jobs, config=config),
        taken_at="2027-01-15T08:00:00+00:00",
    )


def old_slot(**changes: str | int | None) -> str:
    return slot(EnteredCurrentState=NOW - 9000, EnteredCurrentActivity=NOW - 9000, **changes)


def waiting(since: int = NOW - 9000, **changes: str | int | None) -> str:
    return job(QDate=since, EnteredCurrentStatus=since, ScheddName='"access1"', **changes)


def test_a_job_that_should_have_started_is_found_with_knobs_that_are_not_followed() -> None:
    config = "NEGOTIATOR_INTERVAL = 60\nNEGOTIATOR_MAX_TIME_PER_CYCLE = 1\n"
    (finding,) = found(MISSING, site(old_slot(), negotiator(), jobs=[waiting()], config=config))
    assert finding.severity is Severity.ERROR
    assert "the last 3 cycles considered 0 requests and matched none" in finding.message
    assert ("NEGOTIATOR_MAX_TIME_PER_CYCLE", "1") in [
        (fact.attribute, fact.value) for fact in finding.evidence
    ]


def test_a_time_limit_of_0_is_one_finding_and_what_follows_is_listed_under_it() -> None:
    """The balance finds the same capacity; the cycle that is simulated follows a limit of 0."""
    config = "NEGOTIATOR_INTERVAL = 60\nNEGOTIATOR_MAX_TIME_PER_SUBMITTER = 0\n"
    given = site(old_slot(), negotiator(), jobs=[waiting()], config=config)
    (finding,) = audit(Evidence(given), rules_of_pools()).findings
    assert finding.rule == "negotiation-time-limit"
    assert [each.rule for each in finding.caused] == ["capacity-idle-while-jobs-wait"]
    assert "while 1 job waits: kept by cycle-ended-early" in finding.caused[0].message


def test_an_audit_simulates_one_cycle() -> None:
    given = site(old_slot(), negotiator(), jobs=[waiting()])
    with mock.patch.object(Cycle, "run", autospec=True, side_effect=Cycle.run) as run:
        found = audit(Evidence(given), rules_of_pools()).findings
    assert MISSING in {each.rule for each in found}
    assert run.call_count == 1


def test_what_matches_or_has_just_come_is_not() -> None:
    begun = dynamic_slot(EnteredCurrentState=NOW - 100, EnteredCurrentActivity=NOW - 100)
    # In twenty cycles its turn comes.
    lately = waiting(NOW - 900)
    assert not found(MISSING, site(old_slot(), begun, negotiator(matches=1), jobs=[lately]))
    assert found(MISSING, site(old_slot(), begun, negotiator(matches=1), jobs=[waiting()]))
    assert not found(MISSING, site(old_slot(), negotiator(), jobs=[waiting(NOW - 100)]))
    assert not found(MISSING, site(old_slot(Start="false"), negotiator(), jobs=[waiting()]))


def test_a_slot_that_has_just_become_free_explains_it() -> None:
    fresh = slot(EnteredCurrentState=NOW - 30, EnteredCurrentActivity=NOW - 30)
    assert not found(MISSING, site(fresh, negotiator(considered=3), jobs=[waiting()]))
    assert found(MISSING, site(fresh, negotiator(considered=0), jobs=[waiting()])), (
        "nobody was asked"
    )
    assert found(MISSING, site(old_slot(), negotiator(considered=3), jobs=[waiting()]))


def test_without_three_cycles_nobody_knows() -> None:
    outcome = look(MISSING, site(old_slot(), negotiator(cycles=2), jobs=[waiting()]))
    assert not outcome.findings
    assert "three completed cycles" in outcome.not_checked[0].missing


def test_submitters_that_a_time_limit_cuts_off_are_named() -> None:
    (finding,) = found(CUT, site(old_slot(), negotiator(matches=4, cut="ada@site, bob@site")))
    assert "2 submitters (ada@site and bob@site) in 3 of the last 3 cycles" in finding.message
    assert finding.severity is Severity.WARNING
    (finding,) = found(CUT, site(old_slot(), negotiator(cut="ada@site")))
    assert finding.severity is Severity.ERROR
    assert not found(CUT, site(old_slot(), negotiator(cut="ada@site", cycles=1))), "a slow network"


def test_cycles_longer_than_their_interval() -> None:
    (finding,) = found(LONG, site(old_slot(), negotiator(seconds=1500)))
    assert "a cycle takes 1500 s" in finding.message
    assert not found(LONG, site(old_slot(), negotiator(seconds=200)))
    often = "NEGOTIATOR_INTERVAL = 1800\n"
    assert not found(LONG, site(old_slot(), negotiator(seconds=1500), config=often))


def tried(proc: int = 0, **changes: str | int | None) -> str:
    given: dict[str, str | int | None] = {
        "ProcId": proc, "NumJobMatches": 7, "NumShadowStarts": 7, "NumJobStarts": 0,
        "LastRemoteHost": '"slot1_1@node1"', "ScheddName": '"ap"',
    }  # fmt: skip
    return job(**{**given, **changes})


def test_a_machine_that_takes_jobs_and_starts_none() -> None:
    works = schedd("ap", JobsCompleted=3)
    (finding,) = found(STARTS, site(slot(), works, jobs=[tried(0), tried(1)]))
    assert finding.subject == "machine node1"
    assert "were sent to node1 (8 cores) 14 times, and none of them began" in finding.message


def test_where_no_job_of_its_access_point_has_run_the_machine_is_not_accused() -> None:
    (finding,) = found(STARTS, site(slot(), jobs=[tried(0), tried(1)]))
    assert finding.subject == "access point ap"


def test_a_user_cannot_accuse_a_machine_where_jobs_run() -> None:
    busy = dynamic_slot("slot1_1@node1", Activity='"Busy"')
    assert not found(STARTS, site(slot(), busy, jobs=[tried()]))
    assert not found(STARTS, site(slot(), jobs=[tried(LastRemoteHost='"slot1@nowhere"')]))


def test_an_access_point_whose_claims_or_shadows_fail() -> None:
    (finding,) = found(
        STARTS, site(slot(), jobs=[tried(NumShadowStarts=None, LastRemoteHost=None)])
    )
    assert "no claim was granted" in finding.message
    (finding,) = found(STARTS, site(slot(), jobs=[tried(LastRemoteHost=None)]))
    assert "their shadows never reached a machine" in finding.message
    runs = tried(1, JobStatus=2, NumJobStarts=1, NumShadowStarts=1)
    assert not found(STARTS, site(slot(), jobs=[tried(LastRemoteHost=None), runs]))


def test_jobs_that_start_and_are_evicted_are_not() -> None:
    assert not found(STARTS, site(slot(), jobs=[tried(NumJobStarts=6)]))
