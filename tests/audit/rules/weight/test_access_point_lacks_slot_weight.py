"""Expressions that weigh a slot alike, whatever is left of it, were chosen by hand; so were those that do not."""

from __future__ import annotations

import pytest

from tests.audit.sites import collector, found, pool, schedd, slot, static_slot

RULE = "access-point-lacks-slot-weight"


def test_an_access_point_with_the_default_weight_in_another_pool_is_found() -> None:
    slots = [slot(f"slot1@node{number}", SlotWeight="floor(Memory/2048)") for number in range(3)]
    (finding,) = found(
        RULE, pool(*slots, slot("slot1@other"), access={"access1": "UID_DOMAIN = site\n"})
    )
    assert finding.subject == "access point access1"
    assert "3 of 4 slots" in finding.message


def test_a_schedd_that_counts_cpus_is_found() -> None:
    text = "SLOT_WEIGHT = floor(Memory/2048)\nSCHEDD_USE_SLOT_WEIGHT = False\n"
    assert found(RULE, pool(slot(SlotWeight="floor(Memory/2048)"), access={"access1": text}))


def test_a_schedd_beside_the_central_manager_has_its_configuration() -> None:
    ads = [slot(SlotWeight="2*Cpus"), collector("central"), schedd("access1", Machine='"central"')]
    assert found(RULE, pool(*ads, config="SLOT_WEIGHT = Cpus\n"))


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ("Cpus", "UID_DOMAIN = site\n"),
        ("1 * MY.Cpus", "SLOT_WEIGHT = Cpus\n"),
        ("floor(Memory / 2048)", "SLOT_WEIGHT = floor(Memory/2048)\n"),
        ("Memory", "SCHEDD_SLOT_WEIGHT = RequestMemory\n"),
    ],
)
def test_weights_that_agree_are_not(weight: str, text: str) -> None:
    assert not found(RULE, pool(slot(SlotWeight=weight), access={"access1": text}))


def test_a_static_slot_need_only_weigh_the_same_as_a_whole() -> None:
    assert not found(
        RULE,
        pool(static_slot(SlotWeight="Memory/2048"), access={"access1": "SLOT_WEIGHT = Cpus\n"}),
    )


def test_without_slot_weights_they_do_not_matter() -> None:
    given = pool(
        slot(SlotWeight="2*Cpus"),
        config="NEGOTIATOR_USE_SLOT_WEIGHTS = False\n",
        access={"access1": "A = 1\n"},
    )
    assert not found(RULE, given)
