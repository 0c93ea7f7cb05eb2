"""Read in command.cpp:request_claim of 25.14: a slot with a policy refuses to be claimed as a whole."""

from __future__ import annotations

from tests.audit.sites import found, look, policy_slot, pool, slot

RULE = "claimable-partitionable-with-policy"


ON = "ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS = True\n"
OFF = "ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS = False\n"


def test_on_at_both_ends_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(), access={"access1": ON}, execute={"node1": ON}))
    assert "also" not in finding.message
    assert "access point access1" in finding.message


def test_one_end_alone_does_nothing() -> None:
    assert not found(RULE, pool(policy_slot(), access={"access1": OFF}, execute={"node1": ON}))
    assert not found(RULE, pool(policy_slot(), access={"access1": ON}, execute={"node1": OFF}))


def test_htcondors_default_is_off() -> None:
    assert not found(
        RULE, pool(policy_slot(), access={"access1": ON}, execute={"node1": "NUM_CPUS = 8\n"})
    )


def test_without_a_policy_it_works() -> None:
    assert not found(RULE, pool(slot(), access={"access1": ON}, execute={"node1": ON}))


def test_it_needs_both_configurations() -> None:
    assert look(RULE, pool(policy_slot(), access={"access1": ON})).not_checked
