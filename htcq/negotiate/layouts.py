"""What a site file's models become on the partitionable slots of a captured machine.

What a model is on a node is said once, by ``htcq.capacity.layout``: a captured machine is such a node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from htcq.capacity.choice import common_shares
from htcq.capacity.fixed import TOKEN
from htcq.capacity.layout import Part, SlotType, lay_out
from htcq.capacity.layout import Slot as Layout
from htcq.classads import as_number
from htcq.errors import ModelError
from htcq.node import Node
from htcq.policy.consumption import cpu_shares_in
from htcq.pool.slot import Slot
from htcq.pool.versions import version_text
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, GPUS, MEMORY, attribute

#: Memory of a slot may differ by so much from what its slot type says: machines of one kind differ by some MB.
_SAME_MEMORY = 0.02


def shape(slot: Slot) -> tuple[object, ...]:
    """Return all that decides about what a model becomes on a slot."""
    machine = tuple(slot.value(f"Total{attribute(asset)}") for asset in slot.assets)
    return (
        slot.value("SlotTypeID"), slot.value("CondorVersion"), _shares(slot), *slot.total().items(), machine
    )  # fmt: skip


def laid_out(types: tuple[SlotType, ...], literal: bool, slots: Sequence[Slot], alone: bool) -> list[Layout]:
    """Return what the slot types of a site file make of the partitionable ``slots`` of one machine.

    One that is the whole node is meant for every slot, whatever its size. Any others must be those that the machine
    has. ``alone``: the machine has no other slot.

    Raises:
        ModelError: they are not, or a slot cannot carry its model.
        InputError: a slot has nothing to give.
    """
    if len(types) == 1 and not types[0].parts and types[0].count == 1:
        return [_on_slot(types[0], literal, slot, alone) for slot in slots]
    return _by_type(types, literal, slots)


def _on_slot(kind: SlotType, literal: bool, slot: Slot, alone: bool) -> Layout:
    """Return the one model on a slot of whatever size."""
    has, machine = _amounts(slot), _machine([slot])
    if alone and has[CPUS] == machine[CPUS]:
        return lay_out(_node(has, slot), (kind,), literal)[0]
    parts: dict[str, Part] = {asset: has.get(asset, 0) for asset in machine}
    parts[DISK] = Fraction(has[DISK], max(1, machine[DISK]))
    type_id = as_number(slot.value("SlotTypeID"))
    part = replace(kind, number=int(type_id or 1), parts=parts)
    return lay_out(_node(machine, slot), (part,), literal)[0]


def _by_type(types: tuple[SlotType, ...], literal: bool, slots: Sequence[Slot]) -> list[Layout]:
    """Return the models of the slots by their slot types, if those are what the file says."""
    laid = {each.type.number: each for each in lay_out(_node(_machine(slots), slots[0]), types, literal)}
    shares = common_shares(tuple(kind.choice for kind in types))
    there = [int(as_number(slot.value("SlotTypeID")) or 0) for slot in slots]
    for number, layout in laid.items():
        if there.count(number) != layout.type.count:
            raise ModelError(f"it has {there.count(number)} slots of type {number}, there {layout.type.count}")
    for number, slot in zip(there, slots):
        if number not in laid:
            raise ModelError(f"slot type {number} is none of the file's")
        for asset, has in _amounts(slot).items():
            would = laid[number].total.get(asset, 0) // (shares if asset == CPUS else 1)
            if asset != DISK and abs(has - would) > (_SAME_MEMORY * has if asset == MEMORY else 0):
                raise ModelError(f"slot type {number} would have {would} {asset}, not {has}")
    return [laid[number] for number in there]


def _shares(slot: Slot) -> int:
    return cpu_shares_in(slot.frame.text("ConsumptionCpus"))


def _amounts(slot: Slot) -> dict[str, int]:
    """Return what the slot had at birth, cpus in cores; without what an earlier model put there."""
    has = {asset: int(amount or 0) for asset, amount in slot.total().items() if asset != TOKEN}
    return {**dict.fromkeys(BUILT_IN_ASSETS, 0), **has, CPUS: has.get(CPUS, 0) // _shares(slot)}


def _machine(slots: Sequence[Slot]) -> dict[str, int]:
    """Return what the machine has, cpus in cores; the sum of its slots where they do not say."""
    found = {}
    for asset in dict.fromkeys(asset for slot in slots for asset in _amounts(slot)):
        whole = as_number(slots[0].value(f"Total{attribute(asset)}"))
        total = sum(_amounts(slot).get(asset, 0) for slot in slots)
        found[asset] = total if whole is None else int(whole) // (_shares(slots[0]) if asset == CPUS else 1)
    return found


def _node(has: Mapping[str, int], slot: Slot) -> Node:
    custom = {asset: amount for asset, amount in has.items() if asset not in (*BUILT_IN_ASSETS, GPUS)}
    return Node(
        cpus=has[CPUS], memory_mb=has[MEMORY], disk_kb=has[DISK], gpus=has.get(GPUS, 0), custom=custom,
        condor_version=version_text(slot.value("CondorVersion")),
    )  # fmt: skip
