"""Read in Resource.cpp of 25.14: only a partitionable slot ever looks at CONSUMPTION_POLICY."""

from __future__ import annotations

from tests.audit.sites import found, lines, look, pool, slot, static_slot

RULE = "policy-on-static-slots"


def test_a_policy_for_a_type_of_static_slots_is_found() -> None:
    given = pool(static_slot(), execute={"node1": "SLOT_TYPE_1_CONSUMPTION_POLICY = True\n"})
    (finding,) = found(RULE, given)
    assert finding.subject == "slot slot1@node1"
    assert lines(finding) == ["SLOT_TYPE_1_PARTITIONABLE = True"]


def test_a_general_policy_is_found_where_all_slots_are_static_and_counts_them() -> None:
    slots = [static_slot("slot1@node1"), static_slot("slot2@node1", SlotID=2)]
    (finding,) = found(RULE, pool(*slots, execute={"node1": "CONSUMPTION_POLICY = True\n"}))
    assert finding.count == 2


def test_a_general_policy_is_meant_for_the_partitionable_slot_beside() -> None:
    slots = [slot("slot1@node1"), static_slot("slot2@node1", SlotTypeID=2)]
    assert not found(RULE, pool(*slots, execute={"node1": "CONSUMPTION_POLICY = True\n"}))


def test_the_slot_type_has_the_last_word() -> None:
    text = "CONSUMPTION_POLICY = True\nSLOT_TYPE_1_CONSUMPTION_POLICY = False\n"
    assert not found(RULE, pool(static_slot(), execute={"node1": text}))


def test_without_a_policy_there_is_nothing_to_ignore() -> None:
    assert not found(RULE, pool(static_slot(), execute={"node1": "NUM_CPUS = 8\n"}))


def test_the_configuration_of_another_machine_says_nothing() -> None:
    assert not found(RULE, pool(static_slot(), execute={"node2": "CONSUMPTION_POLICY = True\n"}))


def test_without_the_configuration_of_a_node_it_is_not_checked() -> None:
    (missing,) = look(RULE, pool(static_slot())).not_checked
    assert "execute/NAME.txt" in missing.missing
