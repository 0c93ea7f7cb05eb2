"""Slots made of a configuration and a node are those that the startd of that configuration advertised.

The startds are those of tests/golden/mixed-site, of HTCondor 25.14.1; its README says where they come from.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.live.configuration import read_dump
from htcq.node import Node
from htcq.operations.pool_source import Source, open_source, read_open
from htcq.pool.configuration import Configuration, configuration_from
from htcq.pool.configured_slots import configured_slots, machine_of
from htcq.pool.slot import DYNAMIC
from htcq.pool.slot_types import shares_of, slot_shapes

GOLDEN = Path(__file__).parents[1] / "golden" / "mixed-site"
VALUES = ("Name", "Machine", "SlotID", "SlotTypeID", "SlotType", "PartitionableSlot", "TotalSlotCpus", "TotalSlotMemory",
          "TotalSlotDisk", "TotalSlotGPUs", "TotalCpus", "TotalMemory", "TotalDisk", "TotalGPUs", "NumClaims",
          "MachineResources", "DetectedMemory")  # fmt: skip
EXPRESSIONS = ("SlotWeight", "Start", "Rank", "Requirements", "ConsumptionCpus", "ConsumptionMemory", "ConsumptionDisk",
               "ConsumptionGPUs")  # fmt: skip


def written(text: str) -> str:
    """Return an expression without what the startd's printing changes."""
    return "".join(text.split()).lower()


@pytest.mark.parametrize("name", ["linear-idle", "linear-busy", "claims-busy"])
def test_slots_are_those_that_the_startd_made(name: str) -> None:
    pool = read_open(open_source(Source(snapshot=str(GOLDEN / f"{name}.tar.gz"))))
    ((machine, configuration),) = pool.execute.items()
    real = [slot for slot in pool.slots or () if slot.type != DYNAMIC]
    detected = int(str(real[0].value("DetectedMemory")))
    # The configuration says how many cpus, how much memory and disk there are; the rest is the machine's.
    made, _ = configured_slots(configuration, Node(2, detected, 1, gpus=4), machine)

    assert len(made) == len(real)
    own = {slot.name: slot for slot in made}
    for slot in real:
        twin = own[slot.name]
        assert [twin.value(each) for each in VALUES] == [slot.value(each) for each in VALUES]
        for each in EXPRESSIONS:
            assert written(twin.frame.text(each)) == written(slot.frame.text(each))


def configuration(text: str) -> Configuration:
    return configuration_from("test", text, read_dump)


MACHINE = {"cpus": 16, "memory": 65536, "disk": 1000000, "gpus": 4}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (None, None, None, None)),
        ("25%", (4, 16384, 250000, 1)),
        ("1/3", (5, 21845, 333333, 1)),
        ("c=1, mem=25%, disk=10%, GPUs=2", (1, 16384, 100000, 2)),
        ("cpus=2, ram=8G, disk=auto, 50%", (2, 8192, None, 2)),
        ("cpus=2 memory=1024", (2, 1024, None, None)),
        ("cpus=2\nmemory=1024\nGPUs=1 : Capability > 8\n", (2, 1024, None, 1)),
        ("cpus=0, memory=0, disk=1%, swap=10%, gpus=0", (1, 1, 10000, 0)),
        ("nonsense=5, cpus=3", (3, None, None, None)),
    ],
)
def test_shares_of_a_slot_type(text: str, expected: tuple[int | None, ...]) -> None:
    """slot_builder.cpp: buildSlotRequest, parse_share_value, compute_local_resource, 25.14."""
    assert tuple(shares_of(text, MACHINE).values()) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [("23.9.6", (2, 8)), ("25.3.1", (2, 8)), ("25.4.0", (2, 8192)), ("", (2, 8192))],
)
def test_an_older_startd_reads_no_units(version: str, expected: tuple[int, int]) -> None:
    text = "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=2, memory=8G disk=auto\n"
    if not version or version > "25.4":
        text = text.replace("8G ", "8G, ")
    node = Node(16, 65536, 2000000, condor_version=version)
    made, _ = configured_slots(configuration(text), node, "node1")

    assert (made[0].value("Cpus"), made[0].value("Memory")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A = 1\n", [(0, 16, 65536, True)]),
        ("NUM_SLOTS = 4\n", [(0, 4, 16384, True)] * 4),
        ("SLOT_TYPE_0_PARTITIONABLE = False\n", [(0, 1, 4096, False)] * 16),
        ("NUM_SLOTS_TYPE_2 = 1\nSLOT_TYPE_2 = 50%\nNUM_SLOTS_TYPE_3 = 2\n",
         [(2, 8, 32768, False), (3, 4, 16384, False), (3, 4, 16384, False)]),
        ("NUM_SLOTS_TYPE_14 = 1\nSLOT_TYPE_14 = 50%\n", [(0, 16, 65536, True)]),
        ("MAX_SLOT_TYPES = 14\nNUM_SLOTS_TYPE_14 = 1\nSLOT_TYPE_14 = 50%\nSLOT_TYPE_14_PARTITIONABLE = True\n",
         [(14, 8, 32768, True)]),
        ("use_me = 1\nNUM_SLOTS_TYPE_1 = 1 + 1\nSLOT_TYPE_1 = cpus=1\n", [(1, 1, 32768, False)] * 2),
    ],
)  # fmt: skip
def test_slots_of_the_types_of_a_machine(
    text: str, expected: list[tuple[int, int, int, bool]]
) -> None:
    found = slot_shapes(configuration(text), MACHINE)

    assert [
        (each.type_id, each.amounts["cpus"], each.amounts["memory"], each.partitionable)
        for each in found
    ] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A = 1\n", {"cpus": 8, "memory": 16384, "disk": 20000000, "gpus": 2, "licence": 3}),
        ("NUM_CPUS = 4\nMEMORY = 4096\nRESERVED_MEMORY = 1024\nDISK = 1000\n",
         {"cpus": 4, "memory": 3072, "disk": 1000, "gpus": 2, "licence": 3}),
        ("RESERVED_MEMORY = 1024\nRESERVED_DISK = 100\nMACHINE_RESOURCE_NAMES = licence, shop\nMACHINE_RESOURCE_shop = a b\n",
         {"cpus": 8, "memory": 15360, "disk": 19897600, "licence": 3, "shop": 2}),
        ("STARTD_DETECT_GPUS = False\nMACHINE_RESOURCE_licence = 7\n",
         {"cpus": 8, "memory": 16384, "disk": 20000000, "licence": 7}),
    ],
)  # fmt: skip
def test_what_a_machine_hands_out(text: str, expected: dict[str, int]) -> None:
    node = Node(8, 16384, 20_000_000, gpus=2, custom={"licence": 3})

    assert machine_of(configuration(text), node) == expected
