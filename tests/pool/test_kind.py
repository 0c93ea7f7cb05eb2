"""Slots that are alike, and the arithmetic of consumption_policy.cpp on their own expressions. Numbers by hand."""

from __future__ import annotations

import pytest

from htcq.claims.claim import dynamic_weight
from htcq.classads import UNDEFINED, Ad
from htcq.policy.claim import accounted
from htcq.pool.slot_class import SlotClass, requested, slot_classes
from tests.audit.sites import dynamic_slot, policy_slot, pool, slot, static_slot

MULTI = "min({Cpus, floor(Memory / 2048), floor(Disk / 100000)})"


def kinds(*texts: str) -> tuple[SlotClass, ...]:
    return slot_classes(pool(*texts).slots or ())


def one_kind(text: str) -> SlotClass:
    (kind,) = kinds(text)
    return kind


def job(**asks: int) -> Ad:
    return Ad({f"Request{name}": amount for name, amount in asks.items()})


def test_a_thousand_slots_with_one_policy_are_one_kind() -> None:
    found = kinds(*[policy_slot(f"slot1@node{number}", Cpus=number % 9) for number in range(1000)])

    assert [kind.count for kind in found] == [1000]
    assert found[0].examples == ("slot1@node0", "slot1@node1", "slot1@node2")
    assert found[0].total["cpus"] == 8


def test_some_mb_more_or_less_are_the_same_kind() -> None:
    found = kinds(
        *[
            slot(f"slot1@n{more}", TotalSlotMemory=16384 + more, TotalMemory=16384 + more)
            for more in range(0, 60, 5)
        ]
    )

    assert [kind.count for kind in found] == [12]


@pytest.mark.parametrize(
    "changes",
    [
        {"SlotWeight": "Memory"},
        {"TotalSlotCpus": 16},
        {"TotalSlotMemory": 32768},
        {"ConsumptionCpus": "2"},
        {"MachineResources": '"Cpus Memory"'},
        {"WithinResourceLimits": "false"},
        {"SlotType": '"Static"', "PartitionableSlot": None},
        {"CondorVersion": '"$CondorVersion: 23.9.6 2024-08-08 $"'},
    ],
)
def test_another_policy_shape_or_version_is_another_kind(changes: dict[str, str]) -> None:
    assert len(kinds(policy_slot(), policy_slot("slot1@node2", **changes))) == 2


def test_dynamic_slots_of_one_policy_are_one_kind_whatever_their_size() -> None:
    assert (
        len(
            kinds(
                dynamic_slot(), dynamic_slot("slot1_2@node1", Cpus=4, TotalSlotCpus=4, Memory=9000)
            )
        )
        == 1
    )


def test_variants_show_every_shared_value() -> None:
    (found,) = kinds(slot(), slot("slot1@node2", Start="false"), slot("slot1@node3"))

    assert {each.frame.text("Start") for each in found.variants} == {"true", "false"}
    assert len(found.variants) == 2


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        (policy_slot(), True),
        (slot(), False),
        (policy_slot(ConsumptionGPUs=None), False),
        (policy_slot(ConsumptionSwap="1"), True),
        (policy_slot(ConsumptionCpus="NoSuchThing"), True),
        (policy_slot(MachineResources=None), False),
        (policy_slot(PartitionableSlot="false", SlotType='"Static"'), False),
    ],
)
def test_which_slots_are_matched_by_policy(text: str, supported: bool) -> None:
    """Partitionable, MachineResources is text, and every asset but swap has its expression (cp_supports_policy)."""
    assert one_kind(text).supports_policy is supported


def test_consumption_is_that_of_the_slots_own_expressions() -> None:
    """quantize(2100, 128) = 2176; a request that the job does not make counts as 0."""
    taken = one_kind(policy_slot()).consumed(job(Cpus=2, Memory=2100))

    assert taken == {"cpus": 2, "memory": 2176, "disk": 1, "gpus": 0}


def test_what_a_job_does_not_ask_stays_absent_afterwards() -> None:
    ad = job(Cpus=2)
    one_kind(policy_slot(ConsumptionMemory="TARGET.RequestMemory + 7")).consumed(ad)

    assert ad.value("RequestMemory") is UNDEFINED


def test_consumption_may_look_at_what_the_slot_has_left() -> None:
    kind = one_kind(policy_slot(ConsumptionMemory="MY.Memory / 2"))

    assert kind.consumed(job(Cpus=1))["memory"] == 8192
    assert kind.consumed(job(Cpus=1), {**kind.total, "memory": 100})["memory"] == 50


def test_consumption_that_is_no_number_is_none() -> None:
    assert one_kind(policy_slot(ConsumptionCpus='"1"')).consumed(job(Cpus=1))["cpus"] is None


def test_the_match_cost_is_the_weight_before_less_the_weight_after() -> None:
    """8 cpus, 16384 MB, 20 GB: W = 8; less 1 cpu and 8192 MB it is min(7, 4, 199) = 4."""
    kind = one_kind(policy_slot(SlotWeight=MULTI))
    taken = {"cpus": 1, "memory": 8192, "disk": 1024, "gpus": 0}

    assert kind.full_weight == 8
    assert kind.cost(taken) == 4
    assert kind.cost(taken, {"cpus": 4, "memory": 16384, "disk": 20000000, "gpus": 0}) == 1
    assert dynamic_weight(kind, taken) == 0
    assert dynamic_weight(kind, {**taken, "disk": 200000}) == 1


def test_a_cost_may_be_nothing_or_below() -> None:
    """Nothing is clamped (cp_deduct_assets)."""
    assert one_kind(policy_slot(SlotWeight="-Cpus")).cost({"cpus": 2}) == -2
    assert one_kind(policy_slot(SlotWeight="5")).cost({"cpus": 2}) == 0
    assert one_kind(policy_slot(SlotWeight="Cpus / 0.5")).cost({"cpus": 1.25}) == 2.5


@pytest.mark.parametrize(
    "weight", ["NoSuchThing", '"8"', "1 / 0", "ifThenElse(Cpus < 8, undefined, 8)"]
)
def test_a_weight_that_is_no_number_has_no_cost(weight: str) -> None:
    """There the negotiator exits."""
    assert one_kind(policy_slot(SlotWeight=weight)).cost({"cpus": 1}) is None


@pytest.mark.parametrize(
    ("weight", "charged"),
    [("Cpus", 8), ("-1", 1), ("NoSuchThing", 1), ("error", 1), ("0", 0), ("true", 1)],
)
def test_a_whole_slot_is_charged_its_weight_or_one(weight: str, charged: int) -> None:
    """Accountant::GetSlotWeight."""
    assert one_kind(slot(SlotWeight=weight)).plain_weight() == charged


def test_a_dynamic_slot_is_told_from_its_parent() -> None:
    """The weight of the manual, split by the kind of slot: 1 cpu, 8192 MB -> max(1, 4) = 4."""
    split = f"ifThenElse(DynamicSlot =?= true, max({{Cpus, ceiling(Memory / 2048.0)}}), {MULTI})"
    kind = one_kind(policy_slot(SlotWeight=split))

    assert dynamic_weight(kind, {"cpus": 1, "memory": 8192}) == 4
    assert kind.full_weight == 8


def test_an_asset_without_a_number_is_named() -> None:
    assert one_kind(policy_slot(GPUs=None, TotalSlotGPUs=None)).missing_assets == ("gpus",)
    assert one_kind(policy_slot()).missing_assets == ()


def test_what_is_no_weight_counts_as_one() -> None:
    assert [accounted(weight) for weight in (2, 2.5, -1, "2", UNDEFINED)] == [2, 2.5, 1, 1, 1]


def test_requests_that_are_no_numbers_are_none() -> None:
    assert requested(Ad({"RequestCpus": 2, "RequestMemory": "x"})) == {
        "cpus": 2,
        "memory": None,
        "disk": None,
    }


def test_a_static_slot_is_a_kind_of_its_own() -> None:
    assert one_kind(static_slot()).total == {"cpus": 1, "memory": 2048, "disk": 20000000, "gpus": 0}
