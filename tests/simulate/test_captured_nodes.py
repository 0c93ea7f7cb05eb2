"""Startds of a captured pool as nodes of a fleet."""

from __future__ import annotations

import pytest

from htcq.capacity.fleet_node import FleetNode
from htcq.capacity.kinds import Chosen
from htcq.settings import settings_from
from htcq.simulate.captured_nodes import captured_nodes, startds_of
from htcq.simulate.layouts import fleet_of
from tests.audit.sites import dynamic_slot, pool, slot, static_slot

WEIGHTS = {"capacity": {"weights": {"cpus": 1, "memory": "0.25/GiB"}}}
TWO_TYPES = {
    "slot_types": {"1": {"part": "50%", "charge": {"cpus": 1}}, "2": {"part": "50%", "claims": 4}}
}
HALF = {
    "Cpus": 4,
    "Memory": 8192,
    "TotalSlotCpus": 4,
    "TotalCpus": "8.0",
    "TotalSlotMemory": 8192,
    "TotalSlotDisk": "10000000.0",
}


def fleet(
    content: dict[str, object], *ads: str
) -> tuple[tuple[FleetNode, ...], dict[str, list[str]]]:
    types = settings_from(content).slot_types
    nodes, left_out = captured_nodes(startds_of(pool(*ads).slots or ()))
    found, refused = fleet_of(nodes, lambda _: Chosen("", types))
    return found, {**left_out, **refused}


def test_a_machine_is_what_its_partitionable_slot_had_at_birth() -> None:
    """What runs there takes nothing away, and a startd with dynamic slots is one node."""
    (node,), left_out = captured_nodes(
        startds_of(pool(slot(Cpus=5, NumDynamicSlots=1), dynamic_slot(Cpus=3)).slots or ())
    )

    assert left_out == {}
    assert (node.name, node.alone) == ("node1", True)
    assert (node.node.cpus, node.node.memory_mb, node.node.disk_kb) == (8, 16384, 20_000_000)
    assert (node.node.condor_version, node.node.hostname) == ("25.14.1", "node1")


def test_startds_that_share_a_machine_are_nodes_of_their_own() -> None:
    ads = [slot(f"slot1@pilot{number}@host", Machine='"host"') for number in (1, 2)]
    found, left_out = fleet(WEIGHTS, *ads)

    assert left_out == {}
    assert [(node.name, node.node.hostname, node.weight()) for node in found] == [
        ("pilot1@host", "host", 12), ("pilot2@host", "host", 12),
    ]  # fmt: skip


def test_several_slots_of_one_size_are_one_node() -> None:
    (node,), _ = fleet(
        WEIGHTS, *(slot(f"slot{number}@node1", SlotTypeID=1, **HALF) for number in (1, 2))
    )

    assert [each.type.count for each in node.slots] == [2]
    assert node.amounts["cpus"] == 8
    assert node.weight() == 12


def test_cards_and_other_resources_belong_to_the_node() -> None:
    ad = slot(
        GPUs=2, TotalSlotGPUs=2, TotalGPUs=2, GPUs_DeviceName='"NVIDIA A100"', Licences=3, TotalSlotLicences=3,
        MachineResources='"Cpus Memory Disk Swap GPUs Licences"',
    )  # fmt: skip
    (node,), _ = captured_nodes(startds_of(pool(ad).slots or ()))

    assert (node.node.gpus, node.node.custom) == (2, {"licences": 3})
    assert [card.name for card in node.node.gpu_devices] == ["NVIDIA A100"]


@pytest.mark.parametrize(
    ("ad", "why"),
    [
        (static_slot("slot1@odd"), "no partitionable slot"),
        (slot("slot1@odd", BackfillSlot="true"), "no partitionable slot"),
        (slot("slot1@odd", Memory=0, TotalSlotMemory=0), "node: memory_mb is 0"),
    ],
)
def test_a_machine_that_is_no_node_is_left_out(ad: str, why: str) -> None:
    found, left_out = fleet(WEIGHTS, slot(), ad)

    assert [node.name for node in found] == ["node1"]
    assert left_out == {why: ["odd"]}


def test_slot_types_must_be_those_of_the_machine() -> None:
    right = [slot(f"slot{number}@right", SlotTypeID=number, **HALF) for number in (1, 2)]
    found, left_out = fleet(TWO_TYPES, *right, slot("slot1@wrong"))

    assert [node.name for node in found] == ["right"]
    assert list(left_out.values()) == [["wrong"]]
