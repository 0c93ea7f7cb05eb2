"""Seen on 25.14.1: CONSUMPTION_CPUS = 0 on 3 cpus, five jobs of 1 cpu ran, and the slot said Cpus = -1."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, job, policy_slot, pool, schedd

RULE = "consumes-no-cpu-or-memory"


def test_a_policy_without_cpus_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionCpus="0")))
    assert "takes 0 cpus, but its dynamic slot gets 1 cpu" in finding.message


def test_a_slot_below_zero_is_shown() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionCpus="0", Cpus=-1)))
    assert "Cpus is at -1 already" in finding.message


def test_claims_that_take_a_token_alone_hand_out_what_they_do_not_take() -> None:
    changes = {
        "MachineResources": '"Cpus Memory Disk Swap GPUs Tokens"',
        "ConsumptionTokens": "1",
        "Tokens": 12,
    }
    slots = policy_slot(ConsumptionCpus="0", ConsumptionMemory="0", ConsumptionDisk="0", **changes)
    assert {finding.cause for finding in found(RULE, pool(slots))} == {"Cpus: 0", "Memory: 0"}


def test_a_request_of_nothing_is_rounded_by_the_startd_unless_told_otherwise() -> None:
    bare = policy_slot(ConsumptionCpus="TARGET.RequestCpus")
    assert not found(RULE, pool(bare, jobs=[job(RequestCpus=0)]))
    assert found(
        RULE, pool(bare, execute={"node1": "MODIFY_REQUEST_EXPR_REQUESTCPUS = UNDEFINED\n"})
    )


@pytest.mark.parametrize(
    "text", ["1", "quantize(TARGET.RequestCpus, {1})", "max({1, TARGET.RequestCpus ?: 0})"]
)
def test_at_least_one_cpu_is_fine(text: str) -> None:
    given = pool(
        policy_slot(ConsumptionCpus=text),
        execute={"node1": "MODIFY_REQUEST_EXPR_REQUESTCPUS = UNDEFINED\n"},
    )
    assert not found(RULE, given)


def test_what_takes_nothing_at_all_is_another_matter() -> None:
    nothing = dict.fromkeys(
        ["ConsumptionCpus", "ConsumptionMemory", "ConsumptionDisk", "ConsumptionGPUs"], "0"
    )
    assert not found(RULE, pool(policy_slot(**nothing)))


BARE = policy_slot(ConsumptionCpus="TARGET.RequestCpus")
UNCHANGED = {"node1": "MODIFY_REQUEST_EXPR_REQUESTCPUS = UNDEFINED\n"}


def test_a_job_of_0_cpus_that_nobody_submitted_is_worth_knowing_only() -> None:
    (finding,) = found(RULE, pool(BARE, jobs=[job()], execute=UNCHANGED))
    assert finding.severity is Severity.INFO
    assert "would take 0 cpus" in finding.message


def test_a_job_of_0_cpus_in_the_queue_is_an_error() -> None:
    (finding,) = found(RULE, pool(BARE, jobs=[job(RequestCpus=0)], execute=UNCHANGED))
    assert finding.severity is Severity.ERROR


def test_a_default_request_of_0_cpus_is_an_error_before_anybody_submits() -> None:
    access = {"access1": "JOB_DEFAULT_REQUESTCPUS = 0\n"}
    (finding,) = found(RULE, pool(BARE, schedd(), jobs=[job()], execute=UNCHANGED, access=access))
    assert finding.severity is Severity.ERROR
