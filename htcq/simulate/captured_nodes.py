"""The startds of a captured pool as nodes.

What their partitionable slots have, in HTCondor's units.

Slots are called slot<N>@<startd>; a startd is called by the name of its machine, unless several
run there, as those of pilot jobs do (src/condor_startd.V6/Resource.cpp, 25.14).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.capacity.fixed import TOKEN
from htcq.classads import as_number
from htcq.errors import HtcqError
from htcq.node import Gpu, Node
from htcq.policy.consumption import cpu_shares_in
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Slot
from htcq.pool.versions import version_text
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, GPUS, MEMORY, attribute


def divisible(slot: Slot) -> bool:
    """Return whether models apply to ``slot``: partitionable, no backfill slot beside another."""
    backfill = slot.frame.value("BackfillSlot") is True or slot.frame.value("SlotBackfill") is True
    return slot.type == PARTITIONABLE and not backfill


def stands_alone(slots: Sequence[Slot]) -> bool:
    """Return whether a machine has one partitionable slot and its dynamic slots, and no other."""
    others = [slot for slot in slots if slot.type not in (PARTITIONABLE, DYNAMIC)]
    return not others and sum(map(divisible, slots)) == 1


def cpu_shares_of(slot: Slot) -> int:
    """Return how many Cpus a core counts as on ``slot``."""
    return cpu_shares_in(slot.frame.text("ConsumptionCpus"))


def amounts_of(slot: Slot) -> dict[str, int]:
    """Return what the slot had at birth, cpus in cores; without what an earlier model put there."""
    has = {asset: int(amount) for asset, amount in slot.whole().items() if asset != TOKEN}
    return {
        **dict.fromkeys(BUILT_IN_ASSETS, 0),
        **has,
        CPUS: has.get(CPUS, 0) // cpu_shares_of(slot),
    }


@dataclass(frozen=True)
class Hardware:
    """What a partitionable slot says of itself and of its machine, as plain values.

    Nodes are made of it where no ad is evaluated. ``host`` is the machine's name, ``type_id`` 0
    where the ad has none, ``version`` HTCondor's, ``card`` the name of its GPUs. ``amounts`` are
    those of the slot at birth, ``machine`` those that the ad says of the machine; cpus in cores.
    """

    host: str
    type_id: int
    version: str
    card: str
    amounts: Mapping[str, int]
    machine: Mapping[str, int]


@dataclass(frozen=True)
class Startd:
    """One startd with its partitionable slots, and whether it has no others."""

    name: str
    alone: bool
    slots: tuple[Hardware, ...]


def hardware_of(slot: Slot) -> Hardware:
    """Return what ``slot`` says of its hardware."""
    amounts, machine = amounts_of(slot), dict[str, int]()
    for asset in amounts:
        whole = as_number(slot.value(f"Total{attribute(asset)}"))
        if whole is not None:
            machine[asset] = int(whole) // (cpu_shares_of(slot) if asset == CPUS else 1)
    card = slot.value("GPUs_DeviceName")
    return Hardware(
        str(slot.machine),
        int(as_number(slot.value("SlotTypeID")) or 0),
        version_text(slot.value("CondorVersion")),
        card if isinstance(card, str) else "",
        amounts,
        machine,
    )


def startds_of(slots: Sequence[Slot]) -> tuple[Startd, ...]:
    """Return the startds that ``slots`` are of, in the order of their first slots."""
    startds: dict[str, list[Slot]] = {}
    for slot in slots:
        startds.setdefault(slot.startd or str(slot.machine), []).append(slot)
    return tuple(
        Startd(name, stands_alone(own), tuple(hardware_of(each) for each in own if divisible(each)))
        for name, own in startds.items()
    )


def machine_of(slots: Sequence[Hardware]) -> dict[str, int]:
    """Return what the machine has, cpus in cores; the sum of its slots where they do not say."""
    found = {}
    for asset in dict.fromkeys(asset for slot in slots for asset in slot.amounts):
        total = sum(slot.amounts.get(asset, 0) for slot in slots)
        found[asset] = slots[0].machine.get(asset, total)
    return found


def node_of(has: Mapping[str, int], slot: Hardware) -> Node:
    """Return the node that has so much and the version of HTCondor of ``slot``.

    Raises:
        InputError: it has no cpu, memory or disk.
    """
    custom = {
        asset: amount for asset, amount in has.items() if asset not in (*BUILT_IN_ASSETS, GPUS)
    }
    cards = (Gpu("GPUs", slot.card),) if slot.card and has.get(GPUS) else ()
    return Node(
        cpus=has[CPUS],
        memory_mb=has[MEMORY],
        disk_kb=has[DISK],
        gpus=has.get(GPUS, 0),
        custom=custom,
        condor_version=slot.version,
        hostname=slot.host,
        gpu_devices=cards,
    )


@dataclass(frozen=True)
class CapturedNode:
    """One startd with partitionable slots.

    The node that they make, and whether they are all its slots.
    """

    name: str
    node: Node
    slots: tuple[Hardware, ...]
    alone: bool


def captured_nodes(
    startds: Sequence[Startd],
) -> tuple[tuple[CapturedNode, ...], dict[str, list[str]]]:
    """Return the nodes with partitionable slots, and the names of all others by reason."""
    found: list[CapturedNode] = []
    left_out: dict[str, list[str]] = {}
    for startd in startds:
        if not startd.slots:
            left_out.setdefault("no partitionable slot", []).append(startd.name)
            continue
        try:
            node = node_of(_together(startd.slots), startd.slots[0])
        except HtcqError as error:
            left_out.setdefault(str(error), []).append(startd.name)
            continue
        found.append(CapturedNode(startd.name, node, startd.slots, startd.alone))
    return tuple(found), left_out


def _together(slots: Sequence[Hardware]) -> dict[str, int]:
    """Return what ``slots`` have together: a static slot beside them takes no part in the fleet."""
    found: dict[str, int] = {}
    for slot in slots:
        for asset, amount in slot.amounts.items():
            found[asset] = found.get(asset, 0) + amount
    return found
