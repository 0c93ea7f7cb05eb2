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


def machine_of(slots: Sequence[Slot]) -> dict[str, int]:
    """Return what the machine has, cpus in cores; the sum of its slots where they do not say."""
    found = {}
    for asset in dict.fromkeys(asset for slot in slots for asset in amounts_of(slot)):
        whole = as_number(slots[0].value(f"Total{attribute(asset)}"))
        total = sum(amounts_of(slot).get(asset, 0) for slot in slots)
        found[asset] = (
            total
            if whole is None
            else int(whole) // (cpu_shares_of(slots[0]) if asset == CPUS else 1)
        )
    return found


def node_of(has: Mapping[str, int], slot: Slot) -> Node:
    """Return the node that has so much and the version of HTCondor of ``slot``.

    Raises:
        InputError: it has no cpu, memory or disk.
    """
    custom = {
        asset: amount for asset, amount in has.items() if asset not in (*BUILT_IN_ASSETS, GPUS)
    }
    card = slot.value("GPUs_DeviceName")
    cards = (Gpu("GPUs", card),) if isinstance(card, str) and has.get(GPUS) else ()
    return Node(
        cpus=has[CPUS],
        memory_mb=has[MEMORY],
        disk_kb=has[DISK],
        gpus=has.get(GPUS, 0),
        custom=custom,
        condor_version=version_text(slot.value("CondorVersion")),
        hostname=str(slot.machine),
        gpu_devices=cards,
    )


@dataclass(frozen=True)
class CapturedNode:
    """One startd with partitionable slots.

    The node that they make, and whether they are all its slots.
    """

    name: str
    node: Node
    slots: tuple[Slot, ...]
    alone: bool


def captured_nodes(slots: Sequence[Slot]) -> tuple[tuple[CapturedNode, ...], dict[str, list[str]]]:
    """Return the nodes with partitionable slots, and the names of all others by reason."""
    startds: dict[str, list[Slot]] = {}
    for slot in slots:
        startds.setdefault(slot.startd or str(slot.machine), []).append(slot)
    found: list[CapturedNode] = []
    left_out: dict[str, list[str]] = {}
    for name, own in startds.items():
        parts = tuple(slot for slot in own if divisible(slot))
        if not parts:
            left_out.setdefault("no partitionable slot", []).append(name)
            continue
        try:
            node = node_of(_together(parts), parts[0])
        except HtcqError as error:
            left_out.setdefault(str(error), []).append(name)
            continue
        found.append(CapturedNode(name, node, parts, stands_alone(own)))
    return tuple(found), left_out


def _together(slots: Sequence[Slot]) -> dict[str, int]:
    """Return what ``slots`` have together: a static slot beside them takes no part in the fleet."""
    found: dict[str, int] = {}
    for slot in slots:
        for asset, amount in amounts_of(slot).items():
            found[asset] = found.get(asset, 0) + amount
    return found
