"""Cases from the field: what `why` says names both sides, who keeps what, and what helps here.

What is right stands in tests/golden/field/README.md: seen on real pools, or by HTCondor's source.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest

from htcq.operations.pool_source import Source, open_source, read_open
from htcq.pool.pool import Pool
from htcq.simulate.course.claims import LEFTOVER, MATCH
from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.older_reading import as_negotiator_reads
from htcq.why import match_failure as wall
from htcq.why.choice import access_point_in, jobs_of, several_access_points
from htcq.why.course import Obstacles, starts_of
from htcq.why.group_holders import group_sentences
from htcq.why.holds import ATTRIBUTES
from htcq.why.match_failure import MatchFailure
from htcq.why.sums import sums_of
from htcq.why.verdict import Verdict, Verdicts
from tests.audit.sites import job, negotiator, pool, schedd, slot, submitter

FIELD = Path(__file__).parents[1] / "golden" / "field"


def recorded(name: str) -> Pool:
    return as_negotiator_reads(
        read_open(open_source(Source(str(FIELD / name), job_attributes=ATTRIBUTES)))
    )


def verdicts_of(given: Pool, who: str) -> tuple[Verdict, ...]:
    judged = Verdicts(given)
    return judged.on(jobs_of(given, judged.cycle.quotas, who))


def walls(given: Pool, who: str) -> dict[str, MatchFailure]:
    (found,) = verdicts_of(given, who)
    return {each.id: each for each in found.walls}


def test_a_clause_names_the_values_of_both_sides() -> None:
    found = walls(recorded("required-os-any"), "21.0")[wall.REQUIREMENTS]
    assert 'GLIDEIN_REQUIRED_OS of the slots is "rhel6"' in found.text
    assert 'REQUIRED_OS of the job is "any"' in found.text
    assert found.lifted_by == 'condor_qedit of REQUIRED_OS to a value that slots have: "rhel6"'


def test_times_are_spans_and_time_is_written_as_its_author_did() -> None:
    found = walls(recorded("pilot-long-job"), "34.0")[wall.START]
    assert "KillAt - time() > 144000" in found.text
    assert "20 h left on the best of 2 slots, 40 h needed" in found.text
    assert 'Category of the job is "Long"' in found.text
    assert "1795756278" not in found.text


def test_a_request_that_comes_to_undefined_is_no_lack_of_gpus() -> None:
    found = walls(recorded("gpus-undefined-request"), "26.0")
    assert list(found) == [wall.REQUEST_UNDEFINED]
    text = found[wall.REQUEST_UNDEFINED].text
    assert "RequestGPUs of the job is undefined: ifThenElse(WantWholeNode is true" in text
    assert "WantWholeNode, TotalGPUs, default_gpus are undefined" in text
    assert "smaller request" not in found[wall.REQUEST_UNDEFINED].lifted_by


def test_the_schedd_has_to_meet_requirements_of_a_scheduler_universe_job() -> None:
    found = walls(recorded("scheduler-universe-requirements"), "20.0")
    assert list(found) == [wall.REQUIREMENTS]
    # The pool's machines are X86_64: what is left is what the schedd's own machine has.
    assert "RequestCpus of the job is 8" in found[wall.REQUIREMENTS].text
    assert "does not say Cpus, Disk and Memory of its machine" in found[wall.REQUIREMENTS].text
    assert "START_SCHEDULER_UNIVERSE" not in found[wall.REQUIREMENTS].lifted_by


def test_start_scheduler_universe_that_is_false_is_named() -> None:
    given = pool(
        slot(), submitter(), negotiator(), schedd(TotalSchedulerJobsRunning=3),
        jobs=[job(JobUniverse=7, Requirements="true", ScheddName='"access1"')],
        access={"access1": "START_SCHEDULER_UNIVERSE = TotalSchedulerJobsRunning < 3\n"},
    )  # fmt: skip
    found = walls(given, "1.0")[wall.UNMATCHED_UNIVERSE]
    assert "START_SCHEDULER_UNIVERSE of the schedd refuses it" in found.text


def test_a_hold_has_its_reason_and_a_forgotten_unit() -> None:
    found = walls(recorded("unit-forgotten"), "29.0")[wall.HELD]
    assert found.text.startswith("it is on hold since 20")
    assert "Job has gone over cgroup memory limit of 128 megabytes" in found.text
    assert "It requests 8 MiB of memory" in found.text
    assert "8GB" in found.lifted_by


def test_claims_that_go_on_are_named_with_both_priorities() -> None:
    found = walls(recorded("heavy-user-keeps-claims"), "49.0")[wall.PREEMPTION]
    assert "16 claims of bob@site" in found.text
    assert "for 1 d (CLAIM_WORKLIFE)" in found.text
    assert "500 of ada@site and 499,879" in found.text
    assert "CLAIM_WORKLIFE" in found.lifted_by
    assert "a better user priority" not in found.lifted_by
    assert "the better user priority of ada@site counts only when one of them" in found.lifted_by


def test_large_jobs_behind_small_ones_need_machines_that_are_free_as_a_whole() -> None:
    found = walls(recorded("multicore-starves"), "71.0")[wall.NO_ROOM]
    assert "46 claims" in found.text
    assert "condor_defrag" in found.lifted_by


def test_concurrency_limits_start_one_job_a_cycle_on_a_partitionable_slot() -> None:
    given = recorded("pegasus-limit-one-per-cycle")
    waiting = [each for each in verdicts_of(given, "1") if not each.would_start_by]
    ((_absent, found),) = [each.walls for each in waiting]
    assert "one job with concurrency limits starts on a partitionable slot" in found.text
    assert "priority" not in found.lifted_by


def test_the_only_submitter_is_not_told_to_have_a_better_priority() -> None:
    last = [each for each in verdicts_of(recorded("policy-and-plain-real"), "1")
            if not each.would_start_by]  # fmt: skip
    assert [len(each.jobs) for each in last] == [4]
    assert not any("user priority" in each.lifted_by for each in last[0].walls)


def test_the_next_cycle_and_the_course_agree_where_policy_and_plain_slots_mix() -> None:
    given = recorded("policy-and-plain-real")
    judged = Verdicts(given)
    found = judged.on(jobs_of(given, judged.cycle.quotas, "1"))
    course = run_course(given, Plan(3), lambda job, dice: 1e9, Random(0))
    starts = starts_of(course, Plan(3), judged.access_point)
    first = {key for key, start in starts.items() if start.cycle == 1}
    ways = {each.would_start_by for each in found}
    assert ways == {MATCH, LEFTOVER, ""}
    assert len(first) == 16
    assert first == {
        (each.access_point, job.id) for each in found if each.would_start_by for job in each.jobs
    }


def test_the_last_obstacle_is_that_of_the_cycle_before_the_start() -> None:
    given = recorded("policy-and-plain-real")
    judged = Verdicts(given)
    jobs = jobs_of(given, judged.cycle.quotas, "1")
    obstacles = Obstacles(jobs, judged.access_point)
    run_course(given, Plan(3), lambda job, dice: 1e9, Random(0), seen=obstacles.seen)
    assert {each.wall.id for each in obstacles.last.values()} == {wall.NO_ROOM}
    assert {each.cycle for each in obstacles.last.values()} == {3}


def test_a_device_that_is_wanted_is_named_with_the_best_that_slots_have() -> None:
    gpu = {"TotalSlotGPUs": 1, "GPUs": 1, "AvailableGPUs": "{GPUs_a}"}
    given = pool(
        slot("slot1@n1", **gpu, GPUs_a="[Capability = 7.0; GlobalMemoryMb = 40000]"),
        slot("slot1@n2", **gpu, GPUs_a="[Capability = 6.1; GlobalMemoryMb = 20000]"),
        submitter(), negotiator(),
        jobs=[job(RequestGPUs=1, RequireGPUs="Capability >= 7.5 && GlobalMemoryMb >= 10000",
                  Requirements="countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs")],
    )  # fmt: skip
    text = walls(given, "1.0")[wall.REQUIREMENTS].text
    assert "the job asks for devices with Capability >= 7.5; the best of 2 slots has 7.0" in text
    assert "GlobalMemoryMb" not in text.partition("excludes")[2]


def test_a_limit_that_is_an_expression_is_named_with_its_value() -> None:
    given = pool(
        slot(Start="TARGET.RequestMemory <= LargestJob", LargestJob="TotalSlotMemory / 16"),
        submitter(), negotiator(), jobs=[job(RequestMemory=2000)],
    )  # fmt: skip
    text = walls(given, "1.0")[wall.START].text
    assert "LargestJob has to be at least 2,000 (TARGET.RequestMemory of the job)" in text
    assert "has 1,024" in text


def test_a_request_that_follows_memory_usage_is_named() -> None:
    asked = "ifThenElse(MemoryUsage isnt undefined, MemoryUsage * 3 / 2, 1024)"
    given = pool(
        slot(), submitter(), negotiator(), jobs=[job(RequestMemory=asked, MemoryUsage=40000)]
    )
    text = walls(given, "1.0")[wall.NO_SUCH_MACHINE].text
    assert f"RequestMemory follows an expression: {asked} (MemoryUsage is 40000)" in text


@pytest.mark.parametrize("knob", ["SUBMITTER", "SCHEDD", "CYCLE", "PIESPIN"])
def test_with_a_time_limit_of_0_nothing_is_matched_and_the_knob_is_named(knob: str) -> None:
    of = partial(pool, slot(), submitter(), negotiator(), jobs=[job()])
    found = walls(of(config=f"NEGOTIATOR_MAX_TIME_PER_{knob} = 0\n"), "1.0")
    assert list(found) == [wall.CYCLE_ENDED_EARLY]
    assert f"NEGOTIATOR_MAX_TIME_PER_{knob} is 0" in found[wall.CYCLE_ENDED_EARLY].text
    assert not walls(of(config=f"NEGOTIATOR_MAX_TIME_PER_{knob} = 60\n"), "1.0")


def test_a_group_is_told_who_has_its_quota_since_when_and_what_returns_it() -> None:
    sentences = list(group_sentences(Verdicts(recorded("multicore-starves")).cycle,
                                     "group_a.prod.mp"))  # fmt: skip
    assert sentences[0].startswith("group group_a.prod.mp uses 0 of its quota of 24")
    assert sentences[1] == "it is due 24, the lesser of its quota and what its jobs weigh"
    assert "group_a.prod.single uses 46, 30 more than the quota of 16: 46 claims" in sentences[2]
    assert "the first since 2026-11-27 03:39:49 UTC" in sentences[2]
    assert "CLAIM_WORKLIFE" in sentences[3]
    assert sentences[4] == (
        "weight 2 is free now; the next cycle charges matches to group_a.prod.single (2)"
    )


def test_a_talk_that_its_share_ends_has_not_used_the_offers_up() -> None:
    """A higher MAX_CONCURRENT_UPLOADS_PER_USER starts none of the 98 (simulated with 1000)."""
    assert wall.OFFER_BUDGET not in walls(recorded("multicore-starves"), "70.50")


def test_a_group_whose_quota_a_drain_holds_is_told_so() -> None:
    drained = Source(str(FIELD.parent / "drained" / "half-the-weight-drained.tar.gz"))
    sentences = list(
        group_sentences(
            Verdicts(as_negotiator_reads(read_open(open_source(drained)))).cycle, "chem"
        )
    )
    assert sentences[-2:] == [
        "no other group uses more than its quota",
        "weight 192 is drained since 2026-11-27 05:13:15 UTC: condor_drain -cancel b1.test",
    ]


def test_the_sum_by_first_reason_has_most_weight_first() -> None:
    given = recorded("multicore-starves")
    sums = sums_of(Verdicts(given).on(given.jobs or ()), given)
    idle = [(each.reason, each.jobs, each.weight) for each in sums if each.reason != wall.NOT_IDLE]
    assert idle == [("no-room", 20, 160.0), ("outranked", 98, 98.0), ("starts", 2, 2.0)]


def test_an_access_point_before_a_job_chooses_among_several() -> None:
    assert access_point_in("ap.site#1.5") == ("ap.site", "1.5")
    assert access_point_in("ada#b@site") == ("", "ada#b@site")
    given = pool(slot(), jobs=[job(ScheddName='"ap1"'), job(ScheddName='"ap2"')])
    assert "ap1#1.0 or ap2#1.0 names one" in several_access_points(
        given.jobs or (), "1.0", lambda each: each.access_point
    )


def test_an_attribute_that_neither_ad_has_may_be_the_machines() -> None:
    """START of a machine whose health check never ran: the job's user can do nothing about it."""
    given = pool(
        slot(Start="NodeHealthy is true"), schedd(), submitter(), negotiator(), jobs=[job()]
    )
    found = walls(given, "1.0")[wall.START]
    assert "NodeHealthy of the job and the slot is undefined" in found.text
    assert found.lifted_by == (
        "a value of NodeHealthy in the slots (STARTD_ATTRS) or in the job: START names it"
    )
    scoped = pool(
        slot(Start="TARGET.WantHere is true"), schedd(), submitter(), negotiator(), jobs=[job()]
    )
    assert "WantHere of the job is undefined" in walls(scoped, "1.0")[wall.START].text
