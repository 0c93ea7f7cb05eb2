"""Capacity that stands while jobs wait: each cause with its amount and its cure, and near misses.

State = Drained, DrainReason and Requirements = false are what a startd of 25.14.1 advertises."""

from __future__ import annotations

import pytest

from htcq.audit.catalog import rules_of_pools
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Severity
from htcq.pool.pool import Pool
from tests.audit.sites import found, job, negotiator, pool, schedd, slot, submitter
from tests.balance.pools import GOLDEN, pool_at

DRAINED = {
    "State": '"Drained"', "Draining": True, "DrainReason": '"by ada"', "Requirements": False,
    "Start": False, "EnteredCurrentState": 1730700000,
}  # fmt: skip
RULES = (
    "drained-while-jobs-wait",
    "start-refuses-waiting-jobs",
    "constraint-hides-wanted-slots",
    "capacity-idle-while-jobs-wait",
    "capacity-unexplained",
)


def waiting(*ads: str, jobs: int = 4, config: str = "", **request: str | int) -> Pool:
    """Return a pool of ``ads`` in which so many jobs wait."""
    queue = [job(f"1.{number}", **request) for number in range(jobs)]
    asking = submitter(IdleJobs=jobs, WeightedIdleJobs=jobs)
    return pool(*ads, asking, negotiator(), jobs=queue, config=config)


def test_a_drained_machine_is_found_with_who_since_when_and_the_command_that_ends_it() -> None:
    given = waiting(slot("slot1@node1", **DRAINED), slot("slot1@node2", Cpus=0))
    (finding,) = found("drained-while-jobs-wait", given)
    assert "8 cores, 50 % of the pool, stands idle while 4 jobs wait: drained" in finding.message
    assert "drained since 2024-11-04 06:00 UTC; 4 jobs would start there" in finding.message
    assert finding.advice == "condor_drain -cancel node1."
    assert finding.severity is Severity.ERROR


def test_shares_of_cores_and_of_weight_are_named_apart_and_so_is_who_drains() -> None:
    given = pool_at(GOLDEN / "drained" / "half-the-weight-drained.tar.gz")
    (finding,) = found("drained-while-jobs-wait", given)
    assert "64 cores, 44 % of the cores and 52 % of the weight of the pool" in finding.message
    assert Fact("drained by", "condor") in finding.evidence


def test_machines_that_nobody_waits_for_and_those_of_condor_defrag_are_not_found() -> None:
    assert found("drained-while-jobs-wait", waiting(slot("slot1@node1", **DRAINED), jobs=0)) == ()
    of_defrag = {**DRAINED, "DrainReason": '"Defrag node0"'}
    assert found("drained-while-jobs-wait", waiting(slot("slot1@node1", **of_defrag))) == ()
    large = waiting(slot("slot1@node1", **DRAINED), RequestCpus=16)
    assert found("drained-while-jobs-wait", large) == ()


@pytest.mark.parametrize(
    ("name", "amount", "advice"),
    [
        (
            "half-the-weight-drained",
            "64 cores, 44 % of the cores and 52 % of the weight of the pool",
            "condor_drain -cancel b1.test.",
        ),
        ("drained-forgotten", "32 cores, 80 % of the pool", "condor_drain -cancel node1"),
    ],
)
def test_recorded_drains_are_errors(name: str, amount: str, advice: str) -> None:
    (finding,) = found("drained-while-jobs-wait", pool_at(GOLDEN / "drained" / f"{name}.tar.gz"))
    assert amount in finding.message
    assert finding.advice.startswith(advice)
    assert finding.severity is Severity.ERROR


def test_a_start_that_takes_no_known_job_is_found_and_one_for_other_jobs_is_not() -> None:
    """AccountingGroup has the group and the user: a START that compares it with the group is never true."""
    closed = slot("slot1@node1", Start='TARGET.AccountingGroup == "physics.hep"')
    queue = [job(f"1.{number}", AccountingGroup='"physics.hep.ada"') for number in range(4)]
    asking = submitter("physics.hep.ada@site", IdleJobs=4, WeightedIdleJobs=4)
    given = pool(closed, slot("slot1@node2", Cpus=0), asking, negotiator(), jobs=queue, config="")
    (finding,) = found("start-refuses-waiting-jobs", given)
    assert "4 jobs would start there" in finding.message

    others = slot("slot1@node1", Start="TARGET.RequestMemory > 5000")
    running = job("2.0", JobStatus=2, RequestMemory=6000, RemoteHost='"slot1_1@node9"')
    queue = [job("1.0"), running]
    sound = pool(
        others, submitter(IdleJobs=1, WeightedIdleJobs=1), negotiator(), jobs=queue, config=""
    )
    assert found("start-refuses-waiting-jobs", sound) == ()


def test_a_start_that_looks_at_the_clock_may_open_again() -> None:
    """CurrentTime is in no ad: it is the clock, as time() is."""
    for clock in ("CurrentTime", "time()", "MyCurrentTime"):
        given = waiting(slot(Start=f"Until > {clock}", Until=1700000000, MyCurrentTime=1800000000))
        assert not found("slots-closed", given)
        assert found("start-refuses-waiting-jobs", given)
    assert found("slots-closed", waiting(slot(Start="Until > 1800000000", Until=1700000000)))


def test_a_start_that_takes_so_many_claims_and_no_more_is_no_finding() -> None:
    """START counts the dynamic slots: the slot has as many as it takes, and the rest of it waits for their end."""
    start = "DynamicSlot =?= true || (NumDynamicSlots ?: 0) < 3"
    full = slot(
        "slot1@node1", PartitionableSlot=True, SlotType='"Partitionable"', Start=start,
        NumDynamicSlots=3, TotalSlotCpus=8, Cpus=5,
    )  # fmt: skip
    given = waiting(full)
    assert found("start-refuses-waiting-jobs", given) == ()
    causes = {each.cause: each.amounts.cpus for each in Evidence(given).balance.by}
    assert causes["start-is-full"] == 4

    open_to_nobody = slot(
        "slot1@node1", PartitionableSlot=True, NumDynamicSlots=3, Start="TARGET.X < 3"
    )
    assert found("start-refuses-waiting-jobs", waiting(open_to_nobody))


def test_a_constraint_that_hides_wanted_slots_is_found() -> None:
    hiding = 'NEGOTIATOR_SLOT_CONSTRAINT = Machine != "node1"\n'
    both = (slot("slot1@node1"), slot("slot1@node2", Cpus=0))
    (finding,) = found("constraint-hides-wanted-slots", waiting(*both, config=hiding))
    assert "idle while 4 jobs wait: hidden by NEGOTIATOR_SLOT_CONSTRAINT" in finding.message
    idle = waiting(*both, jobs=0, config=hiding)
    assert found("constraint-hides-wanted-slots", idle) == ()


def test_an_offline_machine_is_found_while_jobs_wait() -> None:
    given = waiting(slot("slot1@node1", Offline=True), slot("slot1@node2", Cpus=0))
    (finding,) = found("capacity-idle-while-jobs-wait", given)
    assert "stands idle while 4 jobs wait: offline;" in finding.message


@pytest.mark.parametrize("knob", ["CYCLE", "SCHEDD", "SUBMITTER", "PIESPIN"])
def test_a_time_limit_of_0_is_found_with_its_knob(knob: str) -> None:
    """matchmaker.cpp, 25.14: a talk whose time is up before it begins is skipped, with no error."""
    config = f"NEGOTIATOR_MAX_TIME_PER_{knob} = 0\n"
    (finding,) = found("capacity-idle-while-jobs-wait", waiting(slot(), config=config))
    assert finding.severity is Severity.ERROR
    assert finding.evidence[-1].value == f"NEGOTIATOR_MAX_TIME_PER_{knob}"
    assert "4 jobs would start there" in finding.message
    assert (
        found("capacity-idle-while-jobs-wait", waiting(slot(), config=config.replace("0", "60")))
        == ()
    )


def test_a_sound_pool_has_none_of_these() -> None:
    for given in (waiting(slot()), waiting(slot(), jobs=0), waiting(slot(), jobs=40)):
        for rule in RULES:
            assert found(rule, given) == (), rule


def everything(given: Pool) -> tuple[set[str], set[str]]:
    """Return the rules that found more than information, and those that follow from them."""
    findings = [
        each for each in audit(Evidence(given), rules_of_pools()).findings
        if each.severity > Severity.INFO
    ]  # fmt: skip
    follows = {one.rule for each in findings for one in each.caused}
    return {each.rule for each in findings}, follows


@pytest.mark.parametrize(
    ("ads", "config", "root"),
    [
        ((slot(), schedd(MaxJobsRunning=0, TotalRunningJobs=0)), "", ""),
        ((slot(), schedd(CurbMatchmaking="true")), "", ""),
        ((slot(), schedd()), "NEGOTIATOR_JOB_CONSTRAINT = false\n", "negotiator-excludes-all"),
        ((slot(), schedd()), "X_LIMIT = 0\n", "concurrency-limit-shut"),
        # Two causes: lifted alone neither starts a job.
        ((slot(Offline="true", **DRAINED), schedd()), "", ""),
        # No job has the attribute: START is closed to all of them.
        ((slot(Start="TARGET.MaxRuntime < 3600"), schedd()), "", "slots-closed"),
    ],
    ids=["max-jobs-running", "curb", "job-constraint", "limit", "offline-and-drained", "start"],
)
def test_what_status_calls_a_finding_is_one_here_and_told_once(
    ads: tuple[str, ...], config: str, root: str
) -> None:
    jobs = [
        job(f"1.{number}", ScheddName='"access1"', ConcurrencyLimits='"x"') for number in range(4)
    ]
    given = pool(*ads, submitter(IdleJobs=4), negotiator(), jobs=jobs, config=config)
    rule = "capacity-idle-while-jobs-wait"
    if root == "slots-closed":
        rule = "start-refuses-waiting-jobs"
    rules, follows = everything(given)

    assert not Evidence(given).balance.is_sound
    assert (root or rule) in rules
    assert (rule in follows) is bool(root)
    assert rule not in rules or not root


def test_a_limit_above_0_is_no_fault() -> None:
    jobs = [
        job(f"1.{number}", ScheddName='"access1"', ConcurrencyLimits='"x"') for number in range(4)
    ]
    ads = (slot(), schedd(), submitter(IdleJobs=4), negotiator())
    given = pool(*ads, jobs=jobs, config="X_LIMIT = 2\n")
    assert not found("capacity-idle-while-jobs-wait", given)


def test_a_group_without_quota_is_told_once() -> None:
    jobs = [job(f"1.{number}", AccountingGroup='"a.ada"') for number in range(4)]
    asking = submitter("a.ada@site", IdleJobs=4, WeightedIdleJobs=4)
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 0\n"
    given = pool(slot(), schedd(), asking, negotiator(), jobs=jobs, config=config)
    rules, follows = everything(given)

    assert "cannot-afford-cheapest-slot" in rules
    assert "capacity-idle-while-jobs-wait" in follows - rules
