"""Seen on 25.14.1: a slot leaves the cycle after as many matches as it has claim ids. 8 cpus hold 8 jobs of 1 cpu."""

from __future__ import annotations

from tests.audit.sites import found, job, lines, policy_slot, pool

RULE = "too-few-claims"


def test_fewer_claims_than_jobs_fit_are_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(NumClaims=4), jobs=[job("3.0")]))
    assert finding.message.startswith("8 times job 3.0 would fit")
    assert lines(finding) == ["NUM_CLAIMS = 8"]


def test_the_default_of_one_for_each_cpu_is_enough_for_jobs_of_one_cpu() -> None:
    assert not found(RULE, pool(policy_slot(NumClaims=8), jobs=[job()]))


def test_large_jobs_need_few_claims() -> None:
    assert not found(
        RULE,
        pool(policy_slot(NumClaims=4), jobs=[job(RequestCpus=2), job("2.0", RequestMemory=4096)]),
    )


def test_without_jobs_a_small_one_is_made_up() -> None:
    assert found(RULE, pool(policy_slot(NumClaims=4)))


def test_no_claims_at_all_are_another_matter() -> None:
    assert not found(
        RULE, pool(policy_slot(NumClaims=0), policy_slot("slot1@node2", NumClaims=None))
    )
