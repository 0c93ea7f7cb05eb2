"""A slot whose parts weigh more than the whole (matchmaker.cpp:count_effective_slots, 25.14).

Seen on a real pool of 25.14.1: max({Cpus, Memory / 2048}) weighs 8 unused and 12 in use."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import collector, found, look, policy_slot, pool, slot, static_slot

RULE = "weight-grows-as-slot-splits"
GROWS = "max({Cpus, Memory / 2048})"


def test_a_maximum_of_assets_grows() -> None:
    (finding,) = found(RULE, pool(slot(SlotWeight=GROWS), slot("slot1@node2", SlotWeight=GROWS)))

    assert finding.severity is Severity.WARNING
    assert finding.count == 2
    assert finding.message.startswith(
        "SlotWeight is 8 while the slot is unused; with cpus=4, memory=2048"
    )
    assert "its parts weigh 11" in finding.message
    assert "SLOT_WEIGHT" in {each.knob for each in finding.settings}


@pytest.mark.parametrize(
    "weight",
    [
        "Cpus", "Cpus + Memory / 4096.0", "Memory / 2048", "quantize(Cpus, 1)", "floor(Memory / 1024)",
        "min({Cpus, floor(Memory / 2048)})", "NoSuchThing",
        # It says on purpose what a dynamic slot is charged.
        "ifThenElse(DynamicSlot =?= true, max({Cpus, Memory / 2048}), min({Cpus, Memory / 2048}))",
    ],
)  # fmt: skip
def test_other_weights_do_not(weight: str) -> None:
    assert not found(RULE, pool(slot(SlotWeight=weight)))


def test_a_weight_that_counts_slots_grows_with_their_number() -> None:
    (finding,) = found(RULE, pool(slot(SlotWeight="1")))

    assert "its parts weigh 3" in finding.message


def test_slots_that_are_not_split_and_those_with_a_policy_are_another_matter() -> None:
    assert not found(
        RULE, pool(static_slot(SlotWeight=GROWS), policy_slot("slot1@n2", SlotWeight=GROWS))
    )


def test_a_configuration_alone_is_looked_at_on_a_node_of_usual_size() -> None:
    (finding,) = found(RULE, pool(collector(), execute={"node1": f"SLOT_WEIGHT = {GROWS}\n"}))

    assert finding.examples == ("slot1@node1",)


def test_without_either_it_is_not_checked() -> None:
    outcome = look(RULE, pool(collector()))

    assert [each.missing for each in outcome.not_checked] == [
        "slot ads or an execution point's configuration"
    ]
