"""Read in startd_named_classad_list.cpp of 25.14: what is merged comes after the startd's own values."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, look, policy_slot, pool, slot

RULE = "cron-overrides-accounting"


#: What the healthy slot of these tests is configured with.
SAME = (
    "CONSUMPTION_CPUS = max({1, TARGET.RequestCpus ?: 0})\n"
    "CONSUMPTION_MEMORY = quantize(max({1, TARGET.RequestMemory ?: 0}), 128)\n"
    "CONSUMPTION_DISK = max({1, TARGET.RequestDisk ?: 0})\n"
    "CONSUMPTION_GPUS = TARGET.RequestGPUs ?: 0\n"
    "SLOT_WEIGHT = Cpus\n"
)


@pytest.mark.parametrize("name", ["SlotWeight", "Cpus", "ConsumptionMemory", "machineresources"])
def test_a_list_that_names_what_is_accounted_is_found(name: str) -> None:
    (finding,) = found(
        RULE, pool(policy_slot(), execute={"node1": f"{SAME}STARTD_ATTRS = Foo, {name}\n"})
    )
    assert f"lists {name}" in finding.message


def test_a_weight_that_the_configuration_does_not_have_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(SlotWeight="2 * Cpus"), execute={"node1": SAME}))
    assert (
        "its ad has SlotWeight = 2 * Cpus, on a sample 16, but SLOT_WEIGHT of the configuration "
        "gives 8"
    ) in finding.message


def test_a_consumption_that_the_configuration_does_not_have_is_found() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionMemory="64"), execute={"node1": SAME}))
    assert finding.cause == "ConsumptionMemory: 64"


def test_the_knob_of_the_slot_type_counts() -> None:
    text = f"{SAME}SLOT_TYPE_1_SLOT_WEIGHT = 2 * Cpus\n"
    assert not found(RULE, pool(policy_slot(SlotWeight="2 * Cpus"), execute={"node1": text}))


def test_the_same_in_other_words_is_the_same() -> None:
    given = pool(
        policy_slot(
            SlotWeight="(Cpus)",
            ConsumptionGPUs="ifthenelse(TARGET.RequestGPUs =?= undefined,0,TARGET.RequestGPUs)",
        ),
        execute={"node1": f"{SAME}STARTD_ATTRS = Foo\nFoo = SlotWeight\n"},
    )
    assert not found(RULE, given)


def test_without_a_policy_it_is_none_of_its_business() -> None:
    assert not found(RULE, pool(slot(SlotWeight="2 * Cpus"), execute={"node1": SAME}))


def test_without_a_nodes_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(policy_slot())).not_checked
