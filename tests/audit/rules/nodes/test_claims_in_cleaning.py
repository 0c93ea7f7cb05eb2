"""Claimed/Cleaning ends with the starter and with nothing else (claim.cpp, ResState.cpp, 25.14)."""

from __future__ import annotations

from dataclasses import replace

from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from tests.audit.sites import dynamic_slot, found, look, pool, slot

RULE = "claims-in-cleaning"
NOW = 1_800_000_000


def taken(*ads: str) -> Pool:
    return replace(pool(slot(Cpus=0), *ads), taken_at="2027-01-15T08:00:00+00:00")


def cleaning(name: str, seconds: int) -> str:
    return dynamic_slot(name, Activity='"Cleaning"', EnteredCurrentActivity=NOW - seconds)


def test_a_starter_that_hangs_is_found() -> None:
    busy = [
        dynamic_slot(f"slot1_{number}@node1", EnteredCurrentActivity=NOW - 9000)
        for number in range(2, 20)
    ]
    (finding,) = found(RULE, taken(cleaning("slot1_1@node1", 3600), *busy))
    assert "1 claim in Cleaning for more than 10 min, up to 60 min" in finding.message
    assert "a weight of 1 of the 19 that is claimed" in finding.message
    assert finding.severity is Severity.WARNING
    assert finding.subject == "slot slot1_1@node1"


def test_a_tenth_of_all_claims_is_an_outage() -> None:
    claims = [cleaning(f"slot1_{number}@node1", 700 + number) for number in range(3)]
    (finding,) = found(RULE, taken(*claims, dynamic_slot("slot1_9@node1")))
    assert finding.severity is Severity.ERROR
    assert finding.subject == "slot slot1_2@node1", "the one that hangs for longest"


def test_a_job_that_has_just_ended_is_not() -> None:
    assert not found(RULE, taken(cleaning("slot1_1@node1", 30)))
    assert not found(RULE, taken(dynamic_slot(EnteredCurrentActivity=NOW - 90000)))


def test_without_a_time_nobody_knows() -> None:
    outcome = look(RULE, pool(slot(), cleaning("slot1_1@node1", 3600)))
    assert not outcome.findings
    assert "EnteredCurrentActivity" in outcome.not_checked[0].missing
    outcome = look(RULE, taken(dynamic_slot("slot1_1@node1", Activity='"Cleaning"')))
    assert outcome.not_checked
