"""request_memory = 8, and the hold that follows."""

from __future__ import annotations

from tests.audit.sites import found, job, pool, slot

RULE = "memory-unit-missing"
HELD = {"JobStatus": 5, "HoldReasonCode": 34, "HoldReasonSubCode": 102}


def test_a_hold_for_memory_with_a_request_of_few_mb_is_found() -> None:
    (finding,) = found(RULE, pool(slot(), jobs=[job(RequestMemory=8, **HELD)]))
    assert "1 job of ada@site such as 1.0 is on hold for memory and requested 8 MiB" in (
        finding.message
    )


def test_other_holds_and_larger_requests_are_not() -> None:
    given = [
        job("1.0", RequestMemory=2048, **HELD), job("1.1", RequestMemory=8),
        job("1.2", RequestMemory=8, JobStatus=5, HoldReasonCode=1),
    ]  # fmt: skip
    assert not found(RULE, pool(slot(), jobs=given))
