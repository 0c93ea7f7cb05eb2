"""Whole slots where slot weights are off: allocated fractions are collected and handed out.

Follows hgq_recover_remainders and hgq_round_robin of src/condor_negotiator.V6/GroupEntry.cpp,
HTCondor 25.14. The negotiator remembers when a group last got such a slot, or wanted none, and
prefers those for which that is longest ago; after its start and each reconfiguration nobody has had
one, so that quota and then demand decide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from htcq.quota.allocation import Division, GroupAllocation, Level, gather
from htcq.quota.cycle_quotas import SurplusSharing


def recover_remainders(nodes: Sequence[GroupAllocation], sharings: list[SurplusSharing]) -> float:
    """Make every allocation whole and hand out the fractions as whole slots.

    The result is what is left of them. Each division of fractions is added to ``sharings``.
    """

    def share_slots(
        node: GroupAllocation, surplus: float, handed_down: bool
    ) -> tuple[float, list[tuple[GroupAllocation, float]]]:
        node.subtree_requested = float(math.floor(node.subtree_requested))
        if node.subtree_requested <= 0 or surplus < 1:
            return surplus, []
        enough = surplus >= node.subtree_requested
        level = Level(node, surplus, enough, handed_down, remainders=True)
        return level.settle(_take_turns, sharings)

    for node in reversed(nodes):  # what is below a group comes before it
        fraction = node.allocated - math.floor(node.allocated)
        node.allocated = _nearest(node.allocated - fraction)
        node.requested = _nearest(node.requested + fraction)
        gather(node, fraction, share_slots)
    return nodes[0].surplus


def _nearest(amount: float) -> float:
    return float(math.floor(0.5 + amount))


def _take_turns(
    wants: Sequence[float],
    weights: Sequence[float],
    turns: Sequence[float],
    surplus: float,
    outstanding: float,
) -> Division:
    """Hand out whole slots, as many at a time as all could get.

    The one whose last turn is longest ago comes first, then the greatest quota, then the greatest
    request.
    """
    order = sorted(
        range(len(wants)), key=lambda index: (turns[index], -weights[index], -wants[index])
    )
    shares, needs, hungry = [0.0] * len(wants), list(wants), len(wants)
    while surplus >= 1 and outstanding > 0 and hungry:
        most = max(1.0, float(math.floor(surplus / hungry)))
        hungry = 0
        for index in order:
            if needs[index] <= 0:
                continue
            share = min(needs[index], most)
            shares[index] += share
            needs[index] -= share
            surplus -= share
            outstanding -= share
            hungry += needs[index] > 0
            if surplus < most:
                break
    return shares, surplus, outstanding
