"""Read in matchmaker.cpp:negotiate of 25.14: one slot with a policy switches the optimization of job ads off."""

from __future__ import annotations

from tests.audit.sites import dynamic_slot, found, policy_slot, pool, slot, static_slot

RULE = "slow-matching-with-policy"


def test_one_slot_with_a_policy_among_others_is_told() -> None:
    (finding,) = found(RULE, pool(policy_slot(), slot("slot1@node2"), static_slot("slot1@node3")))
    assert finding.message.startswith("1 of 3 slots")


def test_where_all_have_policies_it_cannot_be_helped() -> None:
    assert not found(RULE, pool(policy_slot(), dynamic_slot()))


def test_where_none_has_it_is_not_so() -> None:
    assert not found(RULE, pool(slot(), static_slot("slot1@node2")))
