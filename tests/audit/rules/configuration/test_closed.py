"""What keeps all jobs of an access point or of the pool waiting by configuration alone."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from tests.audit.sites import found, job, negotiator, policy_slot, pool, schedd, slot, submitter

WAITING = (slot(), schedd(), negotiator(), submitter("chem.ada@site"))
GROUPS = "GROUP_NAMES = chem\nGROUP_QUOTA_chem = 4\n"


@pytest.mark.parametrize(
    "line", ["MAX_JOBS_RUNNING = 0", "CURB_MATCHMAKING = True", "START_VANILLA_UNIVERSE = False"]
)
def test_an_access_point_that_starts_nothing_starves_the_groups_that_wait_there(line: str) -> None:
    given = pool(*WAITING, config=GROUPS, access={"access1": f"{line}\n"})
    (finding,) = found("access-point-closed", given)

    assert (finding.severity, finding.harm.starved) == (Severity.ERROR, ("chem",))


def test_an_access_point_that_starts_nothing_is_a_warning_while_nobody_waits() -> None:
    given = pool(slot(), schedd(), config=GROUPS, access={"access1": "MAX_JOBS_RUNNING = 0\n"})
    (finding,) = found("access-point-closed", given)
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "line",
    [
        "MAX_JOBS_RUNNING = 10",
        "CURB_MATCHMAKING = RecentDaemonCoreDutyCycle > 0.98",
        "START_VANILLA_UNIVERSE = True",
    ],
)
def test_an_access_point_that_may_start_jobs_is_fine(line: str) -> None:
    assert not found(
        "access-point-closed", pool(*WAITING, config=GROUPS, access={"access1": f"{line}\n"})
    )


@pytest.mark.parametrize(
    "line",
    [
        "NEGOTIATOR_SUBMITTER_CONSTRAINT = IdleJobs > 1000",
        "NEGOTIATOR_JOB_CONSTRAINT = NoSuchAttribute",
    ],
)
def test_a_constraint_that_holds_for_nothing_that_waits_is_an_error(line: str) -> None:
    (finding,) = found(
        "negotiator-excludes-all", pool(*WAITING, jobs=[job()], config=f"{GROUPS}{line}\n")
    )
    assert finding.harm.starved == ("chem",)


@pytest.mark.parametrize(
    "line", ["NEGOTIATOR_SUBMITTER_CONSTRAINT = IdleJobs > 0", "NEGOTIATOR_JOB_CONSTRAINT = true"]
)
def test_a_constraint_that_holds_for_some_is_fine(line: str) -> None:
    assert not found(
        "negotiator-excludes-all", pool(*WAITING, jobs=[job()], config=f"{GROUPS}{line}\n")
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("NEGOTIATOR_INTERVAL = 36000", "wait 10 h for"),
        ("NEGOTIATOR_CYCLE_DELAY = 1800", "wait 30 min for"),
    ],
)
def test_cycles_that_are_far_apart_are_found(line: str, says: str) -> None:
    (finding,) = found("cycles-far-apart", pool(config=f"{line}\n"))
    assert says in finding.message


@pytest.mark.parametrize("line", ["", "NEGOTIATOR_INTERVAL = 900", "NEGOTIATOR_INTERVAL = odd"])
def test_cycles_of_a_quarter_of_an_hour_are_fine(line: str) -> None:
    assert not found("cycles-far-apart", pool(config=f"{line}\n"))


def test_a_slot_without_the_policy_of_the_others_keeps_small_groups_out() -> None:
    slots = (policy_slot("slot1@a"), policy_slot("slot1@b"), slot("slot1@c"))
    waiting = submitter("chem.ada@site")
    (small,) = found("policy-on-part-of-slots", pool(*slots, waiting, config=GROUPS))
    (large,) = found(
        "policy-on-part-of-slots", pool(*slots, waiting, config=GROUPS.replace("= 4", "= 20"))
    )

    assert (small.severity, large.severity) == (Severity.WARNING, Severity.INFO)
    assert not found("policy-on-part-of-slots", pool(*slots[:2], waiting, config=GROUPS))
    assert not found("policy-on-part-of-slots", pool(slots[2], waiting, config=GROUPS))


@pytest.mark.parametrize("clock", ["CurrentTime", "MY.CurrentTime", "time()"])
def test_start_is_tried_at_the_time_of_the_capture_whatever_day_it_is(clock: str) -> None:
    def given(ends: int) -> Pool:
        start = f"{clock} < GLIDEIN_ToRetire"
        ads = slot(Start=start, GLIDEIN_ToRetire=ends, LastHeardFrom=1577836800)
        return pool(ads, jobs=[job()])

    for ends, value in ((1577836800 + 6000, True), (1577836800 - 6000, False)):
        assert (given(ends).slots or ())[0].frame.value("Start") is value
        assert not found("slots-closed", given(ends))
