"""The startd takes MEMORY as it is configured (phys_mem.cpp:sysapi_phys_memory, 25.14)."""

from __future__ import annotations

from htcq.audit.fix import Setting
from htcq.audit.rule import Severity
from tests.audit.sites import dynamic_slot, found, pool, slot, static_slot

RULE = "memory-above-machine"


def test_slots_with_more_memory_than_the_machine_are_found() -> None:
    (finding,) = found(
        RULE,
        pool(
            slot(DetectedMemory=8192),
            slot("slot1@node2", DetectedMemory=16384),
            execute={"node1": "MEMORY = 16384\n"},
        ),
    )
    assert "offers 16384 MB of memory and has 8192 MB: 100 % too much" in finding.message
    assert finding.severity is Severity.WARNING
    assert ("MEMORY", "16384") in [(fact.attribute, fact.value) for fact in finding.evidence]
    assert finding.examples == ("node1",)
    assert [isinstance(each, Setting) and each.line for each in finding.settings] == [
        "MEMORY = $(DETECTED_MEMORY)"
    ]


def test_several_slots_of_a_machine_count_together() -> None:
    slots = [static_slot(f"slot{number}@node1", DetectedMemory=7000) for number in range(1, 5)]
    (finding,) = found(RULE, pool(*slots))
    assert "8192 MB of memory and has 7000 MB" in finding.message


def test_what_is_within_the_machine_is_not() -> None:
    given = (
        slot(DetectedMemory=16500),
        dynamic_slot(DetectedMemory=16500),
        dynamic_slot("slot1_2@node1"),
    )
    assert not found(RULE, pool(*given))
    assert not found(RULE, pool(slot()))


def test_backfill_slots_share_the_memory() -> None:
    given = (
        slot(DetectedMemory=16384),
        slot("slot2@node1", BackfillSlot="true", DetectedMemory=16384),
    )
    assert not found(RULE, pool(*given))


def test_offline_ads_stand_for_machines_that_are_not_there() -> None:
    assert not found(RULE, pool(slot(Offline="true", DetectedMemory=8192)))
