"""Measured on 25.14.1: on 8 cpus, 16384 MB a job of 1 cpu, 8192 MB is charged 4.0 at the match, then 1.0."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, job, policy_slot, pool

RULE = "weight-not-additive"


LEFT = "min({Cpus, floor(Memory / 2048), floor(Disk / 100000)})"
CLAIM = "max({Cpus, ceiling(Memory / 2048.0), ceiling(Disk / 100000.0)})"
POLICY = {
    "ConsumptionMemory": "max({2048, TARGET.RequestMemory})",
    "ConsumptionDisk": "max({100000, TARGET.RequestDisk})",
}


def test_the_measured_leak_is_an_error() -> None:
    given = pool(policy_slot(SlotWeight=LEFT, **POLICY), jobs=[job("3.0", RequestMemory=8192)])
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.ERROR
    assert "the match of job 3.0 costs 4, but SlotWeight of its dynamic slot" in finding.message
    assert [fact.value for fact in finding.evidence[1:]] == ["4", "1"]


def test_the_weight_that_kept_the_charge_is_not_found() -> None:
    weight = f"ifThenElse(DynamicSlot =?= true, {CLAIM}, {LEFT})"
    assert not found(
        RULE, pool(policy_slot(SlotWeight=weight, **POLICY), jobs=[job(RequestMemory=8192)])
    )


def test_a_leak_that_only_later_matches_show_is_found() -> None:
    """16 cpus, 32 charges of 2048 MB, 4 for each job: the first costs 1 and counts 1, all eight cost 16 together."""
    shape = {"Cpus": 16, "TotalSlotCpus": 16, "Memory": 65536, "TotalSlotMemory": 65536}
    weight = "min({Cpus, floor(Memory / 2048)})"
    (finding,) = found(
        RULE, pool(policy_slot(SlotWeight=weight, **shape), jobs=[job(RequestMemory=8192)])
    )
    assert finding.severity is Severity.ERROR
    assert "costs 2 on average, but SlotWeight of its dynamic slot" in finding.message


def test_a_small_leak_is_a_warning() -> None:
    weight = "ifThenElse(DynamicSlot =?= true, 0.75 * Cpus, Cpus)"
    (finding,) = found(RULE, pool(policy_slot(SlotWeight=weight), jobs=[job()]))
    assert finding.severity is Severity.WARNING


def test_what_only_made_up_jobs_show_is_a_warning() -> None:
    """1 cpu and 2048 MB cost 1 and count 1; nobody in this pool asks for more."""
    given = pool(
        policy_slot(SlotWeight=LEFT, **POLICY), jobs=[job(RequestMemory=2048, RequestDisk=100000)]
    )
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.WARNING
    assert "a job that asks for" in finding.message


def test_a_small_claim_that_counts_nothing_is_an_error_though_most_of_its_matches_are_free() -> (
    None
):
    """8 claims of 128 MB cost 1 together, and each of them counts floor(128/1024) = 0."""
    slots = policy_slot(
        SlotWeight="floor(Memory / 1024)", ConsumptionMemory="128", ConsumptionCpus="1"
    )
    (finding,) = found(RULE, pool(slots, jobs=[job(RequestMemory=100)]))
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize("weight", ["Cpus", "Cpus + 8 * GPUs", "2 * Cpus", "Memory / 128"])
def test_a_weight_that_adds_up_is_not_found(weight: str) -> None:
    assert not found(
        RULE, pool(policy_slot(SlotWeight=weight), jobs=[job(), job("2.0", RequestCpus=3)])
    )


def test_being_charged_more_than_the_match_cost_is_no_leak() -> None:
    weight = "ifThenElse(DynamicSlot =?= true, Cpus + 1, Cpus)"
    assert not found(RULE, pool(policy_slot(SlotWeight=weight), jobs=[job()]))
