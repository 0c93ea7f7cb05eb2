"""Nodes of a fleet with their slots, and the kinds of these nodes.

Nodes are of one kind where the site file gives them one name and their hardware is equal, memory
to two significant digits and disk to a power of two: HTCondor advertises the disk that was
free when the startd measured it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.capacity.layout import Slot
from htcq.htcondor.releases import ABSOLUTE_DISK
from htcq.node import Node
from htcq.policy.consumption import Number
from htcq.policy.defaults import version_tuple
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY, show_rough, two_digits


@dataclass(frozen=True)
class FleetNode:
    """One node and its slots.

    ``kind`` is the name that the site file gives it, empty where it gives none.
    """

    name: str
    node: Node
    slots: tuple[Slot, ...]
    kind: str = ""

    @cached_property
    def amounts(self) -> dict[str, int]:
        """The amounts of all its slots together, cpus in cores."""
        amounts: dict[str, int] = {}
        for slot in self.slots:
            for asset, amount in slot.total.items():
                if asset in slot.policy.provides:
                    continue
                if asset == CPUS:
                    amount //= slot.policy.cpu_shares
                amounts[asset] = amounts.get(asset, 0) + amount * slot.type.count
        return amounts

    @cached_property
    def kind_facts(self) -> tuple[object, ...]:
        """The facts in which all nodes of a kind are equal."""
        slots = [(each.type.number, each.type.count, *_rounded(each.total)) for each in self.slots]
        adds_slop = not ABSOLUTE_DISK.holds(version_tuple(self.node.condor_version))
        return (self.kind, adds_slop, tuple(slots))

    def weight(self) -> Number:
        """Return the slot weight of the empty node."""
        return sum(_empty_weight(slot) * slot.type.count for slot in self.slots)


def _rounded(total: Mapping[str, int]) -> tuple[tuple[str, float], ...]:
    return tuple((asset, _coarse(asset, amount)) for asset, amount in sorted(total.items()))


def _coarse(asset: str, amount: int) -> float:
    """Return one number for all amounts near ``amount``.

    Free disk differs most, and all the time.
    """
    if asset == DISK:
        return round(math.log2(max(1, amount)))
    if asset == MEMORY:
        return two_digits(amount)
    return amount


def _empty_weight(slot: Slot) -> Number:
    charges = slot.charges()
    return charges.weight(charges.pslot(slot.total)) or 0


def one_of_each_kind(nodes: Sequence[FleetNode]) -> tuple[FleetNode, ...]:
    """Return the first node of every kind."""
    firsts: dict[tuple[object, ...], FleetNode] = {}
    for node in nodes:
        firsts.setdefault(node.kind_facts, node)
    return tuple(firsts.values())


def kinds_of(nodes: Iterable[FleetNode]) -> dict[str, list[FleetNode]]:
    """Return ``nodes`` by the name of their kind, in the order of their first nodes."""
    alike: dict[tuple[object, ...], list[FleetNode]] = {}
    for node in nodes:
        alike.setdefault(node.kind_facts, []).append(node)
    groups = list(alike.values())
    firsts = [members[0] for members in groups]
    return dict(zip(_distinct_names(firsts), groups))


def _distinct_names(firsts: Sequence[FleetNode]) -> list[str]:
    """Return a name for each kind, of which ``firsts`` are the first nodes.

    Kinds of one name get more and more details, and at last a number.
    """
    names = [node.kind or hardware(node) for node in firsts]
    for detail in (hardware, _with_disk, _with_version):
        shared = {name for name in names if names.count(name) > 1}
        for place, node in enumerate(firsts):
            if names[place] in shared:
                names[place] = _detailed(node, detail)
    numbered = []
    for place, name in enumerate(names):
        if names.count(name) > 1:
            number = 1 + names[:place].count(name)
            name = f"{name} ({number})"
        numbered.append(name)
    return numbered


def _detailed(node: FleetNode, detail: Callable[[FleetNode], str]) -> str:
    if node.kind:
        return f"{node.kind}: {detail(node)}"
    return detail(node)


def hardware(node: FleetNode) -> str:
    """Return the hardware of a node in words, such as ``16 cpus, 128 GiB, 4 gpus``.

    Disk differs too often to name a kind.
    """
    parts = [f"{node.amounts[CPUS]} cpus", show_rough(MEMORY, node.amounts[MEMORY])]
    for asset, amount in node.amounts.items():
        if amount and asset not in BUILT_IN_ASSETS:
            parts.append(f"{amount} {asset}")
    slots = sum(slot.type.count for slot in node.slots)
    if slots > 1:
        parts.append(f"{slots} slots")
    return ", ".join(parts)


def _with_disk(node: FleetNode) -> str:
    return f"{hardware(node)}, {show_rough(DISK, node.amounts[DISK])} disk"


def _with_version(node: FleetNode) -> str:
    version = node.node.condor_version
    if not version:
        return _with_disk(node)
    return f"{_with_disk(node)}, HTCondor {version}"
