"""A slot of 8 cpus and 16384 MB that weighs 16; 103 of 368 were left on a real pool when all cpus were used."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import Text, dynamic_slot, found, job, policy_slot, pool, slot

RULE = "stranded-weight"
LINEAR = "Cpus + Memory / 2048.0"


def partly(cpus: int, memory: int, name: str = "slot1@node1", **changes: Text) -> str:
    """Return a slot with so much left."""
    return policy_slot(name, **{"SlotWeight": LINEAR, "Cpus": cpus, "Memory": memory, **changes})


def claims(number: int, cpus: int, memory: int) -> list[str]:
    return [
        dynamic_slot(f"slot1_{each}@node1", Cpus=cpus, Memory=memory, SlotWeight=LINEAR)
        for each in range(1, number + 1)
    ]


def test_the_memory_of_a_slot_without_cpus_is_told_with_its_weight() -> None:
    (finding,) = found(RULE, pool(partly(0, 8192), *claims(8, 1, 1024)))
    assert finding.severity is Severity.INFO
    assert (
        "1 of 1 slot has too few free cores for any idle job: weight 4 (25 % of the pool's 16) "
        "stays unused"
    ) in finding.message
    assert "25 % of the pool's 16" in finding.message


def test_so_are_cpus_without_memory_that_any_idle_job_would_take() -> None:
    """512 MB are left, and the smallest idle job takes 1024."""
    given = (partly(4, 512), *claims(4, 1, 3968))
    (finding,) = found(RULE, pool(*given, jobs=[job(), job("2.0", RequestMemory=4096)]))
    assert "1 of 1 slot has too little free memory" in finding.message
    assert not found(RULE, pool(*given, jobs=[job(), job("2.0", RequestMemory=500)]))


def test_jobs_that_run_already_want_nothing() -> None:
    given = (partly(4, 512), *claims(4, 1, 3968))
    assert not found(RULE, pool(*given, jobs=[job(JobStatus=2, RemoteHost='"slot1_1@node1"')]))


def test_slots_without_a_policy_count_too() -> None:
    (finding,) = found(
        RULE, pool(slot(SlotWeight=LINEAR, Cpus=0, Memory=8192), *claims(8, 1, 1024))
    )
    assert "cores" in finding.message


def test_remnants_are_not() -> None:
    """512 MB weigh 0.25 of 16."""
    assert not found(RULE, pool(partly(0, 512), *claims(8, 1, 1984)))


def test_a_pool_with_room_is_not() -> None:
    assert not found(RULE, pool(partly(8, 16384)))
    assert not found(RULE, pool(partly(1, 8192), *claims(7, 1, 1024)))


@pytest.mark.parametrize(
    "config",
    ["NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = false\n", "NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"],
)
def test_a_pool_that_counts_no_weight_is_not(config: str) -> None:
    assert not found(RULE, pool(partly(0, 8192), *claims(8, 1, 1024), config=config))


@pytest.mark.parametrize(
    "weight", ["min({Cpus, floor(Memory / 2048)})", "max({Cpus, Memory / 2048.0})", "4"]
)
def test_weights_that_are_not_linear_are_other_rules(weight: str) -> None:
    assert not found(RULE, pool(partly(0, 8192, SlotWeight=weight), *claims(8, 1, 1024)))
