"""How a pool fills, cycle by cycle; the numbers follow by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import htcq.simulate.course.course as courses
from htcq.pool.pool import Pool
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.priorities import Priorities
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.course.wait_stats import waits
from htcq.simulate.course.world import World
from htcq.simulate.cycle.cycle import Cycle
from htcq.units import CPUS
from tests.audit.sites import dynamic_slot, job, policy_slot, pool, slot, static_slot, submitter

FIVE_MINUTES, LONG = 300.0, "1000000"
TEN = {"Cpus": 10, "TotalSlotCpus": 10, "TotalCpus": "10.0", "NumClaims": 10, "Memory": 163840}
NO_LEFTOVERS = "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"


def site(*collector: str, jobs: int, config: str = NO_LEFTOVERS, **changes: str | int) -> Pool:
    queue = [job(f"1.{proc}", **changes) for proc in range(jobs)]
    return pool(
        *collector, submitter(IdleJobs=jobs, WeightedIdleJobs=jobs), jobs=queue, config=config
    )


def course(
    given: Pool, cycles: int, lasts: str = LONG, interval: float = FIVE_MINUTES, seed: int = 0
) -> Course:
    return run_course(given, Plan(cycles, interval), run_time(lasts), Random(seed))


def started(found: Course) -> list[int]:
    return [sample.started for sample in found.samples]


def test_a_plain_slot_for_ten_jobs_takes_ten_cycles() -> None:
    """One match of a partitionable slot in a cycle: with cycles every five minutes ten jobs take 50 minutes."""
    found = course(site(slot(**TEN), jobs=10), 11)

    assert started(found) == [1] * 10 + [0]
    assert found.full_at == 9 * FIVE_MINUTES
    assert [sample.largest_cpus for sample in found.samples[:3]] == [9, 8, 7]


def test_a_consumption_policy_fills_it_in_one() -> None:
    found = course(site(policy_slot(**TEN), jobs=10), 2)

    assert started(found) == [10, 0]
    assert found.full_at == 0


def test_so_do_leftovers_for_one_submitter() -> None:
    """The negotiator matches once, and the schedd puts as many more jobs there as fit."""
    found = course(site(slot(**TEN), jobs=12, config="CLAIM_PARTITIONABLE_LEFTOVERS = True\n"), 2)

    assert [sample.matches for sample in found.samples] == [1, 0]
    assert started(found) == [10, 0]


def test_leftovers_are_for_nobody_else() -> None:
    jobs = [job(f"1.{proc}") for proc in range(3)]
    jobs += [job(f"2.{proc}", Owner='"ben"', User='"ben@site"') for proc in range(3)]
    asking = [submitter(f"{who}@site", IdleJobs=3, WeightedIdleJobs=3) for who in ("ada", "ben")]
    captured = replace(pool(slot(**TEN), *asking, jobs=jobs, config=""), in_order=True)
    found = course(captured, 2)

    assert dict(found.samples[0].submitters) == {"ada@site": 10}
    # What ada's three jobs left is ben's in the next cycle: three more dynamic slots.
    assert (started(found), found.waiting) == ([3, 3], {"ada@site": 0, "ben@site": 0})


def test_a_claim_is_used_again_while_it_may_be() -> None:
    """One slot of one cpu, jobs of 400 s: the claim lives for 1200 s, so that three start in it without a match."""
    found = course(site(static_slot(Cpus=1, TotalSlotCpus=1), jobs=9), 6, lasts="400")

    # Starts at 0; then 400 and 800 without a match; at 1200 the claim ends, and the cycle at 1200
    # matches again.
    assert [sample.matches for sample in found.samples] == [1, 0, 0, 0, 1, 0]
    assert started(found) == [1, 0, 1, 1, 1, 0]
    assert [sample.reused for sample in found.samples] == [0, 0, 1, 1, 0, 0]
    (wait,) = waits(found)
    assert found.waited["ada@site"] == (0, 400, 800, 1200)
    assert (wait.started, wait.waiting, wait.mean, wait.median, wait.longest) == (
        4,
        5,
        600,
        600,
        1200,
    )


def test_without_a_worklife_every_job_needs_a_match() -> None:
    given = site(
        static_slot(Cpus=1, TotalSlotCpus=1), jobs=9, config=f"{NO_LEFTOVERS}CLAIM_WORKLIFE = 0\n"
    )
    found = course(given, 6, lasts="400")

    assert found.waited["ada@site"] == (0, 600, 1200)


@pytest.mark.parametrize(
    ("config", "execute", "matches"),
    [
        ("CLAIM_WORKLIFE = -1\n", {}, [1, 0, 0]),
        ("CLAIM_WORKLIFE = 0\n", {"node1": "CLAIM_WORKLIFE = -1\n"}, [1, 0, 0]),
        ("A = 1\n", {"node1": "STARTD.CLAIM_WORKLIFE = 0\n"}, [1, 1, 1]),
        ("A = 1\n", {"node1": "SLOT_TYPE_1_CLAIM_WORKLIFE = 0\n"}, [1, 1, 1]),
        ("A = 1\n", {"node1": "CLAIM_WORKLIFE = ifThenElse(Cpus > 1, 0, 100)\n"}, [1, 1, 1]),
        ("A = 1\n", {"node1": "CLAIM_WORKLIFE = ifThenElse(Cpus > 1, 0, 1e6)\n"}, [1, 0, 0]),
    ],
)
def test_the_worklife_of_a_claim_is_its_slot_s(
    config: str, execute: dict[str, str], matches: list[int]
) -> None:
    """As claimWorklifeExpired of Resource.cpp evaluates it: a negative one never ends."""
    one = static_slot(Cpus=1, TotalSlotCpus=1, SlotTypeID=1)
    asking = submitter(IdleJobs=9, WeightedIdleJobs=9)
    queue = [job(f"1.{proc}") for proc in range(9)]
    found = course(pool(one, asking, jobs=queue, config=config, execute=execute), 3, lasts="100")

    assert [sample.matches for sample in found.samples] == matches


def test_what_ran_at_the_capture_ends_as_well() -> None:
    claimed = dynamic_slot("slot1_1@node1", "ben@site", Cpus=8, Memory=8192, Disk=1000)
    found = course(site(policy_slot(Cpus=0, Memory=8192), claimed, jobs=2), 3, lasts="250")

    assert started(found) == [0, 2, 0]
    assert found.total_cpus == 8


@pytest.mark.parametrize("lasts", ["exponential:500", "uniform:1..2000", "lognormal:300:1.5"])
@pytest.mark.parametrize("kind", [policy_slot(**TEN), slot(**TEN)])
def test_nothing_is_lost_or_invented(lasts: str, kind: str) -> None:
    given = site(kind, static_slot("slot2@node1", Cpus=3, TotalSlotCpus=3), jobs=60, config="")
    world = World(given, run_time(lasts), Random(3))
    found = course(given, 12, lasts, seed=3)

    assert world.holdings.total(CPUS) == found.total_cpus == 13
    for sample in found.samples:
        assert 0 <= sample.cpus <= 13
        assert 0 <= sample.largest_cpus <= 13
        assert sample.running + sample.idle <= 60
    assert sum(map(len, found.waited.values())) + sum(found.waiting.values()) == 60
    assert sum(started(found)) == sum(map(len, found.waited.values()))


def test_the_same_seed_gives_the_same_course_and_another_another() -> None:
    given = site(policy_slot(**TEN), jobs=60)
    one, same, other = (course(given, 8, "exponential:400", seed=seed) for seed in (1, 1, 2))

    assert one == same
    assert one.waited != other.waited


def test_priorities_follow_usage_by_half_the_way_in_a_halflife() -> None:
    """Half of 0.5 and half of 10 are 5.25, and nobody is better than 0.5; times the default factor of 1000."""
    given = pool(
        submitter("ada@site"), submitter("ben@site"), jobs=[], config="PRIORITY_HALFLIFE = 600\n"
    )
    priorities = Priorities(given)
    priorities.advance(600, {"ada@site": 10.0})
    shown = {each.name: each.number("Priority") for each in priorities.shown(given).accounting}

    assert shown == {"ada@site": 5250, "ben@site": 500}


ONE = static_slot(Cpus=1, TotalSlotCpus=1)


@pytest.mark.parametrize(
    ("other", "again"),
    [
        ({}, True),
        ({"Requirements": 'TARGET.Machine == "elsewhere"'}, False),
        ({"RequestMemory": 999999}, False),
        ({"ConcurrencyLimits": '"licence"'}, False),
    ],
)
def test_a_claim_is_used_again_for_what_its_schedd_could_run_there(
    other: dict[str, str | int], again: bool
) -> None:
    queue = [job("1.0"), job("2.0", **other)]
    found = course(
        pool(ONE, submitter(IdleJobs=2, WeightedIdleJobs=2), jobs=queue, config=""), 2, lasts="100"
    )

    assert (100 in found.waited["ada@site"]) is again


def test_limits_of_a_claim_are_those_of_its_dynamic_slot() -> None:
    """The match counts the limits in the partitionable slot, the claim those in its own: seen on 23.9.6."""
    limits = 'ifThenElse(TARGET.TotalSlotCpus > 4, "licence:2", "licence")'
    config = f"{NO_LEFTOVERS}LICENCE_LIMIT = 3\n"
    found = course(site(slot(**TEN), jobs=5, config=config, ConcurrencyLimits=limits), 3)

    # 2 of 3; 1 of the claim and 2 more; 1 each of two claims, and 2 more would be 4.
    assert started(found) == [1, 1, 0]


@pytest.mark.parametrize("printed", [False, True])
def test_a_claim_is_the_schedd_s_that_has_it(printed: bool) -> None:
    """Two access points have a job of the same number and submitter; what one of them claims is not the other's.

    HTCondor's tools print the name of the schedd in the global id alone.
    """
    queue = [job("1.0", ScheddName=f'"access{number}"', JobPrio=-number) for number in (1, 2)]
    if printed:
        ids = ('"access1#1.0#1700000000"', '"access2#1.0#1700000000"')
        queue = [job("1.0", GlobalJobId=id_, JobPrio=-place) for place, id_ in enumerate(ids)]
    asking = [
        submitter(ScheddName=f'"access{number}"', Machine=f'"access{number}"') for number in (1, 2)
    ]
    found = course(pool(ONE, *asking, jobs=queue, config=""), 5, lasts="100")

    # The first job ends at 100; its schedd has no other, so that the claim ends too, and the next
    # cycle is at 300.
    assert found.waited["ada@site"] == (0, 300)
    assert [sample.idle for sample in found.samples[:2]] == [1, 0]


@pytest.mark.parametrize(("activity", "matches"), [("Cleaning", [0, 1]), ("Busy", [0, 0])])
def test_a_claim_in_cleaning_ends_after_the_first_cycle(activity: str, matches: list[int]) -> None:
    """Its job is over: only the starter is not yet gone (Resource.cpp: leave Claimed/Cleaning, 25.14)."""
    claim = {"State": '"Claimed"', "Activity": f'"{activity}"', "AccountingGroup": '"ben@site"'}
    given = site(static_slot(RemoteOwner='"ben@site"', **claim), jobs=1)
    found = course(given, 2)

    assert [sample.matches for sample in found.samples] == matches


def test_a_dynamic_slot_named_after_a_static_one_is_not_its_claim() -> None:
    """One of the two ads is wrong; the static slot stays what it is."""
    found = course(
        site(static_slot("slot1@node1"), dynamic_slot("slot1_1@node1", "phys.ada@site"), jobs=2), 2
    )

    assert started(found) == [1, 0]


def test_groups_have_the_slots_of_fractions_in_turn() -> None:
    """Three slots without weights, halves of them: one each, and the third slot goes to b, then to a (rr_time)."""
    knobs = {
        "NEGOTIATOR_USE_SLOT_WEIGHTS": "False",
        "GROUP_ACCEPT_SURPLUS": "True",
        "GROUP_NAMES": "a, b",
        "GROUP_QUOTA_DYNAMIC_a": "0.5",
        "GROUP_QUOTA_DYNAMIC_b": "0.5",
        "CLAIM_WORKLIFE": "0",
    }
    config = "".join(f"{name} = {value}\n" for name, value in knobs.items())
    queue, asking = [], []
    for cluster, group, count in ((1, "a", 20), (2, "b", 30)):
        name = f"{group}.ada@site"
        queue += [
            job(f"{cluster}.{proc}", AccountingGroup=f'"{group}.ada"') for proc in range(count)
        ]
        asking.append(submitter(name, IdleJobs=count, WeightedIdleJobs=count))
    slots = [static_slot(f"slot{number}@node1") for number in (1, 2, 3)]
    found = course(pool(*slots, *asking, jobs=queue, config=config), 4, lasts="100")

    assert [sample.groups["a"] for sample in found.samples] == [1, 2, 1, 2]
    assert [sample.groups["b"] for sample in found.samples] == [2, 1, 2, 1]


def test_a_cycle_in_which_nothing_waits_and_nothing_has_changed_is_not_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One job of 25 minutes, a cycle every five: it is matched in the first, and its end is seen in the sixth."""
    run = list[Cycle]()
    monkeypatch.setattr(courses, "Cycle", lambda *given: run.append(Cycle(*given)) or run[-1])
    found = course(site(policy_slot(**TEN), jobs=1), 9, lasts="1500")

    assert [sample.running for sample in found.samples] == [1] * 5 + [0] * 4
    assert [sample.at for sample in found.samples] == [number * FIVE_MINUTES for number in range(9)]
    assert [sample.matches for sample in found.samples] == [1] + [0] * 8
    assert len(run) == 3
