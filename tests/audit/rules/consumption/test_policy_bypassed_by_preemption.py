"""Read in matchmaker.cpp:pslotMultiMatch of 25.14: it knows no policy."""

from __future__ import annotations

from tests.audit.sites import found, look, policy_slot, pool, slot

RULE = "policy-bypassed-by-preemption"


def test_the_knob_is_found_beside_a_policy() -> None:
    (finding,) = found(
        RULE, pool(policy_slot(), slot("slot1@node2"), config="ALLOW_PSLOT_PREEMPTION = True\n")
    )
    assert finding.subject == "knob ALLOW_PSLOT_PREEMPTION"
    assert "1 slot has a consumption policy" in finding.message


def test_set_right_it_is_fine() -> None:
    assert not found(RULE, pool(policy_slot(), config="ALLOW_PSLOT_PREEMPTION = False\n"))


def test_without_a_policy_it_is_fine() -> None:
    assert not found(RULE, pool(slot(), config="ALLOW_PSLOT_PREEMPTION = True\n"))


def test_without_the_central_managers_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(policy_slot())).not_checked


def test_htcondors_default_is_fine() -> None:
    assert not found(RULE, pool(policy_slot(), config="NUM_CPUS = 8\n"))
