"""How far jobs fill a slot of 8 cpus and 16384 MB was computed by hand; a real pool weighed 64 with 32 cpus."""

from __future__ import annotations

import pytest

from htcq.audit.catalog import rule
from htcq.audit.rule import Severity
from tests.audit.sites import found, job, policy_slot, pool, slot

RULE = "weight-ignores-scarce-asset"


def test_a_weight_by_memory_where_cpus_run_out_is_found() -> None:
    """8 jobs of 1 cpu and 512 MB leave 12288 of 16384 MB: weight 12 of 16."""
    (finding,) = found(
        RULE, pool(slot(SlotWeight="floor(Memory/1024)"), jobs=[job(RequestMemory=512)])
    )
    assert finding.severity is Severity.WARNING
    assert (
        "used up the cpus of a slot of weight 16, a weight of 12 is left (75 % on average)"
        in finding.message
    )


def test_of_the_default_weight_it_is_only_worth_knowing() -> None:
    """4 jobs of 4096 MB leave 4 of 8 cpus."""
    (finding,) = found(RULE, pool(slot(), jobs=[job(RequestMemory=4096)]))
    assert finding.severity is Severity.INFO
    assert "memory" in finding.message


def test_of_a_linear_weight_that_counts_what_is_scarce_it_is_only_worth_knowing() -> None:
    """8 jobs of 1 cpu and 128 MB leave 15360 MB: weight 7.5 of 16."""
    (finding,) = found(
        RULE, pool(slot(SlotWeight="Cpus + Memory / 2048.0"), jobs=[job(RequestMemory=128)])
    )
    assert finding.severity is Severity.INFO
    assert "of a slot of weight 16, a weight of 7.5 is left" in finding.message


def test_a_linear_weight_that_does_not_count_what_is_scarce_is_found() -> None:
    """Memory alone has a price: 8 jobs of 512 MB have used up the cpus and leave 12288 MB."""
    (finding,) = found(
        RULE, pool(slot(SlotWeight="Memory / 1024.0"), jobs=[job(RequestMemory=512)])
    )
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "rule_id", [RULE, "slot-exceeds-quota", "weight-not-additive", "weight-overcharges"]
)
def test_the_advice_leads_to_the_linear_model(rule_id: str) -> None:
    advice = rule(rule_id).advice
    assert "linear" in advice
    assert " = " not in advice
    assert "htcq plan" in advice
    assert "min({" not in advice


def test_jobs_count_by_their_number() -> None:
    memory_bound = [job(f"1.{number}", RequestMemory=4096) for number in range(9)]
    cpu_bound = [job(f"2.{number}", RequestMemory=512) for number in range(1)]
    weight = "floor(Memory/1024)"
    assert not found(RULE, pool(slot(SlotWeight=weight), jobs=[*memory_bound, *cpu_bound]))


@pytest.mark.parametrize(
    "weight", ["min({Cpus, floor(Memory/2048)})", "min({Cpus, Memory/2048.0, Disk/2500000.0})"]
)
@pytest.mark.parametrize("memory_mb", [512, 2048, 8192])
def test_a_weight_that_follows_the_scarcest_asset_is_not(weight: str, memory_mb: int) -> None:
    assert not found(
        RULE, pool(policy_slot(SlotWeight=weight), jobs=[job(RequestMemory=memory_mb)])
    )


def test_a_job_that_just_does_not_fit_twice_is_not() -> None:
    assert not found(RULE, pool(slot(), jobs=[job(RequestCpus=5, RequestMemory=1024)]))


def test_a_weight_that_never_falls_is_another_fault() -> None:
    assert not found(RULE, pool(policy_slot(SlotWeight="4"), jobs=[job()]))
