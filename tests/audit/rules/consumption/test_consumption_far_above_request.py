"""16 GiB and 8 cores: a claim of 8 GiB each fills the slot with two jobs of 1,000 MiB (quantize, 25.14)."""

from __future__ import annotations

from tests.audit.sites import found, job, policy_slot, pool

RULE = "consumption-far-above-request"


def test_a_quantum_of_half_the_slot() -> None:
    large = policy_slot(ConsumptionMemory="quantize(TARGET.RequestMemory, {8192})")
    (finding,) = found(RULE, pool(large, jobs=[job(RequestMemory=1000)]))
    assert finding.subject == "slot slot1@node1"
    assert (
        "job 1.0 requests 1000 of memory and takes 8192: 2 such jobs fill the slot, and 8 would "
        "fit" in finding.message
    )
    assert finding.evidence[0].attribute == "ConsumptionMemory"


def test_a_quantum_that_rounds_up_is_not() -> None:
    """128 MiB is the quantum that HTCondor has by default."""
    assert not found(RULE, pool(policy_slot(), jobs=[job(RequestMemory=1000)]))
    assert not found(RULE, pool(policy_slot(), jobs=[job(RequestMemory=1)]))


def test_jobs_as_large_as_the_quantum_are_not() -> None:
    large = policy_slot(ConsumptionMemory="quantize(TARGET.RequestMemory, {8192})")
    assert not found(RULE, pool(large, jobs=[job(RequestMemory=6000)]))


def test_two_threads_of_each_core_and_jobs_that_ask_for_nothing_are_not() -> None:
    doubled = policy_slot(ConsumptionCpus="2 * TARGET.RequestCpus")
    assert not found(RULE, pool(doubled, jobs=[job(RequestMemory=1000)]))
    assert not found(RULE, pool(policy_slot(), jobs=[job(RequestCpus=0, RequestMemory=10)]))
    assert not found(RULE, pool(policy_slot(), jobs=[job(RequestMemory=99999)]))
