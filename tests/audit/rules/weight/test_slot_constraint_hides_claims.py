"""Usage is charged for slots that the negotiator's query returns; constraints were evaluated by hand."""

from __future__ import annotations

import pytest

from tests.audit.sites import dynamic_slot, found, pool, slot, static_slot

RULE = "slot-constraint-hides-claims"


@pytest.mark.parametrize(
    "constraint", ["PartitionableSlot =?= true", 'State != "Claimed"', "DynamicSlot =!= true"]
)
def test_a_constraint_that_hides_dynamic_slots_is_found(constraint: str) -> None:
    slots = [slot(), dynamic_slot(), dynamic_slot("slot1_2@node1", Cpus=2)]
    (finding,) = found(RULE, pool(*slots, config=f"NEGOTIATOR_SLOT_CONSTRAINT = {constraint}\n"))
    assert finding.count == 2
    assert "2 of 2 claimed slots, with a weight of 3" in finding.message


def test_a_claimed_static_slot_that_would_be_seen_if_it_were_free_is_found() -> None:
    slots = [static_slot(State='"Claimed"', RemoteUser='"ada@site"'), static_slot("slot1@b")]
    assert found(RULE, pool(*slots, config='NEGOTIATOR_SLOT_CONSTRAINT = State == "Unclaimed"\n'))


@pytest.mark.parametrize(
    "constraint", ["true", 'Machine == "node1"', "Cpus > 0 || true", 'State != "Owner"']
)
def test_what_hides_whole_machines_or_nothing_is_not(constraint: str) -> None:
    """Two negotiators may share a pool: each sees some machines with all that is on them."""
    slots = [slot(), dynamic_slot(), slot("slot1@node2"), dynamic_slot("slot1_1@node2")]
    assert not found(RULE, pool(*slots, config=f"NEGOTIATOR_SLOT_CONSTRAINT = {constraint}\n"))
