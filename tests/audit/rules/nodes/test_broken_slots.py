"""What a startd publishes of slots that it has declared broken (ResAttributes.cpp:publish_static, 25.14)."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.sites import dynamic_slot, found, pool, slot, static_slot

RULE = "broken-slots"
UNCLEAN = {
    "SlotBrokenCode": 4,
    "SlotBrokenReason": '"Could not clean up after job"',
    "Requirements": '"Could not"',
}


def test_a_broken_machine_is_found_with_what_it_had_and_why() -> None:
    broken = slot("slot1@b", **UNCLEAN, Cpus=0, Memory=0, GPUs=0)
    (finding,) = found(RULE, pool(slot(), broken))
    assert "1 slot broken (a job left something that could not be cleaned up)" in finding.message
    assert "8 of 16 cpus and 16384 of 32768 MB of memory are out of use" in finding.message
    assert finding.subject == "slot slot1@b"
    assert [fact.value for fact in finding.evidence][1] == '"Could not clean up after job"'


def test_a_tenth_of_the_pool_is_an_outage() -> None:
    broken = dynamic_slot("slot1_1@node0", **UNCLEAN, State='"Unclaimed"', Cpus=0, Memory=0)
    many = [slot(f"slot1@node{number}") for number in range(12)]
    (finding,) = found(RULE, pool(*many, broken))
    assert finding.severity is Severity.WARNING
    assert "1 of 96 cpus" in finding.message

    (finding,) = found(RULE, pool(*many[:11], slot("slot1@b", **UNCLEAN, Cpus=0)))
    assert "8 of 96 cpus" in finding.message
    assert finding.severity is Severity.WARNING

    (finding,) = found(RULE, pool(*many[:5], slot("slot1@b", **UNCLEAN, Cpus=0)))
    assert finding.severity is Severity.ERROR


def test_what_deleted_slots_took_with_them_is_found() -> None:
    """TotalSlotCpus of the partitionable slot is without it."""
    smaller = slot(
        BrokenSlotCpus=2, BrokenSlotMemory=4096, TotalSlotCpus=6, TotalSlotMemory=12288, Cpus=6
    )
    (finding,) = found(RULE, pool(smaller))
    assert "2 of 8 cpus and 4096 of 16384 MB" in finding.message


def test_one_reason_is_one_finding() -> None:
    findings = found(
        RULE,
        pool(
            slot("slot1@a", **UNCLEAN, Cpus=0),
            slot("slot1@b", **UNCLEAN, Cpus=0),
            static_slot("slot1@c", SlotBrokenCode=1, SlotBrokenReason='"Not enough GPUs"'),
        ),
    )
    assert sorted(finding.count for finding in findings) == [1, 2]


def test_backfill_slots_are_no_hardware_of_their_own() -> None:
    (finding,) = found(
        RULE, pool(slot("slot1@b", **UNCLEAN, Cpus=0), slot("backfill2@b", BackfillSlot="true"))
    )
    assert "8 of 8 cpus" in finding.message


def test_whole_slots_are_not() -> None:
    assert not found(RULE, pool(slot(), dynamic_slot(), static_slot("slot2@b", State='"Owner"')))
