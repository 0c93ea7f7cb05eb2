"""What slots of one machine have to do with each other: backfill, slotN_State, Child*, in cycles and courses."""

from __future__ import annotations

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import dynamic_slot, pool, slot
from tests.simulate.course.test_preempted import asks, course, of, static

BACKFILL = {"BackfillSlot": "true", "Requirements": "true"}


def eight(number: int, **changes: str | int | float) -> str:
    own: dict[str, str | int | float] = {
        "Cpus": 8,
        "TotalSlotCpus": 8,
        "Memory": 16384,
        "SlotID": number,
        "Requirements": "true",
    }
    return slot(f"slot{number}@node1", **{**own, **changes})


@pytest.mark.parametrize("preempt", ["False", "ResourceConflict =!= undefined"])
def test_backfill_has_what_others_leave(preempt: str) -> None:
    """Six cpus are used beside it: two are left, and eight again when these are free."""
    jobs = [*of("ada", 1, 2, RequestCpus=3), *of("ben", 2, 4, RequestCpus=1, RequestMemory=512)]
    primary = eight(1, Requirements='TARGET.Owner == "ada"')
    back = eight(2, **BACKFILL)
    back = back.replace(
        "Requirements = true",
        'Requirements = TARGET.Owner == "ben" && TARGET.RequestCpus <= MY.Cpus',
    )
    given = pool(
        primary, back, asks("ada", 2), asks("ben", 4), jobs=jobs,
        config="NEGOTIATOR_CONSIDER_PREEMPTION = False\n", execute={"node1": f"PREEMPT = {preempt}\n"},
    )  # fmt: skip
    found = course(given, 2, seconds="1000")

    assert [each.cpus for each in found.samples] == [8, 8]


@pytest.mark.parametrize(("preempt", "left"), [("False", 4), ("ResourceConflict =!= undefined", 2)])
def test_preempt_may_end_backfill_claims_in_conflict(preempt: str, left: int) -> None:
    """Four claims of two cpus each are there when a job of four comes to the other slot: two go."""
    claims = [
        dynamic_slot(f"slot2_{number}@node1", "ben@site", Cpus=2, TotalSlotCpus=2, **BACKFILL)
        for number in range(1, 5)
    ]
    given = pool(
        eight(1), eight(2, Cpus=0, NumDynamicSlots=4, **BACKFILL), *claims, asks("ada", 1),
        jobs=of("ada", 1, 1, RequestCpus=4), execute={"node1": f"PREEMPT = {preempt}\n"},
    )  # fmt: skip
    found = course(given, 1)

    assert found.samples[0].running == left + 1
    assert len(found.evictions) == 4 - left


ALONE = 'slot2_State =?= "Unclaimed"'


def test_a_start_that_looks_at_other_slots_sees_the_claims_of_the_cycle() -> None:
    """The negotiator matches both, by ads in which the other slot is unclaimed."""
    slots = [
        static(
            1,
            Start=ALONE,
            Requirements="Start",
            slot1_State='"Unclaimed"',
            slot2_State='"Unclaimed"',
        ),
        static(2, slot1_State='"Unclaimed"', slot2_State='"Unclaimed"'),
    ]
    jobs = [
        *of("ben", 1, 1, Requirements="TARGET.SlotID == 2"),
        *of("ada", 2, 1, Requirements="TARGET.SlotID == 1"),
    ]
    given = pool(*slots, asks("ben", 1), asks("ada", 1), jobs=jobs)
    trace = run_cycle(given, ("ben@site", "ada@site"))

    assert [(each.job, bool(each.refusal)) for each in trace.matches] == [
        ("1.0", False),
        ("2.0", True),
    ]
    later = course(given, 3, seconds="700")
    assert [each.matches for each in later.samples] == [2, 0, 1]


def test_lists_of_dynamic_slots_follow_the_claims() -> None:
    """A slot that takes a second job only beside one of its own kind."""
    kind = slot(
        Cpus=8, TotalSlotCpus=8, ChildCpus="{ }", ChildState="{ }",
        Requirements="size(ChildCpus) == 0 || sum(ChildCpus) < 4",
    )  # fmt: skip
    given = pool(
        kind, asks("ada", 3), jobs=of("ada", 1, 3, RequestCpus=2),
        config="CLAIM_PARTITIONABLE_LEFTOVERS = False\nNEGOTIATOR_DEPTH_FIRST = False\n",
    )  # fmt: skip
    found = course(given, 4, seconds="100000")

    assert [each.running for each in found.samples] == [1, 2, 2, 2]
    assert found.unmodelled == ()
