"""Drained machines that are empty for days, while nobody waits for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found, job, negotiator, pool, schedd, slot, submitter

RULE = "drain-without-end"
NOW, TAKEN = 1_800_000_000, "2027-01-15T08:00:00+00:00"


def drained(name: str, days: float, **changes: Text | None) -> str:
    own: dict[str, Text | None] = {
        "State": '"Drained"', "Activity": '"Idle"', "Draining": "true", "Start": "false",
        "DrainReason": '"kernel update"', "EnteredCurrentState": int(NOW - days * 86400),
        "MyCurrentTime": NOW, "LastHeardFrom": NOW,
    }  # fmt: skip
    return slot(name, **{**own, **changes})


def site(*slots: str, number: int = 0) -> Pool:
    """Return a pool in which a number of jobs wait."""
    jobs = [job(f"1.{proc}") for proc in range(number)]
    ads = (*slots, schedd(), negotiator(), submitter(IdleJobs=number))
    return replace(pool(*ads, jobs=jobs, config=""), taken_at=TAKEN)


def test_a_forgotten_drain_is_information_while_no_job_waits() -> None:
    (finding,) = found(RULE, site(drained("slot1@n1", 10), slot("slot1@n2")))

    assert finding.severity is Severity.INFO
    assert finding.message == (
        "1 machine, 50 % of the pool, is drained and empty, n1 for 10 d; no job waits for it now"
    )
    assert finding.advice.startswith("condor_drain -cancel n1")


def test_jobs_that_other_machines_take_do_not_wait_for_it() -> None:
    assert found(RULE, site(drained("slot1@n1", 10), slot("slot1@n2"), number=2))


@pytest.mark.parametrize(
    "given",
    [
        site(drained("slot1@n1", 0.5), slot("slot1@n2")),
        site(drained("slot1@n1", 10, State='"Claimed"'), slot("slot1@n2")),
        site(slot("slot1@n1")),
    ],
    ids=["short", "still-busy", "none"],
)
def test_work_that_goes_on_is_none(given: Pool) -> None:
    assert not found(RULE, given)


def test_where_jobs_wait_for_it_that_is_another_rule() -> None:
    given = site(drained("slot1@n1", 10), number=30)

    assert not found(RULE, given)
    assert found("drained-while-jobs-wait", given)
