"""Jobs with concurrency limits on partitionable slots."""

from __future__ import annotations

from tests.audit.sites import found, job, policy_slot, pool, slot

RULE = "limits-start-one-a-cycle"
LIMITED = [job(f"1.{n}", ConcurrencyLimits='"licence"') for n in range(3)]


def test_more_jobs_with_limits_than_slots_are_found() -> None:
    (finding,) = found(RULE, pool(slot(), jobs=LIMITED))
    assert "3 idle jobs such as 1.0 have concurrency limits, and 1 partitionable" in finding.message


def test_a_consumption_policy_or_as_many_slots_are_not() -> None:
    assert not found(RULE, pool(policy_slot(), jobs=LIMITED))
    assert not found(RULE, pool(*(slot(f"slot1@n{n}") for n in range(3)), jobs=LIMITED))
    assert not found(RULE, pool(slot(), jobs=[job(f"1.{n}") for n in range(3)]))


def test_limits_that_are_no_string_in_any_slot_are_none() -> None:
    def limited(limits: str) -> list[object]:
        jobs = [job(f"1.{n}", ConcurrencyLimits=limits) for n in range(3)]
        return list(found(RULE, pool(slot(), jobs=jobs)))

    assert not limited("undefined")
    assert not limited('ifThenElse(TARGET.Arch == "NONE", "licence", undefined)')
    assert limited('ifThenElse(TARGET.Cpus > 0, "licence", undefined)')
