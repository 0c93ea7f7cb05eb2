"""Without slot weights every dynamic slot counts 1 (Accountant.cpp:GetSlotWeight)."""

from __future__ import annotations

from tests.audit.sites import dynamic_slot, found, pool, slot, static_slot

RULE = "weights-off-with-partitionable"
OFF = "NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"


def test_partitionable_slots_without_weights_are_found() -> None:
    (finding,) = found(RULE, pool(slot(), slot("slot1@b"), dynamic_slot(), config=OFF))
    assert finding.count == 2
    assert finding.evidence[0].value == "False"


def test_static_slots_may_do_without() -> None:
    assert not found(RULE, pool(static_slot(), config=OFF))


def test_weights_are_on_by_default() -> None:
    assert not found(RULE, pool(slot(), config="UID_DOMAIN = site\n"))
