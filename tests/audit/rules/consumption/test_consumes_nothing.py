"""Read in consumption_policy.cpp:cp_sufficient_assets of 25.14: a match that takes nothing is refused."""

from __future__ import annotations

from tests.audit.sites import found, job, policy_slot, pool, slot

RULE = "consumes-nothing"


NOTHING = {"ConsumptionCpus": "0", "ConsumptionMemory": "0", "ConsumptionDisk": "0"}


def test_a_policy_that_takes_nothing_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(**NOTHING, ConsumptionGPUs="0")))
    assert "consumes 0 of every asset" in finding.message


def test_a_policy_that_charges_gpus_alone_takes_nothing_of_other_jobs() -> None:
    given = pool(policy_slot(**NOTHING, GPUs=4), jobs=[job("5.0")])
    (finding,) = found(RULE, given)
    assert finding.message.startswith("job 5.0")


def test_one_token_is_something() -> None:
    changes = {
        "MachineResources": '"Cpus Memory Disk Swap GPUs Tokens"',
        "ConsumptionTokens": "1",
        "Tokens": 12,
    }
    assert not found(RULE, pool(policy_slot(**NOTHING, **changes)))


def test_a_policy_that_takes_what_is_asked_is_fine() -> None:
    bare = policy_slot(
        ConsumptionCpus="TARGET.RequestCpus", ConsumptionMemory="TARGET.RequestMemory"
    )
    assert not found(RULE, pool(bare, jobs=[job()]))


def test_without_a_policy_nothing_is_taken() -> None:
    assert not found(RULE, pool(slot(**NOTHING)))
