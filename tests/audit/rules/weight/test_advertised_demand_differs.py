"""What jobs are charged was computed by hand: standing weight of a dynamic slot, or the match cost of a policy."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, look, policy_slot, pool, slot, submitter

RULE = "advertised-demand-differs"
GROUPS = "GROUP_NAMES = a\nGROUP_QUOTA_a = 4\n"


def jobs(count: int, **changes: int | str) -> list[str]:
    return [
        job(f"1.{number}", GlobalJobId=f'"access1#1.{number}#1"', **changes)
        for number in range(count)
    ]


def test_a_demand_in_cpus_for_slots_that_weigh_memory_is_found() -> None:
    """20 jobs of 8192 MB weigh 8 each on slots of weight floor(Memory/1024), and 1 each to their schedd."""
    ads = [slot(SlotWeight="floor(Memory/1024)"), submitter(IdleJobs=20, WeightedIdleJobs=20)]
    (finding,) = found(RULE, pool(*ads, jobs=jobs(20, RequestMemory=8192)))
    assert finding.subject == "submitter ada@site"
    assert "weight 20 for 20 idle jobs" in finding.message
    assert "charged 160" in finding.message


def test_a_demand_that_is_too_large_is_found_too() -> None:
    ads = [slot(), submitter(IdleJobs=20, WeightedIdleJobs=20 * 1024)]
    assert found(RULE, pool(*ads, jobs=jobs(20)))


def test_what_a_schedd_rounds_up_is_not() -> None:
    """Jobs are charged 0.25 + 0.0625 each, and a schedd counts whole numbers, 1 at least; 2 would be too much."""
    weight = "Cpus / 4.0 + Memory / 16384.0"
    assert not found(
        RULE,
        pool(slot(SlotWeight=weight), submitter(IdleJobs=20, WeightedIdleJobs=20), jobs=jobs(20)),
    )
    assert found(
        RULE,
        pool(slot(SlotWeight=weight), submitter(IdleJobs=20, WeightedIdleJobs=40), jobs=jobs(20)),
    )


def test_the_knob_behind_it_is_shown_and_tells_findings_apart() -> None:
    ads = [slot(SlotWeight="4*Cpus"), submitter(IdleJobs=20, WeightedIdleJobs=20)]
    given = pool(*ads, jobs=jobs(20), access={"access1": "SCHEDD_SLOT_WEIGHT = RequestCpus\n"})
    (finding,) = found(RULE, given)
    assert finding.cause == "SCHEDD_SLOT_WEIGHT = RequestCpus"


def test_a_policy_charges_the_match_cost() -> None:
    """1 cpu and 600 MB take 2048 MB of 16384: the least of the weights falls from 8 to 7."""
    weight = "min({Cpus, floor(Memory/2048)})"
    ads = [
        policy_slot(
            SlotWeight=weight, ConsumptionMemory="quantize(TARGET.RequestMemory ?: 0, {2048})"
        ),
        submitter(IdleJobs=20, WeightedIdleJobs=20),
    ]
    assert not found(RULE, pool(*ads, jobs=jobs(20, RequestMemory=600)))


def test_a_schedd_that_is_about_to_correct_itself_is_not_found() -> None:
    ads = [slot(SlotWeight="4*Cpus"), submitter(IdleJobs=20, WeightedIdleJobs=20)]
    given = pool(*ads, jobs=jobs(20), access={"access1": "SCHEDD_SLOT_WEIGHT = 4*RequestCpus\n"})
    assert not found(RULE, given)


def test_jobs_that_came_and_went_meanwhile_do_not_matter() -> None:
    ads = [slot(), submitter(IdleJobs=60, WeightedIdleJobs=60)]
    assert not found(RULE, pool(*ads, jobs=jobs(20)))


def test_far_more_jobs_than_the_queue_holds_are_found() -> None:
    ads = [slot(), submitter(IdleJobs=500, WeightedIdleJobs=500)]
    (finding,) = found(RULE, pool(*ads, jobs=jobs(20)))
    assert "its queue has 20" in finding.message


@pytest.mark.parametrize(("config", "found_here"), [(GROUPS, False), ("UID_DOMAIN = site\n", True)])
def test_a_demand_of_nothing_is_an_error_of_its_own_where_groups_starve_of_it(
    config: str, found_here: bool
) -> None:
    ads = [slot(), submitter(IdleJobs=20, WeightedIdleJobs=0)]
    assert bool(found(RULE, pool(*ads, jobs=jobs(20), config=config))) is found_here


def test_without_slot_weights_each_job_is_one_slot() -> None:
    ads = [slot(), submitter(IdleJobs=20, WeightedIdleJobs=80)]
    given = pool(*ads, jobs=jobs(20, RequestCpus=4), config="NEGOTIATOR_USE_SLOT_WEIGHTS = False\n")
    assert found(RULE, given)


def test_a_queue_that_was_not_read_is_told() -> None:
    ads = [slot(), submitter(IdleJobs=20, WeightedIdleJobs=20, ScheddName='"access2"')]
    assert look(RULE, pool(*ads, jobs=jobs(20))).not_checked


def test_a_plain_pool_is_quiet() -> None:
    ads = [slot(), submitter(IdleJobs=20, WeightedIdleJobs=40)]
    assert not found(
        RULE, pool(*ads, jobs=jobs(20, RequestCpus=2), access={"access1": "SLOT_WEIGHT = Cpus\n"})
    )


def test_a_demand_of_jobs_that_are_not_offered_is_found() -> None:
    """The schedd counts jobs in cool-down: their group is given slots for them that nobody can use."""
    groups = "GROUP_NAMES = a\nGROUP_QUOTA_a = 4\n"
    cooling = [
        job(f"2.{number}", GlobalJobId=f'"access1#2.{number}#1"', JobCoolDownExpiration=9e9)
        for number in range(15)
    ]
    ads = [slot(), submitter(IdleJobs=20, WeightedIdleJobs=20, LastHeardFrom=1_700_000_000)]
    (finding,) = found(RULE, pool(*ads, jobs=[*jobs(5), *cooling], config=groups))

    assert "does not offer 15 of the 20 in its queue: 15 by cool-down" in finding.message
    assert not found(RULE, pool(*ads, jobs=[*jobs(15), *cooling[:5]], config=groups))
