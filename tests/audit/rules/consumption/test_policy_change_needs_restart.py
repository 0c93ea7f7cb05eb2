"""Read in Resource.cpp of 25.14: both are looked at in the constructor of a slot alone."""

from __future__ import annotations

from tests.audit.sites import found, policy_slot, pool, slot

RULE = "policy-change-needs-restart"


ON = "CONSUMPTION_POLICY = True\n"


def test_a_policy_that_does_not_run_yet_is_found() -> None:
    (finding,) = found(RULE, pool(slot(), execute={"node1": ON}))
    assert "has a consumption policy, the slot has none" in finding.message


def test_a_policy_that_still_runs_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(), execute={"node1": "CONSUMPTION_POLICY = False\n"}))
    assert "has no consumption policy, the slot has one" in finding.message


def test_another_number_of_claims_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(), execute={"node1": f"{ON}NUM_CLAIMS = 12\n"}))
    assert "has 12 claims, the slot has 8" in finding.message


def test_what_runs_as_configured_is_fine() -> None:
    text = "SLOT_TYPE_1_CONSUMPTION_POLICY = True\nSLOT_TYPE_1_NUM_CLAIMS = 8\n"
    assert not found(RULE, pool(policy_slot(), execute={"node1": text}))


def test_without_a_number_the_startd_takes_its_own() -> None:
    assert not found(RULE, pool(policy_slot(NumClaims=5), execute={"node1": ON}))


def test_another_slot_type_may_have_a_policy() -> None:
    assert not found(
        RULE, pool(slot(SlotTypeID=2), execute={"node1": "SLOT_TYPE_1_CONSUMPTION_POLICY = True\n"})
    )
