"""Checked with HTCondor's ClassAd library: quantize(0,{128}) is 128, quantize(0,128) is 0 (fnCall.cpp, 25.14)."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.sites import found, job, look, policy_slot, pool

RULE = "minimum-charge-by-list"


def test_a_job_that_asks_for_nothing_is_charged_a_quantum() -> None:
    given = pool(
        policy_slot(ConsumptionMemory="quantize(TARGET.RequestMemory, {128})"),
        jobs=[job("6.0", RequestMemory=0)],
    )
    (finding,) = found(RULE, given)
    assert finding.message.startswith("job 6.0 requests no memory and is charged 128")
    assert finding.severity is Severity.INFO


def test_a_job_without_the_request_is_charged_the_same() -> None:
    given = pool(
        policy_slot(ConsumptionDisk="quantize(TARGET.RequestDisk, {1024})"),
        jobs=[job(RequestDisk=None)],
    )
    (finding,) = found(RULE, given)
    assert "is charged 1024" in finding.message


def test_a_quantum_without_braces_charges_nothing() -> None:
    given = pool(
        policy_slot(ConsumptionMemory="quantize(TARGET.RequestMemory, 128)"),
        jobs=[job(RequestMemory=0)],
    )
    assert not found(RULE, given)


def test_the_one_cpu_that_every_claim_gets_is_no_extra_charge() -> None:
    given = pool(
        policy_slot(ConsumptionCpus="quantize(TARGET.RequestCpus, {1})"), jobs=[job(RequestCpus=0)]
    )
    assert not found(RULE, given)


def test_jobs_that_ask_are_charged_what_they_ask() -> None:
    given = pool(
        policy_slot(ConsumptionMemory="quantize(TARGET.RequestMemory, {128})"), jobs=[job()]
    )
    assert not found(RULE, given)


def test_without_jobs_it_is_not_checked() -> None:
    assert look(RULE, pool(policy_slot())).not_checked
