"""HTCondor's own reasons, what they may stand for, and how far the simulated cycle agrees with them."""

from __future__ import annotations

import pytest

from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import Cycle
from htcq.why.agreement import NOT_ASKED, STARTS, Agreement, agreement, negotiator_reason, walls_of
from tests.audit.sites import job, negotiator, pool, schedd, slot, submitter

BEGUN = 1_730_000_000
NO_MATCH = '"no match found"'


def site(*jobs: str, config: str = "") -> Pool:
    """Return a pool of one slot, whose last cycle began at ``BEGUN``."""
    ads = (
        slot(),
        negotiator(LastNegotiationCycleTime0=BEGUN),
        schedd(),
        submitter(IdleJobs=9, WeightedIdleJobs=9),
    )
    return pool(*ads, jobs=jobs, config=config)


def rejected(id_: str, reason: str = NO_MATCH, at: int = BEGUN + 5, **changes: object) -> str:
    """Return a job that was rejected at a time."""
    return job(id_, LastRejMatchReason=reason, LastRejMatchTime=at, **changes)  # type: ignore[arg-type]


def compared(given: Pool) -> Agreement:
    """Return the agreement with a simulated cycle of a pool."""
    cycle = Cycle(given)
    cycle.run()
    return agreement(given, cycle)


@pytest.mark.parametrize(
    ("reason", "wall"),
    [
        ("no match found", "requirements"),
        ("no match found", "no-room"),
        ("no match found", "group-quota"),
        ("submitter limit exceeded", "submitter-share"),
        ("PREEMPTION_REQUIREMENTS == False", "preemption"),
        ("concurrency limit lic reached", "concurrency-limit"),
        ("concurrency limit a.b, lic reached", "concurrency-limit"),
    ],
)
def test_what_a_reason_may_stand_for(reason: str, wall: str) -> None:
    assert wall in walls_of(reason)


@pytest.mark.parametrize(
    "reason", ["insufficient bandwidth", "network share exceeded", "Unknown reason", "anything"]
)
def test_reasons_that_stand_for_no_wall(reason: str) -> None:
    assert walls_of(reason) == frozenset()


def test_a_reason_of_an_older_schedd_ends_in_a_blank() -> None:
    given = site(rejected("1.0", '"no match found "'))
    assert given.jobs is not None
    found = negotiator_reason(given, given.jobs[0])

    assert found is not None
    assert (found.reason, found.negotiator, found.time, found.latest) == (
        "no match found",
        "",
        BEGUN + 5,
        True,
    )


def test_the_same_reason_agrees() -> None:
    found = compared(site(rejected("1.0", Requirements="false")))

    assert (found.agree, found.percentage, found.differing) == (1, 100, ())


def test_another_reason_differs() -> None:
    given = site(
        rejected("1.0", '"submitter limit exceeded"', Requirements="false", AutoClusterId=7)
    )
    (found,) = compared(given).differing

    assert (found.access_point, found.autocluster, found.submitter, found.job) == (
        "access1",
        "7",
        "ada@site",
        "1.0",
    )
    assert (found.reason, found.simulated) == ("submitter limit exceeded", "no match found")


def test_a_job_that_the_cycle_matches_differs() -> None:
    (found,) = compared(site(rejected("1.0", RequestCpus=1))).differing

    assert found.simulated == STARTS


def test_a_job_that_the_cycle_does_not_ask_for_differs() -> None:
    """The negotiator does not want to hear of it: nothing is known of a rejection."""
    (found,) = compared(
        site(rejected("1.0"), config="NEGOTIATOR_JOB_CONSTRAINT = false\n")
    ).differing

    assert found.simulated == NOT_ASKED


def test_one_job_speaks_for_its_autocluster() -> None:
    alike = [job(f"1.{number}", Requirements="false", AutoClusterId=3) for number in range(1, 4)]
    found = compared(site(rejected("1.0", Requirements="false", AutoClusterId=3), *alike))

    assert [(each.job, each.idle) for each in found.compared] == [("1.0", 4)]


def test_what_is_not_compared_is_counted() -> None:
    """Older than the last cycle, of another negotiator, or no reason at all."""
    given = site(
        rejected("1.0", Requirements="false", at=BEGUN - 5, AutoClusterId=1),
        job("2.0", Requirements="false", AutoClusterId=2),
    )
    found = compared(given)

    assert (found.compared, found.stale, found.silent, found.percentage) == ((), 1, 1, None)


def test_held_jobs_have_no_part_in_it() -> None:
    assert compared(site(rejected("1.0", JobStatus=5))) == Agreement((), 0, 0, 0)
