"""Quotas in another unit: the same share of the pool, in whole numbers.

The negotiator cuts every group's limit to a whole number
(src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14): a fraction of a quota would be lost.
What is lost by rounding goes to the groups that lose most (largest remainder), so that siblings
together keep what they had together, and never have more than what is above them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from htcq.quota.group_tree import Group, GroupTree

#: Sums of reals miss a whole number by less than this.
_DUST = 1e-6


def scaled_quotas(tree: GroupTree, factor: float) -> dict[str, float]:
    """Return the static quota of every group that has one, times ``factor`` and rounded."""
    found: dict[str, float] = {}
    for parent in tree.groups:
        children = [tree[name] for name in parent.children]
        found.update(
            _siblings([child for child in children if child.static and child.configured], factor)
        )
    return found


def _siblings(groups: Sequence[Group], factor: float) -> Mapping[str, float]:
    exact = {group.name: group.config_quota * factor for group in groups}
    rounded = {name: math.floor(amount + _DUST) for name, amount in exact.items()}
    spare = math.floor(sum(exact.values()) + _DUST) - sum(rounded.values())
    losers = sorted(exact, key=lambda name: (rounded[name] - exact[name], name))
    for name in losers[:spare]:
        rounded[name] += 1
    for group in groups:
        # A quota that allowed jobs goes on allowing some.
        if group.config_quota >= 1 and rounded[group.name] < 1:
            rounded[group.name] = 1
    return {name: float(amount) for name, amount in rounded.items()}


def scaled_limit(amount: float, factor: float) -> int:
    """Return a submitter's ceiling or floor, a whole number, times ``factor``.

    What was above 0 stays so.
    """
    scaled = math.floor(amount * factor + 0.5)
    return max(1, scaled) if amount > 0 else 0
