"""The match cost is what SlotWeight loses (cp_deduct_assets, 25.14), so a constant weight makes it 0 by arithmetic."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, policy_slot, pool, slot

RULE = "free-match"


@pytest.mark.parametrize("weight", ["1", "TotalSlotCpus", "TotalCpus / 8", "10 * GPUs"])
def test_a_weight_that_nothing_lowers_is_found(weight: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(SlotWeight=weight)))
    assert "costs nothing" in finding.message


def test_the_proof_is_a_job_of_the_pool() -> None:
    (finding,) = found(RULE, pool(policy_slot(SlotWeight="1"), jobs=[job("7.0")]))
    assert finding.message.startswith("job 7.0 consumes cpus=1")


def test_a_job_that_takes_none_of_what_counts_is_free() -> None:
    """Jobs without GPUs on a slot whose weight counts GPUs alone."""
    assert found(RULE, pool(policy_slot(SlotWeight="GPUs", GPUs=4, TotalSlotGPUs=4), jobs=[job()]))


def test_a_weight_that_counts_cpus_is_not() -> None:
    assert not found(RULE, pool(policy_slot(), jobs=[job()]))


def test_a_weight_that_falls_with_every_eighth_claim_is_not_free() -> None:
    """8 claims of 128 MB are 1 GiB: only some of these matches cost nothing."""
    slots = policy_slot(SlotWeight="floor(Memory / 1024)", ConsumptionMemory="128")
    assert not found(RULE, pool(slots, jobs=[job(RequestMemory=100)]))


def test_jobs_that_start_keeps_out_prove_nothing() -> None:
    """A slot for GPU jobs alone, whose weight counts GPUs."""
    gpus = {"SlotWeight": "GPUs", "GPUs": 4, "TotalSlotGPUs": 4}
    jobs = [job(), job("2.0", RequestGPUs=1)]
    assert not found(RULE, pool(policy_slot(Start="TARGET.RequestGPUs > 0", **gpus), jobs=jobs))


def test_a_slot_that_drains_is_looked_at_all_the_same() -> None:
    assert found(RULE, pool(policy_slot(SlotWeight="1", Start="false"), jobs=[job()]))


def test_without_a_policy_a_match_costs_the_whole_weight() -> None:
    assert not found(RULE, pool(slot(SlotWeight="1")))
