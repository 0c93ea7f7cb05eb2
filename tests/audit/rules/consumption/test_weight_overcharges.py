"""Measured on 25.14.1 with a claim model on mixed nodes: matches cost 2, claims are charged 8, 112 of 40 are used."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.audit.rule import Severity
from htcq.capacity.choice import Choice
from tests.audit.emitted import mixed_pool
from tests.audit.sites import found, job, policy_slot, pool

RULE = "weight-overcharges"
CLAIMS = Choice(charges={"cpus": Fraction(1), "memory": Fraction(4096)})
LINEAR = Choice(weights={"cpus": Fraction(1), "memory": Fraction(1, 4096), "gpus": Fraction(8)})
DOMINANT = "max({Cpus, ceiling(Memory / 2048.0)})"


def split(left: str, claim: str = DOMINANT) -> str:
    return f"ifThenElse(DynamicSlot =?= true, {claim}, {left})"


def test_the_claim_model_on_mixed_nodes_is_an_error() -> None:
    """16 jobs of 2 cpus and 32 GiB fill a node of 64 claims: each costs 4 on average and is charged 8."""
    (finding,) = found(
        RULE, mixed_pool(CLAIMS, jobs=[job("3.0", RequestCpus=2, RequestMemory=32768)])
    )
    assert finding.severity is Severity.ERROR
    assert finding.subject == "slot slot1@b1"
    assert (
        "the match of job 3.0 costs 4 on average, but SlotWeight of its dynamic slot"
        in finding.message
    )
    assert finding.message.endswith("quotas can be exceeded by a factor of 2")
    assert [fact.value for fact in finding.evidence[1:]] == ["4", "8", "2"]


@pytest.mark.parametrize("asked", [(1, 128), (2, 32768), (16, 4096), (1, 2049), (3, 24105)])
def test_a_linear_weight_charges_what_the_match_costs(asked: tuple[int, int]) -> None:
    cpus, memory = asked
    assert not found(RULE, mixed_pool(LINEAR, jobs=[job(RequestCpus=cpus, RequestMemory=memory)]))


def test_what_a_claim_is_charged_too_much_by_rounding_is_a_warning() -> None:
    """3 jobs of 5000 MB fill 8 claims of 2048 MB: each costs 8 / 3 on average and is charged 3."""
    weight = split("min({Cpus, floor(Memory / 2048)})")
    (finding,) = found(RULE, pool(policy_slot(SlotWeight=weight), jobs=[job(RequestMemory=5000)]))
    assert finding.severity is Severity.WARNING
    assert "costs 2.667 on average" in finding.message
    assert "a factor of 1.11" in finding.message or "a factor of 1.12" in finding.message


def test_a_first_match_that_costs_its_charge_does_not_hide_that_others_cost_less() -> None:
    """On average 1.25 where the first match costs 2: 12 claims of 5 GiB have the weight of 15 charges of 4 GiB."""
    shape = {"Cpus": 16, "TotalSlotCpus": 16, "Memory": 65536, "TotalSlotMemory": 65536}
    weight = "ifThenElse(DynamicSlot =?= true, ceiling(Memory / 4096.0), floor(Memory / 4096))"
    (finding,) = found(
        RULE, pool(policy_slot(SlotWeight=weight, **shape), jobs=[job(RequestMemory=5120)])
    )
    assert "costs 1.25 on average" in finding.message
    assert finding.severity is Severity.ERROR


def test_half_as_much_again_is_the_limit_of_a_warning() -> None:
    given = [
        pool(policy_slot(SlotWeight=split("Cpus", f"{factor} * Cpus")), jobs=[job()])
        for factor in (1.49, 1.5)
    ]
    assert [found(RULE, one)[0].severity for one in given] == [Severity.WARNING, Severity.ERROR]


def test_what_only_made_up_jobs_show_is_a_warning() -> None:
    """A job of 1 cpu and 2048 MB is charged 1 and costs 1; one that takes all of one asset is charged more."""
    shape = {"Cpus": 32, "TotalSlotCpus": 32}
    weight = split("min({Cpus, floor(Memory / 2048)})")
    (finding,) = found(
        RULE, pool(policy_slot(SlotWeight=weight, **shape), jobs=[job(RequestMemory=2048)])
    )
    assert finding.severity is Severity.WARNING
    assert "a job that asks for" in finding.message


def test_the_worst_of_all_slots_with_one_weight_stands_for_them() -> None:
    """5000 MB are charged 3 for 8 / 3; where there are many more cpus than claims 16 cpus are charged 16 for 4."""
    weight = split("min({Cpus, floor(Memory / 2048)})")
    wide = policy_slot("slot1@wide", SlotWeight=weight, Cpus=32, TotalSlotCpus=32)
    jobs = [job(RequestCpus=16, RequestMemory=2048), job("2.0", RequestMemory=5000)]
    (finding,) = found(RULE, pool(policy_slot(SlotWeight=weight), wide, jobs=jobs))
    assert finding.subject == "slot slot1@wide"
    assert finding.severity is Severity.ERROR
    assert finding.count == 2


@pytest.mark.parametrize(
    "weight", ["Cpus", "Cpus + 8 * GPUs", "Memory / 128", "0.1 * Cpus + Memory / 3000.0"]
)
def test_a_weight_that_adds_up_is_not_found(weight: str) -> None:
    assert not found(
        RULE, pool(policy_slot(SlotWeight=weight), jobs=[job(), job("2.0", RequestCpus=3)])
    )


def test_a_claim_that_is_charged_less_is_another_fault() -> None:
    weight = "ifThenElse(DynamicSlot =?= true, 0.75 * Cpus, Cpus)"
    assert not found(RULE, pool(policy_slot(SlotWeight=weight), jobs=[job()]))


def test_matches_that_cost_nothing_are_another_fault() -> None:
    assert not found(RULE, pool(policy_slot(SlotWeight="4"), jobs=[job()]))
