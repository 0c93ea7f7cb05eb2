"""How full machines are: the numbers follow from the ads by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.machines import Machine, by_fill, class_of, fill_of
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.course.single import run_single
from tests.audit.sites import dynamic_slot, job, policy_slot, pool, slot, static_slot, submitter

NO_LEFTOVERS = "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"


def test_a_machine_is_the_sum_of_its_slots() -> None:
    """6 cpus left and 2 in a dynamic slot; a static slot of 1 cpu that is claimed, and one of 3 that is not."""
    given = pool(
        slot(Cpus=6, Memory=14336),
        dynamic_slot(Cpus=2, Memory=2048),
        static_slot("slot2@node1", State='"Claimed"', RemoteUser='"ben@site"'),
        static_slot("slot3@node1", Cpus=3),
        static_slot("slot1@node2"),
    )
    fill = fill_of(given.slots or ())

    assert fill.machines == (
        Machine("node1", cpus=12, claimed_cpus=3, memory_mb=20480, claimed_memory_mb=4096),
        Machine("node2", cpus=1, claimed_cpus=0, memory_mb=2048, claimed_memory_mb=0),
    )
    assert (fill.largest_cpus, fill.largest_memory_mb) == (6, 14336)


@pytest.mark.parametrize(
    ("share", "number"),
    [(0, 0), (0.01, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.76, 4), (0.99, 4), (1, 5)],
)
def test_classes_go_up_to_their_share(share: float, number: int) -> None:
    assert class_of(share) == number


def test_machines_are_counted_by_class() -> None:
    machines = [Machine(f"node{cpus}", 8, cpus, 0, 0) for cpus in (0, 0, 2, 4, 6, 7, 8)]

    assert by_fill([*machines, Machine("gpus only", 0, 0, 1024, 1024)]) == (3, 1, 1, 1, 1, 1)


def test_one_cycle_fills_what_the_startd_hands_out() -> None:
    """Three jobs of 2 cpus and 1 GiB in a slot with a policy; the static slot is taken whole by the fourth."""
    jobs = [job(f"1.{proc}", RequestCpus=2) for proc in range(3)]
    jobs.append(job("1.9", Requirements='TARGET.Name == "slot1@node2"'))
    asking = submitter(IdleJobs=4, WeightedIdleJobs=7)
    single = run_single(
        pool(policy_slot(), static_slot("slot1@node2"), asking, jobs=jobs, config="")
    )

    assert [each.claimed_cpus for each in single.before.machines] == [0, 0]
    assert single.after.machines == (
        Machine("node1", 8, 6, 16384, 3072),
        Machine("node2", 1, 1, 2048, 2048),
    )
    assert (single.before.largest_cpus, single.after.largest_cpus) == (8, 2)
    assert (single.before.largest_memory_mb, single.after.largest_memory_mb) == (16384, 13312)
    assert len(single.trace.matches) == 4


def test_a_course_counts_the_machines_after_every_cycle() -> None:
    """One match of a plain slot in a cycle: of four cpus one more is in claims each time, of two machines in turn."""
    given = pool(
        slot(Cpus=4, TotalSlotCpus=4), slot("slot1@node2", Cpus=4, TotalSlotCpus=4),
        submitter(IdleJobs=8, WeightedIdleJobs=8), jobs=[job(f"1.{proc}") for proc in range(8)], config=NO_LEFTOVERS,
    )  # fmt: skip
    found = run_course(given, Plan(4), run_time("1000000"), Random(0))

    assert [sample.by_fill for sample in found.samples] == [
        (0, 2, 0, 0, 0, 0), (0, 0, 2, 0, 0, 0), (0, 0, 0, 2, 0, 0), (0, 0, 0, 0, 0, 2),
    ]  # fmt: skip
    assert [(each.name, each.claimed_cpus, each.claimed_memory_mb) for each in found.machines] == [
        ("node1", 4, 4096),
        ("node2", 4, 4096),
    ]
    assert found.unit == "slot weight"


def test_the_sums_of_machines_are_those_of_the_pool() -> None:
    given = pool(
        policy_slot(), static_slot("slot2@node1", Cpus=3, TotalSlotCpus=3), submitter(IdleJobs=30, WeightedIdleJobs=30),
        jobs=[job(f"1.{proc}") for proc in range(30)], config="",
    )  # fmt: skip
    found = run_course(given, Plan(9, 300.0), run_time("exponential:500"), Random(3))

    assert sum(each.cpus for each in found.machines) == found.total_cpus == 11
    assert sum(each.claimed_cpus for each in found.machines) == found.samples[-1].cpus


@pytest.mark.parametrize(("name", "running"), [("TotalSlots", [1, 2]), ("SlotID", [1, 1])])
def test_dynamic_slots_count_among_the_slots_of_their_machine(
    name: str, running: list[int]
) -> None:
    """The second job wants a machine with more than one slot, which it is once the first one runs there."""
    given = pool(
        slot(TotalSlots=1, SlotID=1), slot("slot1@node2", TotalSlots=1, SlotID=1, Cpus=0),
        submitter(IdleJobs=2, WeightedIdleJobs=2),
        jobs=[job("1.0"), job("2.0", Requirements=f"TARGET.{name} > 1")],
        config=NO_LEFTOVERS,
    )  # fmt: skip
    found = run_course(given, Plan(2, 300.0), run_time("1e9"), Random(0))

    assert [sample.running for sample in found.samples] == running


@pytest.mark.parametrize(("interval", "running"), [("600", [1, 1, 1, 2]), ("200", [1, 2, 2, 2])])
def test_a_slot_tells_of_other_new_slots_when_its_ad_is_sent_again(
    interval: str, running: list[int]
) -> None:
    """The second job fits only the slot that has not changed; seen on 25.14.1: a cycle later it still said 3."""
    given = pool(
        slot(TotalSlots=2), slot("slot2@node1", TotalSlots=2, Memory=9000, TotalSlotMemory=9000),
        submitter(IdleJobs=2, WeightedIdleJobs=2),
        jobs=[
            job("1.0", Requirements="SlotID =!= 2 && Memory > 9000"),
            job("2.0", Requirements="TARGET.TotalSlots > 2 && TARGET.Memory <= 9000"),
        ],
        config=f"{NO_LEFTOVERS}UPDATE_INTERVAL = {interval}\n",
    )  # fmt: skip
    found = run_course(given, Plan(4, 210.0), run_time("1e9"), Random(0))

    assert [sample.running for sample in found.samples] == running


def test_a_slot_tells_of_other_new_slots_after_a_claim_on_it_was_refused() -> None:
    """Seen on 23.9.6: START lets 1.0 in and not on its dynamic slot; the slot's ad is sent once more."""
    given = pool(
        slot(TotalSlots=2, Requirements="MY.Memory > 2000", SlotID=1),
        slot("slot2@node1", TotalSlots=2, SlotID=2, Cpus=1),
        submitter(IdleJobs=3, WeightedIdleJobs=3),
        jobs=[
            job("1.0", Requirements="SlotID == 1"),
            job("2.0", Requirements="SlotID == 2"),
            job("3.0", JobPrio=5, RequestMemory=4000, Requirements="TARGET.TotalSlots > 2 && SlotID == 1"),
        ],
        config=f"{NO_LEFTOVERS}UPDATE_INTERVAL = 600\n",
    )  # fmt: skip
    found = run_course(given, Plan(2, 60.0), run_time("1e9"), Random(0))

    assert [(start.job.id, start.at) for start in found.starts] == [("2.0", 0.0), ("3.0", 60.0)]


def test_what_is_left_of_a_slot_tells_of_all_slots_of_its_startd() -> None:
    """The startd itself sends it; a second startd of the machine counts for itself. Seen on 25.14.1."""
    wants = [job(f"{number}.0", Requirements=f"TARGET.TotalSlots > {number}") for number in (2, 4)]
    given = pool(
        slot(TotalSlots=2, Cpus=4), slot("slot2@node1", TotalSlots=2, Cpus=4),
        slot("slot1@m1@node1", TotalSlots=1, Cpus=1, Machine='"node1"'),
        submitter(IdleJobs=5, WeightedIdleJobs=5),
        jobs=[job("1.0"), job("1.1"), job("1.2"), *wants],
        config="CLAIM_PARTITIONABLE_LEFTOVERS = True\n",
    )  # fmt: skip
    found = run_course(given, Plan(1, 60.0), run_time("1e9"), Random(0))

    assert [start.job.id for start in found.starts] == ["1.0", "1.1", "1.2", "2.0", "4.0"]


@pytest.mark.parametrize(("in_order", "running"), [(False, 2), (True, 1)])
def test_what_was_sorted_is_not_taken_for_the_order_of_the_collector(
    in_order: bool, running: int
) -> None:
    """Both slots are in one bucket of the collector's table, where the last to come is the first."""
    given = pool(
        static_slot("slot1@m1@node.test", LastHeardFrom=1700000000),
        static_slot("slot2@node.test", LastHeardFrom=1700000000),
        submitter(IdleJobs=2, WeightedIdleJobs=2, LastHeardFrom=1700000000),
        jobs=[job("1.0"), job("2.0", Requirements='TARGET.Name == "slot1@m1@node.test"')],
    )
    found = run_course(replace(given, in_order=in_order), Plan(1), run_time("1e9"), Random(0))

    assert [sample.running for sample in found.samples] == [running]
