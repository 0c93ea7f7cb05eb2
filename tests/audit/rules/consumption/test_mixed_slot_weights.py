"""By arithmetic: a dynamic slot of 1 cpu and 8192 MB weighs 1 in Cpus and 8 in floor(Memory/1024)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, policy_slot, pool, slot, static_slot

RULE = "mixed-slot-weights"


def _usual(count: int = 3) -> list[str]:
    return [slot(f"slot1@usual{number}") for number in range(count)]


def test_another_unit_is_found_and_the_rarer_one_is_blamed() -> None:
    (finding,) = found(RULE, pool(*_usual(), slot("slot1@odd", SlotWeight="floor(Memory / 1024)")))
    assert finding.subject == "slot slot1@odd"
    assert "weighs 8 on it and 1 on 3 other slots" in finding.message


def test_a_site_that_charges_more_for_the_same_job_is_found() -> None:
    odd = policy_slot(
        "slot1@odd", ConsumptionCpus="max({2, TARGET.RequestCpus})", SlotWeight="max({Cpus, 0})"
    )
    assert found(RULE, pool(*_usual(), odd))


@pytest.mark.parametrize(
    "weight",
    ["Cpus", "Cpus + 8 * GPUs", "1.0 * Cpus", "ifThenElse(DynamicSlot =?= true, Cpus, Cpus)"],
)
def test_other_words_for_the_same_unit_are_not(weight: str) -> None:
    assert not found(RULE, pool(*_usual(), slot("slot1@odd", SlotWeight=weight)))


def test_static_slots_are_weighed_like_the_others() -> None:
    assert found(RULE, pool(*_usual(), static_slot("slot1@static", SlotWeight="10")))
    assert not found(RULE, pool(*_usual(), static_slot("slot1@static")))


def test_one_weight_for_all_is_one_unit() -> None:
    assert not found(
        RULE, pool(*[slot(f"slot1@node{number}", SlotWeight="Memory") for number in range(4)])
    )


def test_a_weight_that_the_negotiator_forces_on_all_is_one_unit() -> None:
    given = pool(
        *_usual(),
        slot("slot1@odd", SlotWeight="Memory"),
        config="FORCE_NEGOTIATOR_SLOT_WEIGHT = True\n",
    )
    assert not found(RULE, given)
