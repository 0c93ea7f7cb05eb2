"""How far a group can exceed its quota, with claims and costs counted by hand."""

from __future__ import annotations

import pytest

from htcq.audit.evidence import Evidence
from htcq.audit.reach import Demand, Filling, Step, filling, reach
from tests.audit.sites import job, policy_slot, pool

#: A claim costs what the scarcer asset loses and is charged the dominant one.
DOMINANT = (
    "ifThenElse(DynamicSlot =?= true, max({Cpus, ceiling(Memory / 2048.0)}), min({Cpus, "
    "floor(Memory / 2048)}))"
)


def filled(cpus: int, memory: int, slots: int = 1) -> Filling:
    """Return how jobs of 1 cpu and ``memory`` fill slots of ``cpus`` and 32 GiB, that is 16 charges of memory."""
    shape = {
        "Cpus": cpus,
        "TotalSlotCpus": cpus,
        "Memory": 32768,
        "TotalSlotMemory": 32768,
        "SlotWeight": DOMINANT,
    }
    given = pool(
        *(policy_slot(f"slot1@n{number}", **shape) for number in range(slots)),
        jobs=[job(RequestMemory=memory)],
    )
    evidence = Evidence(given)
    (kind,) = evidence.slot_classes
    charge = next(charge for charge in evidence.charges(kind) if charge.trial.own)
    found = filling(kind, charge)
    assert found is not None
    return found


def demand(given: Filling, count: int) -> Demand:
    return Demand(given, given.charge.trial.jobs, count)


def test_the_first_claims_cost_less_than_the_last_ones() -> None:
    """8 cpus and 16 charges of memory, 8192 MB each: min(8 - n, 16 - 4n) falls from 8 by 1, 1, 2 and 4."""
    assert filled(8, 8192).steps == (Step(1, 1), Step(1, 1), Step(1, 2), Step(1, 4))


def test_a_dear_claim_before_cheap_ones_is_joined_with_them() -> None:
    """floor: 5 GiB cost 3, 2, 3, 2 … of 16 charges of 2 GiB: a 2 can only be had after a 3."""
    steps = filled(64, 5120).steps
    assert all(earlier.claim_cost <= later.claim_cost for earlier, later in zip(steps, steps[1:]))
    assert sum(step.claims for step in steps) == 6
    assert sum(step.cost for step in steps) == 15


@pytest.mark.parametrize(
    ("quota", "slots", "usage"),
    [(1, 1, 4), (2, 1, 8), (3, 1, 8), (4, 1, 12), (8, 1, 16), (100, 1, 16), (4, 2, 16), (8, 2, 24)],
)
def test_a_group_takes_the_cheapest_claims_first(quota: float, slots: int, usage: float) -> None:
    """On each slot 1, 1, 2, 4 for claims that are charged 4."""
    found = reach(quota, [demand(filled(8, 8192, slots), 100)], 0, 100)
    assert found is not None
    assert found.usage == usage
    assert found.claims == usage / 4


def test_it_has_no_more_claims_than_jobs() -> None:
    found = reach(8, [demand(filled(8, 8192), 2)], 0, 100)
    assert found is not None
    assert (found.usage, found.claims, found.spent) == (8, 2, 2)


def test_other_jobs_use_what_is_left_of_the_quota_and_no_more() -> None:
    """2 claims cost 2 of 8 and are charged 8; other jobs want 100, and get the other 6."""
    found = reach(8, [demand(filled(8, 8192), 2)], 108, 100)
    assert found is not None
    assert (found.usage, found.factor) == (14, 1.75)


def test_other_jobs_use_no_more_than_the_slots_that_are_left() -> None:
    """The one slot of the pool is used."""
    found = reach(8, [demand(filled(8, 8192), 2)], 108, 8)
    assert found is not None
    assert found.usage == 8


def test_nothing_can_be_had_of_a_quota_below_one_claim() -> None:
    assert reach(0.5, [demand(filled(8, 8192), 10)], 0, 100) is None


def test_a_slot_is_filled_by_one_kind_of_job() -> None:
    """Two kinds of job want the same slot: the second one gets nothing of it."""
    given = filled(8, 8192)
    other = filled(8, 8192)
    found = reach(
        100,
        [
            demand(given, 100),
            Demand(Filling(given.kind, other.charge, other.steps), other.charge.trial.jobs, 100),
        ],
        0,
        100,
    )
    assert found is not None
    assert found.usage == 16
