"""A node of a fleet with its slots, and the kinds that the nodes of a fleet are of.

Nodes are of one kind where the site file gives them one name and their hardware is equal, memory
to two significant digits and disk to a power of two: what HTCondor advertises of disk is what
was free when the startd looked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.capacity.layout import Slot
from htcq.node import Node
from htcq.policy.consumption import Number
from htcq.policy.defaults import ABSOLUTE_DISK, version_tuple
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
        """What all its slots have together, cpus in cores."""
        amounts: dict[str, int] = {}
        for slot in self.slots:
            for asset, amount in slot.total.items():
                if asset in slot.policy.provides:
                    continue
                own = amount // slot.policy.cpu_shares if asset == CPUS else amount
                amounts[asset] = amounts.get(asset, 0) + own * slot.type.count
        return amounts

    @cached_property
    def likeness(self) -> tuple[object, ...]:
        """All in which the nodes of a kind are equal."""
        slots = tuple(
            (slot.type.number, slot.type.count, *_rounded(slot.total)) for slot in self.slots
        )
        return (self.kind, version_tuple(self.node.condor_version) < ABSOLUTE_DISK, slots)

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
    return two_digits(amount) if asset == MEMORY else amount


def _empty_weight(slot: Slot) -> Number:
    charges = slot.charges()
    return charges.weight(charges.pslot(slot.total)) or 0


def one_of_each_kind(nodes: Sequence[FleetNode]) -> tuple[FleetNode, ...]:
    """Return the first node of every kind."""
    firsts: dict[tuple[object, ...], FleetNode] = {}
    for node in nodes:
        firsts.setdefault(node.likeness, node)
    return tuple(firsts.values())


def kinds_of(nodes: Iterable[FleetNode]) -> dict[str, list[FleetNode]]:
    """Return ``nodes`` by the name of their kind, in the order of their first nodes."""
    alike: dict[tuple[object, ...], list[FleetNode]] = {}
    for node in nodes:
        alike.setdefault(node.likeness, []).append(node)
    groups = list(alike.values())
    names = [members[0].kind or hardware(members[0]) for members in groups]
    for detail in (hardware, _with_disk, _with_version):
        names = [
            name if names.count(name) == 1 else _detailed(members[0], detail)
            for name, members in zip(names, groups)
        ]
    names = [
        name if names.count(name) == 1 else f"{name} ({1 + names[:place].count(name)})"
        for place, name in enumerate(names)
    ]
    return dict(zip(names, groups))


def _detailed(node: FleetNode, detail: Callable[[FleetNode], str]) -> str:
    return f"{node.kind}: {detail(node)}" if node.kind else detail(node)


def hardware(node: FleetNode) -> str:
    """Return the hardware of a node in words, such as ``16 cpus, 128 GiB, 4 gpus``.

    Disk differs too often to name a kind.
    """
    slots = sum(slot.type.count for slot in node.slots)
    parts = [f"{node.amounts[CPUS]} cpus", show_rough(MEMORY, node.amounts[MEMORY])]
    parts += [
        f"{amount} {asset}"
        for asset, amount in node.amounts.items()
        if asset not in BUILT_IN_ASSETS and amount
    ]
    if slots > 1:
        parts.append(f"{slots} slots")
    return ", ".join(parts)


def _with_disk(node: FleetNode) -> str:
    return f"{hardware(node)}, {show_rough(DISK, node.amounts[DISK])} disk"


def _with_version(node: FleetNode) -> str:
    version = node.node.condor_version
    return f"{_with_disk(node)}, HTCondor {version}" if version else _with_disk(node)
