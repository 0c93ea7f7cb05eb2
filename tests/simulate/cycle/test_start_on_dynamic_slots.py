"""START is asked again by the dynamic slot that was made for a job: it may refuse what its parent accepted."""

from __future__ import annotations

import pytest

from htcq.simulate.cycle.cycle import Cycle, run_cycle
from tests.audit.sites import job, policy_slot, pool, schedd, slot, submitter


@pytest.mark.parametrize("make", [slot, policy_slot])
@pytest.mark.parametrize(
    ("start", "is_refused"),
    [
        ("Cpus > 1", True),
        ("MY.Cpus > 1", True),
        ("Cpus > 0", False),
        # A dynamic slot does not have it.
        ("NumDynamicSlots < 3", True),
        ("NumDynamicSlots < 3 || DynamicSlot", False),
        ("TARGET.RequestCpus <= Cpus", False),
    ],
)
def test_a_dynamic_slot_may_refuse_its_job(make: object, start: str, is_refused: bool) -> None:
    assert callable(make)
    ad = make(Cpus=4, Start=start, Requirements="Start && WithinResourceLimits",
              WithinResourceLimits="MY.Cpus >= TARGET.RequestCpus")  # fmt: skip
    trace = run_cycle(pool(ad, submitter(), jobs=[job(Requirements="true", RequestMemory=128)]))

    assert [bool(match.refusal) for match in trace.matches] == [is_refused]


@pytest.mark.parametrize(
    ("start", "got", "refusal"),
    [
        # The changed request does not suit the slot: the request as it came is taken.
        ("TARGET.RequestMemory < 110", 100, ""),
        ("DynamicSlot ?: false || TARGET.RequestMemory < Memory / 32", 100, ""),
        ("DynamicSlot ?: false || TARGET.RequestMemory < Memory / 31", 128, ""),
        # It suits the slot, and not the dynamic slot.
        (
            "TARGET.RequestMemory < TotalSlotMemory",
            0,
            "its Requirements do not hold on the dynamic slot",
        ),
    ],
)
def test_a_request_that_the_startd_changes_must_suit_the_slot_and_the_dynamic_slot(
    start: str, got: int, refusal: str
) -> None:
    """As on 23.9.6 and 25.14.1: without a configuration it asks for a multiple of 128 MB."""
    ad = slot(Cpus=4, Memory=4096, TotalSlotMemory=4096, Start=start,
              Requirements="Start && WithinResourceLimits",
              WithinResourceLimits="MY.Memory >= TARGET.RequestMemory")  # fmt: skip
    given = pool(ad, submitter(), jobs=[job(Requirements="true", RequestMemory=100)])
    cycle = Cycle(given)
    trace = cycle.run()

    assert [match.refusal for match in trace.matches] == [refusal]
    assert [made.claim.amounts.get("memory", 0) for made in cycle.talks.made] == [got]


@pytest.mark.parametrize(
    ("start", "refused"),
    [
        ("NumDynamicSlots < 2 || DynamicSlot", [False, False, True]),
        # The startd hands out 128 MB where the negotiator counts 100.
        ("(DynamicSlot ?: false) || Memory > 4096 - 2 * 128", [False, False, True]),
        ("(DynamicSlot ?: false) || Memory > 4096 - 3 * 128", [False, False, False]),
    ],
)
def test_a_startd_asks_the_slot_as_it_is_when_the_claim_is_made(
    start: str, refused: list[bool]
) -> None:
    """As on 23.9.6 and 25.14.1: the negotiator matches by the ad of the slot from before the cycle."""
    ad = policy_slot(Cpus=4, Memory=4096, NumDynamicSlots=0, NumClaims=9, Start=start,
                     ConsumptionMemory="TARGET.RequestMemory",
                     Requirements="Start && WithinResourceLimits",
                     WithinResourceLimits="MY.Cpus >= TARGET.RequestCpus")  # fmt: skip
    jobs = [job(f"1.{proc}", Requirements="true", RequestMemory=100) for proc in range(3)]
    given = pool(ad, submitter(IdleJobs=3, WeightedIdleJobs=3), jobs=jobs)

    assert [bool(match.refusal) for match in run_cycle(given).matches] == refused


@pytest.mark.parametrize(
    ("start", "refused"),
    [
        ('TARGET.ScheddName == "access1"', []),
        ('TARGET.ScheddName =!= "access1"', [True]),
        ('TARGET.ScheddName =!= "access2"', [False]),
    ],
)
def test_the_startd_alone_knows_the_schedd_of_a_job(start: str, refused: list[bool]) -> None:
    """As on 23.9.6 and 25.14.1: a request does not have it, whatever a capture notes."""
    ad = slot(Cpus=4, Start=start, Requirements="Start && WithinResourceLimits",
              WithinResourceLimits="MY.Cpus >= TARGET.RequestCpus")  # fmt: skip
    waiting = job(Requirements="true", ScheddName='"access1"')

    trace = run_cycle(pool(ad, schedd("access1"), submitter(), jobs=[waiting]))

    assert [bool(match.refusal) for match in trace.matches] == refused
