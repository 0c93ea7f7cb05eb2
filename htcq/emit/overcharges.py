"""Refuses models that charge some jobs more than their match cost, on the given nodes.

The negotiator admits a job by its match cost, and the accountant charges the slot weight of its
dynamic slot for as long as it runs. Where that is more, groups exceed their quotas by the
quotient of the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from htcq.capacity.fill import CLOSE, fill_alone
from htcq.capacity.fleet import fleet_shapes
from htcq.capacity.fleet_node import FleetNode, kinds_of
from htcq.capacity.layout import Slot
from htcq.capacity.shape import Shape
from htcq.errors import PolicyError
from htcq.policy.consumption import NEGOTIATOR, Number
from htcq.units import show_amount, show_number


@dataclass(frozen=True)
class Overcharge:
    """Jobs of one shape whose claims are charged more than their match costs.

    The numbers are means over a full slot of a kind.
    """

    shape: Shape
    kind: str
    match_cost: Number
    standing_charge: Number

    @property
    def factor(self) -> float:
        """Standing charge by match cost."""
        if self.match_cost <= CLOSE:
            return math.inf
        return self.standing_charge / self.match_cost

    def __str__(self) -> str:
        asked = ",".join(
            f"{asset}={show_amount(asset, amount)}" for asset, amount in self.shape.amounts.items()
        )
        times = f"x{show_number(self.factor)}" if math.isfinite(self.factor) else "without bound"
        return (
            f"a job of {asked} on nodes of kind {self.kind} has a match cost of "
            f"{show_number(self.match_cost)} and a "
            f"standing charge of {show_number(self.standing_charge)} ({times})"
        )


def refuse_overcharges(nodes: Sequence[FleetNode], shapes: Sequence[Shape]) -> None:
    """Refuse models under which a shape is charged more than its match cost.

    Without ``shapes``, a typical shape is checked.

    Raises:
        PolicyError: with the worst, and how many more there are.
    """
    found = sorted(overcharges(nodes, shapes or fleet_shapes(nodes)), key=lambda one: -one.factor)
    if not found:
        return
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise PolicyError(
        f"refused, since groups could exceed their quotas: {found[0]}{more}",
        (
            "--model linear holds quotas on all nodes; htcq plan shows all charges; --force writes "
            "it all the same"
        ),
    )


def overcharges(nodes: Sequence[FleetNode], shapes: Sequence[Shape]) -> Iterator[Overcharge]:
    """Yield the shapes and kinds of ``nodes`` where the standing charge exceeds the match cost."""
    for name, members in kinds_of(nodes).items():
        for slot in members[0].slots:
            yield from _on_slot(name, slot, shapes, members[0].node.condor_version)


def _on_slot(kind: str, slot: Slot, shapes: Sequence[Shape], version: str) -> Iterator[Overcharge]:
    # With scheduler splitting one match pays for the whole slot: no charge of a part of it is
    # beyond that.
    if slot.additive or slot.policy.splitting != NEGOTIATOR:
        return
    charges = slot.charges()
    for shape in shapes:
        fill = fill_alone(charges, shape, version)
        running = fill.running[0]
        if running and fill.standing_charge - fill.match_cost > CLOSE * running:
            yield Overcharge(shape, kind, fill.match_cost / running, fill.standing_charge / running)
