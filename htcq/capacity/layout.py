"""How a node is divided into partitionable slots: SLOT_TYPE_<N>, and what each of them gets.

The startd gives a slot type the whole part of a percentage
(src/condor_startd.V6/slot_builder.cpp, 25.14); disk is divided by percentages only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Union

from htcq.capacity.choice import LINEAR, Choice, common_shares, realise
from htcq.capacity.model import Counted
from htcq.claims.planned import Charges
from htcq.errors import ModelError
from htcq.node import Node, card_of
from htcq.policy.consumption import Policy, Terms
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, GPUS

#: A part of the machine: a share of it (a fraction up to 1) or an amount in HTCondor's units.
Part = Union[Fraction, int]
WHOLE = Fraction(1)


@dataclass(frozen=True)
class SlotType:
    """One SLOT_TYPE_<number>: the number of slots, their part of each asset, and the model."""

    choice: Choice
    number: int = 1
    count: int = 1
    parts: Mapping[str, Part] = field(default_factory=dict)

    def part(self, asset: str) -> Part:
        """Return the part of ``asset``; a slot type that names no parts is the whole machine."""
        if not self.parts:
            return WHOLE
        return self.parts.get(asset, 0)


@dataclass(frozen=True)
class Slot:
    """A planned partitionable slot: its amounts, the machine's, the model and the policy.

    Cpus are in shares.
    """

    type: SlotType
    total: Mapping[str, int]
    machine: Mapping[str, int]
    counted: Counted
    policy: Policy

    @property
    def additive(self) -> bool:
        """Whether match cost and standing charge are equal by construction.

        They are where the weight is linear.
        """
        return self.counted.name == LINEAR

    def charges(self) -> Charges:
        """Return the policy, parsed, on this slot's amounts."""
        return Charges(self.policy, self.total, self.machine, self.type.number)


def lay_out(node: Node, types: tuple[SlotType, ...], literal: bool = False) -> tuple[Slot, ...]:
    """Return the slots of ``node`` (one for each slot type).

    Raises:
        ModelError: the parts of the types exceed the node, the types contradict each other, or they
            cannot carry their model.
    """
    splittings = {slot_type.choice.splitting for slot_type in types}
    if len(splittings) > 1:
        raise ModelError(
            "slot types with negotiator splitting and scheduler splitting on one node",
            "CLAIM_PARTITIONABLE_LEFTOVERS is one setting for the whole node and consumption "
            "policies need it off",
        )
    shares = common_shares(tuple(slot_type.choice for slot_type in types))
    machine = node.assets()
    machine[CPUS] *= shares
    machine.setdefault(GPUS, 0)
    _check_parts(machine, types)
    _check_sums(machine, types, shares)
    return tuple(_slot(node, slot_type, machine, shares, literal) for slot_type in types)


def _slot(
    node: Node, slot_type: SlotType, machine: Mapping[str, int], shares: int, literal: bool
) -> Slot:
    number, choice = slot_type.number, slot_type.choice
    total = {}
    for asset, have in machine.items():
        total[asset] = _amount(slot_type.part(asset), have, asset, shares)
    for asset in BUILT_IN_ASSETS:
        if total[asset] < 1:
            raise ModelError(
                f"slot type {number} gets no {asset}",
                f'give it a part: {asset} = "50%", or share = "50%"',
            )
    counted = realise(choice, total, shares, node.condor_version, machine, card_of(node))
    terms = Terms(
        total={**total, **counted.provides},
        cpu_shares=shares,
        literal=literal,
        part={asset: _fraction(slot_type.part(asset)) for asset in total},
        prefix=f"HTCQ_{number}",
    )
    policy = counted.policy(terms, choice.splitting)
    provided = dict(policy.provides)
    if provided and slot_type.parts:
        resource = next(iter(provided))
        raise ModelError(
            f"slot type {number}: {policy.name} declares the machine resource {resource}, "
            "which would be divided among all slot types",
            "use --share even, or one slot type for the whole node",
        )
    return Slot(slot_type, {**total, **provided}, {**machine, **provided}, counted, policy)


def _amount(part: Part, have: int, asset: str, shares: int) -> int:
    if isinstance(part, Fraction):
        return int(part * have)
    if asset == CPUS:
        return part * shares
    return part


def _fraction(part: Part) -> float:
    """Return the share, 0 for a plain amount: then the amount itself is written."""
    if isinstance(part, Fraction):
        return float(part)
    return 0.0


def _check_parts(machine: Mapping[str, int], types: tuple[SlotType, ...]) -> None:
    for slot_type in types:
        for asset in slot_type.parts:
            if asset not in machine:
                raise ModelError(
                    f"slot type {slot_type.number}: unknown asset '{asset}'",
                    f"this node has {', '.join(machine)}",
                )


def _check_sums(machine: Mapping[str, int], types: tuple[SlotType, ...], shares: int) -> None:
    for asset, have in machine.items():
        promised = 0
        for slot_type in types:
            amount = _amount(slot_type.part(asset), have, asset, shares)
            promised += slot_type.count * amount
        if promised > have:
            raise ModelError(
                f"the slot types promise {promised} {asset}, but the node has {have}",
                "the startd would refuse to start: make the parts smaller",
            )
        if asset == DISK:
            _check_disk(types)


def _check_disk(types: tuple[SlotType, ...]) -> None:
    for slot_type in types:
        if not isinstance(slot_type.part(DISK), Fraction):
            raise ModelError(
                "disk of a slot type must be a percentage",
                'the startd divides disk by shares: disk = "50%"',
            )


def slot_type_text(slot_type: SlotType, machine: Mapping[str, int], shares: int) -> str:
    """Return the value of SLOT_TYPE_<N>."""
    if not slot_type.parts:
        return "100%"
    texts = []
    for asset, have in machine.items():
        if not have and asset not in BUILT_IN_ASSETS:
            continue
        part = slot_type.part(asset)
        if isinstance(part, Fraction):
            texts.append(f"{asset}={float(part) * 100:g}%")
        else:
            texts.append(f"{asset}={_amount(part, have, asset, shares)}")
    return ", ".join(texts)
