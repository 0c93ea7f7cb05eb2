"""Read in command.cpp:request_claim of 25.14: a dynamic slot that does not take its job is deleted, and the claim refused."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import Text, found, job, look, policy_slot, pool, slot

RULE = "start-refuses-dynamic-slots"
ALWAYS = ["Cpus > 4", "NumDynamicSlots < 2", "PartitionableSlot", "SlotType == \"Partitionable\"",
          "TotalSlotMemory > 8000", "DynamicSlot =!= true", "MY.Memory >= 4096"]  # fmt: skip


@pytest.mark.parametrize("start", ALWAYS)
def test_a_start_that_only_whole_slots_fulfil_is_found(start: str) -> None:
    for of in (slot, policy_slot):
        (finding,) = found(RULE, pool(of(Start=start), jobs=[job("5.0")]))
        assert finding.severity is Severity.ERROR
        assert finding.subject == "slot slot1@node1"
        assert finding.message.startswith("job 5.0 is matched with the slot, but the dynamic slot ")
        assert finding.evidence[0].value == start


def test_a_condition_beside_start_is_found() -> None:
    requirements = "Start && WithinResourceLimits && Big"
    (finding,) = found(
        RULE, pool(slot(Requirements=requirements, Big="Cpus >= 2"), jobs=[job("5.0")])
    )
    assert "1 cpus" in finding.message


def test_where_large_jobs_run_it_is_less_of_a_harm() -> None:
    jobs = [job("5.0"), job("6.0", RequestCpus=8)]
    (finding,) = found(RULE, pool(slot(Start="Cpus > 4"), jobs=jobs))

    assert finding.severity is Severity.WARNING
    assert "1 of 2 kinds of jobs" in finding.message


def test_slots_with_one_start_are_one_finding() -> None:
    slots = [slot(f"slot1@node{n}", Start="Cpus > 4") for n in range(1, 4)]
    (finding,) = found(RULE, pool(*slots, jobs=[job()]))

    assert finding.count == 3


@pytest.mark.parametrize(
    "changes",
    [
        {}, {"Start": "TARGET.RequestCpus <= 4"}, {"Start": "Cpus > 0"}, {"Start": "Memory >= TARGET.RequestMemory"},
        {"Start": "DynamicSlot =?= true || (Cpus > 4)"}, {"Start": "(NumDynamicSlots ?: 0) < 2"},
        {"Start": "TotalCpus > 4"}, {"Start": "false"}, {"Start": "TARGET.Nothing"},
    ],
)  # fmt: skip
def test_what_holds_on_dynamic_slots_too_or_is_never_matched_is_fine(
    changes: dict[str, Text],
) -> None:
    assert not found(RULE, pool(slot(**changes), jobs=[job()]))
    assert not found(RULE, pool(policy_slot(**changes), jobs=[job()]))


@pytest.mark.parametrize(
    ("jobs", "missing"),
    [(None, "job ads (jobs.ads)"), ([], "jobs that such slots accept"), ([job(RequestCpus=64)], "jobs that such slots accept")],
)  # fmt: skip
def test_without_a_job_to_try_it_says_that_it_could_not_look(
    jobs: list[str] | None, missing: str
) -> None:
    outcome = look(RULE, pool(slot(Start="Cpus > 4"), jobs=jobs))

    assert not outcome.findings
    assert [each.missing for each in outcome.not_checked] == [missing]


def test_where_start_does_not_look_at_the_slot_no_job_is_needed() -> None:
    assert not found(RULE, pool(slot(Start='TARGET.Owner == "ann"')))
