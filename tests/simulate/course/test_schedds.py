"""Schedds as time goes by: cool-down, deferral, limits of users, and clusters that come into being job by job."""

from __future__ import annotations

from random import Random

from htcq.pool.pool import Pool
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.runtimes import run_time
from tests.audit.sites import (
    Text,
    dynamic_slot,
    job,
    policy_slot,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
    user,
)

NOW = 1_700_000_000
INTERVAL = 60.0
ALWAYS = "1000000"


def slots(count: int) -> list[str]:
    return [static_slot(f"slot{number}@node1", SlotID=number) for number in range(1, count + 1)]


def site(
    *ads: str,
    jobs: list[str],
    config: str = "A = 1\n",
    users: list[str] | None = None,
    access: str = "",
) -> Pool:
    asks = submitter(IdleJobs=len(jobs), WeightedIdleJobs=len(jobs), LastHeardFrom=NOW)
    return pool(*ads, access or schedd(), asks, jobs=jobs, config=config, users=users)


def course(given: Pool, cycles: int, lasts: str = ALWAYS) -> Course:
    return run_course(given, Plan(cycles, INTERVAL), run_time(lasts), Random(0))


def started(found: Course) -> list[int]:
    return [sample.started for sample in found.samples]


def running(found: Course) -> list[int]:
    return [sample.running for sample in found.samples]


def test_a_job_starts_in_the_first_cycle_after_its_cool_down() -> None:
    jobs = [
        job("1.0"),
        job("1.1", JobCoolDownExpiration=NOW + 90),
        job("1.2", JobCoolDownExpiration=NOW + 500),
    ]

    assert started(course(site(*slots(3), jobs=jobs), 4)) == [1, 0, 1, 0]


def test_a_claim_is_not_used_again_for_a_job_in_cool_down() -> None:
    """The claim of 1.0 is given up after 30 s, and 1.1 waits for a match of its own."""
    jobs = [job("1.0"), job("1.1", JobCoolDownExpiration=NOW + 100)]

    found = course(site(*slots(1), jobs=jobs), 4, lasts="30")
    assert [(sample.matches, sample.running) for sample in found.samples] == [
        (1, 1),
        (0, 0),
        (1, 1),
        (0, 0),
    ]


def test_a_deferred_job_is_matched_when_its_time_has_come() -> None:
    """As condor_submit writes it: from the time less its preparation on."""
    condition = (
        "TARGET.Cpus >= RequestCpus && time() + ScheddInterval >= DeferralTime - DeferralPrepTime"
    )
    deferred = {"DeferralTime": NOW + 200, "DeferralPrepTime": 50, "ScheddInterval": 5}
    given = site(*slots(1), jobs=[job("1.0", Requirements=condition, **deferred)])

    assert started(course(given, 5)) == [0, 0, 0, 1, 0]


def test_start_expressions_see_the_time_of_the_cycle_and_not_of_the_reader() -> None:
    evening = [static_slot("slot1@node1", Start=f"CurrentTime > {NOW + 100}")]

    assert started(course(site(*evening, jobs=[job("1.0")]), 4)) == [0, 0, 1, 0]


def test_a_user_never_runs_more_jobs_than_the_limit() -> None:
    """Neither by matches nor in claims that are used again."""
    jobs = [job(f"1.{number}") for number in range(8)]
    given = site(*slots(4), jobs=jobs, users=[user(MaxJobsRunning=2)])

    assert running(course(given, 3)) == [2, 2, 2]
    assert running(course(given, 5, lasts="90")) == [2, 2, 2, 2, 2]


def test_a_claim_that_is_refused_counts_against_no_user() -> None:
    """Seen on 25.14.1: START asks the dynamic slot of 1.0 for more than one cpu; both other jobs run."""
    node = policy_slot(NumClaims=3, Cpus=8, TotalSlotCpus=8, Requirements="MY.Cpus > 1")
    jobs = [job("1.0"), *(job(f"2.{number}", RequestCpus=2) for number in range(3))]
    given = site(node, jobs=jobs, users=[user(MaxJobsRunning=2)])

    assert [start.job.id for start in course(given, 1).starts] == ["2.0", "2.1"]


def test_leftovers_of_a_match_are_not_for_jobs_beyond_the_limit_of_their_user() -> None:
    jobs = [job(f"1.{number}") for number in range(8)]
    given = site(slot(), jobs=jobs, users=[user(MaxJobsRunning=3)])

    assert running(course(given, 2))[-1] == 3


def test_leftovers_bring_a_schedd_one_job_beyond_its_limit_and_the_oldest_is_evicted() -> None:
    """Seen on 25.14.1 with MAX_JOBS_RUNNING 3: the job of a claim that brings a rest is not counted."""
    jobs = [job(f"1.{number}") for number in range(8)]
    given = site(slot(Cpus=8), jobs=jobs, access=schedd(MaxJobsRunning=3, TotalRunningJobs=0))

    found = course(given, 3)
    assert [start.job.id for start in found.starts] == ["1.0", "1.1", "1.2", "1.3"]
    assert [each.job.id for each in found.evictions if each.job] == ["1.0"]
    assert running(found) == [3, 3, 3]
    assert [sample.matches for sample in found.samples] == [1, 0, 0]


def test_jobs_that_run_elsewhere_count_against_the_limit_of_their_schedd() -> None:
    jobs = [job(f"1.{number}") for number in range(4)]
    given = site(*slots(4), jobs=jobs, access=schedd(MaxJobsRunning=5, TotalRunningJobs=3))

    assert running(course(given, 3)) == [2, 2, 2]


def test_what_runs_at_the_capture_counts_against_the_limit_until_it_ends() -> None:
    whole = policy_slot(Cpus=7, NumClaims=7)
    claimed = dynamic_slot(RemoteOwner='"ada@site"')
    jobs = [job(f"1.{number}") for number in range(2)]
    given = site(whole, claimed, jobs=jobs, users=[user(MaxJobsRunning=1, NumRunning=1)])

    assert running(course(given, 2)) == [1, 1]


def test_a_cluster_with_max_idle_comes_into_being_as_its_jobs_start() -> None:
    """10 jobs, of which 3 at most are idle: as often as one of them starts in a slot of two, the next one comes."""
    factory = {"TotalSubmitProcs": 10, "JobMaterializeNextProcId": 3, "JobMaterializeMaxIdle": 3}
    jobs = [job(f"1.{number}", **factory) for number in range(3)]
    found = course(site(*slots(2), jobs=jobs), 6, lasts="50")

    assert sum(map(len, found.waited.values())) == 10
    assert [sample.idle for sample in found.samples] == [3, 3, 3, 2, 0, 0]


def test_a_cluster_with_max_materialize_waits_until_jobs_have_left_the_queue() -> None:
    factory = {"TotalSubmitProcs": 5, "JobMaterializeNextProcId": 2, "JobMaterializeLimit": 2}
    jobs = [job(f"1.{number}", **factory) for number in range(2)]
    found = course(site(*slots(4), jobs=jobs), 3)

    assert running(found) == [2, 2, 2]
    assert sum(map(len, course(site(*slots(4), jobs=jobs), 4, lasts="50").waited.values())) == 5


def test_a_job_that_comes_when_another_ends_comes_too_late_for_its_claim() -> None:
    """As on 23.9.6 and 25.14.1: with one job in the queue at a time each needs a match of its own."""
    factory = {"TotalSubmitProcs": 4, "JobMaterializeNextProcId": 1}
    at_a_time = [{"JobMaterializeLimit": 1}, {"JobMaterializeMaxIdle": 1}]
    matches = []
    for limit in at_a_time:
        given = site(*slots(1), jobs=[job("1.0", **factory, **limit)])
        matches.append([each.matches for each in course(given, 4, lasts="50").samples])

    assert matches == [[1, 1, 1, 1], [1, 0, 0, 0]]


def test_what_is_left_of_a_slot_is_not_for_a_job_that_comes_when_another_starts() -> None:
    """As on 25.14.1: the schedd uses what is left before it makes the next job."""
    factory = {
        "TotalSubmitProcs": 3, "JobMaterializeNextProcId": 1, "JobMaterializeMaxIdle": 1,
    }  # fmt: skip
    given = site(
        slot(Cpus=4, TotalSlotCpus=4, Memory=8192),
        jobs=[job("1.0", **factory)],
        config="CLAIM_PARTITIONABLE_LEFTOVERS = True\n",
    )

    assert running(course(given, 4)) == [1, 2, 3, 3]


def test_start_vanilla_universe_holds_for_claims_that_are_used_again() -> None:
    """FindRunnableJob of qmgmt.cpp, 25.14: 1.1 suits the claim of 1.0, and the schedd does not start it there."""
    jobs = [job("1.0"), job("1.1", RequestMemory=2000)]
    config = "START_VANILLA_UNIVERSE = JOB.RequestMemory < 2000\n"

    found = course(site(*slots(1), jobs=jobs, config=config), 3, lasts="30")
    assert [(sample.matches, sample.running) for sample in found.samples] == [
        (1, 1),
        (0, 0),
        (0, 0),
    ]


def test_start_vanilla_universe_holds_for_leftovers() -> None:
    """What is left of the slot has as many cpus as the expression asks for one more job, then fewer."""
    jobs = [job(f"1.{number}") for number in range(4)]
    config = "START_VANILLA_UNIVERSE = SLOT.Cpus > 6\n"

    assert started(course(site(slot(Cpus=8), jobs=jobs, config=config), 2)) == [2, 0]


def test_a_job_on_hold_counts_against_max_idle() -> None:
    """getNumNotRunning of qmgmt.h counts idle and held jobs: where all are on hold none follows."""
    factory: dict[str, Text] = {
        "TotalSubmitProcs": 4, "JobMaterializeNextProcId": 2, "JobMaterializeMaxIdle": 2,
    }  # fmt: skip
    held = [job(f"1.{number}", JobStatus=5, **factory) for number in range(2)]
    assert running(course(site(*slots(4), jobs=held), 3)) == [0, 0, 0]
    # One of two is on hold from the start: as long as that lasts one job at a time is idle.
    jobs = [held[0], job("1.1", **factory)]
    assert running(course(site(*slots(4), jobs=jobs), 4)) == [1, 2, 3, 3]


def test_a_hold_of_a_waiting_job_lets_no_job_of_its_cluster_come() -> None:
    factory: dict[str, Text] = {
        "TotalSubmitProcs": 40, "JobMaterializeNextProcId": 1, "JobMaterializeMaxIdle": 1,
        "PeriodicHold": "JobStatus == 1", "RequestCpus": 64,
    }  # fmt: skip
    found = course(site(*slots(4), jobs=[job("1.0", **factory)]), 4)
    assert [sample.idle for sample in found.samples] == [1, 0, 0, 0]


def test_a_cluster_with_max_idle_0_makes_no_job() -> None:
    factory = {"TotalSubmitProcs": 4, "JobMaterializeNextProcId": 1, "JobMaterializeMaxIdle": 0}
    assert running(course(site(*slots(4), jobs=[job("1.0", **factory)]), 3)) == [1, 1, 1]
