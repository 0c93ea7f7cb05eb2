"""The match cost is what SlotWeight loses (cp_deduct_assets, 25.14): with 1 of 8 cpus taken, 0 - 1 is negative."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, policy_slot, pool, slot

RULE = "weight-grows-as-slot-empties"


@pytest.mark.parametrize(
    "weight", ["1.0 / (Cpus + 1)", "TotalSlotCpus - Cpus", "TotalSlotMemory - Memory"]
)
def test_a_weight_that_grows_with_every_match_is_found(weight: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(SlotWeight=weight)))
    assert "the match costs -" in finding.message


def test_growing_half_way_is_enough() -> None:
    """4 of 8 cpus left weigh 4, and 2 of them 10: what is matched in between gives quota back."""
    (finding,) = found(RULE, pool(policy_slot(SlotWeight="ifThenElse(Cpus == 2, 10, Cpus)")))
    assert "are negative" in finding.message


@pytest.mark.parametrize(
    "weight", ["Cpus", "1", "min({Cpus, floor(Memory / 2048)})", "Cpus + 8 * GPUs"]
)
def test_a_weight_that_only_falls_is_not(weight: str) -> None:
    assert not found(RULE, pool(policy_slot(SlotWeight=weight)))


def test_without_a_policy_the_weight_is_charged_as_it_is() -> None:
    assert not found(RULE, pool(slot(SlotWeight="1.0 / Cpus")))
