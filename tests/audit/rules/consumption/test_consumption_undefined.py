"""The manual's own example names TARGET.RequestGpu, which no job has; read in cp_compute_consumption of 25.14."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, lines, policy_slot, pool, slot

RULE = "consumption-undefined"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TARGET.RequestGpu", "no number"),
        ('"one"', "no number"),
        ("error", "no number"),
        ("-1", "-1"),
        ("TARGET.RequestMemory - 4096", "-3072"),
    ],
)
def test_what_never_matches_is_found(text: str, said: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionGPUs=text), jobs=[job("2.0")]))
    assert finding.message.startswith(f"ConsumptionGPUs is {said} for job 2.0")
    assert lines(finding) == ["CONSUMPTION_GPUS = ceiling(TARGET.RequestGPUs ?: 0)"]


def test_without_jobs_ordinary_ones_are_made_up() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionMemory="TARGET.RequestMem")))
    assert finding.message.startswith(
        "ConsumptionMemory is no number for a job that asks for cpus=1"
    )


def test_a_missing_request_counts_as_nothing() -> None:
    """cp_compute_consumption sets it to 0; what else a missing request does is another rule's business."""
    assert not found(RULE, pool(policy_slot(ConsumptionGPUs="TARGET.RequestGPUs"), jobs=[job()]))


def test_a_truth_value_is_a_number() -> None:
    assert not found(
        RULE, pool(policy_slot(ConsumptionGPUs="TARGET.RequestCpus > 100"), jobs=[job()])
    )


def test_a_job_whose_own_request_is_no_number_is_not_the_policys_fault() -> None:
    given = pool(
        policy_slot(ConsumptionMemory="TARGET.RequestMemory"),
        jobs=[job(RequestMemory="NoSuchThing")],
    )
    assert not found(RULE, given)


def test_without_a_policy_nobody_asks() -> None:
    assert not found(RULE, pool(slot(ConsumptionGPUs="TARGET.RequestGpu")))
