"""Read in Accountant.cpp of 25.14: AddMatch stores the cost, GetSlotWeight answers 1 without weights."""

from __future__ import annotations

from tests.audit.sites import found, look, policy_slot, pool, slot

RULE = "unweighted-with-policy"


def test_the_knob_is_found_beside_a_policy() -> None:
    (finding,) = found(
        RULE,
        pool(policy_slot(), slot("slot1@node2"), config="NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"),
    )
    assert finding.subject == "knob NEGOTIATOR_USE_SLOT_WEIGHTS"
    assert "1 slot has a consumption policy" in finding.message


def test_set_right_it_is_fine() -> None:
    assert not found(RULE, pool(policy_slot(), config="NEGOTIATOR_USE_SLOT_WEIGHTS = True\n"))


def test_without_a_policy_it_is_fine() -> None:
    assert not found(RULE, pool(slot(), config="NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"))


def test_without_the_central_managers_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(policy_slot())).not_checked


def test_htcondors_default_is_fine() -> None:
    assert not found(RULE, pool(policy_slot(), config="NUM_CPUS = 8\n"))
