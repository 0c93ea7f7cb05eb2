"""Seen on 25.14.1: four equal slots, jobs of 1 cpu, matched in the order 1, 2, 3, 4, 4, 3, 2, 1, 4, 3."""

from __future__ import annotations

from tests.audit.sites import found, look, policy_slot, pool, slot

RULE = "breadth-first-fill"


def test_the_knob_is_found_beside_a_policy() -> None:
    (finding,) = found(
        RULE,
        pool(policy_slot(), slot("slot1@node2"), config="NEGOTIATOR_MATCHLIST_CACHING = True\n"),
    )
    assert finding.subject == "knob NEGOTIATOR_MATCHLIST_CACHING"
    assert "1 slot has a consumption policy" in finding.message


def test_set_right_it_is_fine() -> None:
    assert not found(RULE, pool(policy_slot(), config="NEGOTIATOR_MATCHLIST_CACHING = False\n"))


def test_without_a_policy_it_is_fine() -> None:
    assert not found(RULE, pool(slot(), config="NEGOTIATOR_MATCHLIST_CACHING = True\n"))


def test_without_the_central_managers_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(policy_slot())).not_checked


def test_htcondors_default_is_on() -> None:
    assert found(RULE, pool(policy_slot(), config="NUM_CPUS = 8\n"))
