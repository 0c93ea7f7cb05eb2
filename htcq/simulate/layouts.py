"""What a site file's models become on the partitionable slots of a captured machine.

What a model is on a node is said once, by ``htcq.capacity.layout``: a captured machine is such a
node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from htcq.capacity.choice import common_shares
from htcq.capacity.fleet_node import FleetNode
from htcq.capacity.kinds import Chosen
from htcq.capacity.layout import Part, SlotType, lay_out
from htcq.capacity.layout import Slot as Layout
from htcq.errors import HtcqError, ModelError
from htcq.node import Node
from htcq.pool.slot import Slot
from htcq.simulate.captured_nodes import (
    CapturedNode,
    Hardware,
    cpu_shares_of,
    machine_of,
    node_of,
)
from htcq.units import CPUS, DISK, MEMORY, attribute

#: Memory of a slot may differ by so much from what its slot type says: machines of one kind differ
#: by some MB.
_SAME_MEMORY = 0.02


def shape(slot: Slot) -> tuple[object, ...]:
    """Return all that decides about what a model becomes on a slot."""
    machine = tuple(slot.value(f"Total{attribute(asset)}") for asset in slot.assets)
    return (
        slot.value("SlotTypeID"),
        slot.value("CondorVersion"),
        cpu_shares_of(slot),
        *slot.total().items(),
        machine,
    )


def laid_out(
    types: tuple[SlotType, ...], literal: bool, slots: Sequence[Hardware], alone: bool
) -> list[Layout]:
    """Return what the slot types of a site file make of the partitionable ``slots`` of one machine.

    One that is the whole node is meant for every slot, whatever its size. Any others must be those
    that the machine has. ``alone``: the machine has no other slot.

    Raises:
        ModelError: they are not, or a slot cannot carry its model.
        InputError: a slot has nothing to give.
    """
    if len(types) == 1 and not types[0].parts and types[0].count == 1:
        return [_on_slot(types[0], literal, slot, alone) for slot in slots]
    return _by_type(types, literal, slots)


def _on_slot(kind: SlotType, literal: bool, slot: Hardware, alone: bool) -> Layout:
    """Return the one model on a slot of whatever size."""
    has, machine = slot.amounts, machine_of([slot])
    if alone and has[CPUS] == machine[CPUS]:
        return lay_out(node_of(has, slot), (kind,), literal)[0]
    parts: dict[str, Part] = {asset: has.get(asset, 0) for asset in machine}
    parts[DISK] = Fraction(has[DISK], max(1, machine[DISK]))
    part = replace(kind, number=slot.type_id or 1, parts=parts)
    return lay_out(node_of(machine, slot), (part,), literal)[0]


def _by_type(types: tuple[SlotType, ...], literal: bool, slots: Sequence[Hardware]) -> list[Layout]:
    """Return the models of the slots by their slot types, if those are what the file says."""
    laid = {
        each.type.number: each
        for each in lay_out(node_of(machine_of(slots), slots[0]), types, literal)
    }
    shares = common_shares(tuple(kind.choice for kind in types))
    there = [slot.type_id for slot in slots]
    for number, layout in laid.items():
        if there.count(number) != layout.type.count:
            raise ModelError(
                f"it has {there.count(number)} slots of type {number}, there {layout.type.count}"
            )
    for number, slot in zip(there, slots):
        if number not in laid:
            raise ModelError(f"slot type {number} is none of the file's")
        for asset, has in slot.amounts.items():
            would = laid[number].total.get(asset, 0) // (shares if asset == CPUS else 1)
            if asset != DISK and abs(has - would) > (_SAME_MEMORY * has if asset == MEMORY else 0):
                raise ModelError(f"slot type {number} would have {would} {asset}, not {has}")
    return [laid[number] for number in there]


def fleet_of(
    machines: Sequence[CapturedNode], types_for: Callable[[Node], Chosen], literal: bool = False
) -> tuple[tuple[FleetNode, ...], dict[str, list[str]]]:
    """Return ``machines`` with the slots that ``types_for`` makes, and the names that do not fit.

    The names stand by the reason.

    Raises:
        HtcqError: ``types_for`` cannot say what a machine is.
    """
    found: list[FleetNode] = []
    refused: dict[str, list[str]] = {}
    for machine in machines:
        chosen = types_for(machine.node)
        try:
            laid = laid_out(chosen.types, literal, machine.slots, machine.alone)
        except HtcqError as error:
            refused.setdefault(str(error), []).append(machine.name)
            continue
        found.append(FleetNode(machine.name, machine.node, alike_once(laid), chosen.kind))
    return tuple(found), refused


def alike_once(layouts: Sequence[Layout]) -> tuple[Layout, ...]:
    """Return each distinct layout once, with the number of equal ones as its count."""
    found: list[tuple[Layout, int]] = []
    for layout in layouts:
        for place, (other, count) in enumerate(found):
            if _same(layout, other):
                found[place] = (other, count + 1)
                break
        else:
            found.append((layout, 1))
    return tuple(replace(layout, type=replace(layout.type, count=count)) for layout, count in found)


def _same(one: Layout, other: Layout) -> bool:
    return one.total == other.total and one.policy.weight == other.policy.weight
