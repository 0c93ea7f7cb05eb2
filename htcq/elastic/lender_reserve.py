"""Quota for lenders that wake up: the runtime of a group that asks for nothing is 0, and its first job would wait.

A lender's quota is a little more than its runtime is worth, never more than its min is: from
what is nobody's runtime first, then from those who borrow. Within a group that is at its max
only those below it can give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.quota.elastic.group_runtime import GroupRuntime, Outcome


@dataclass(frozen=True)
class LenderReserve:
    """How much: ``share`` of what the min is worth, at least the weight of the largest typical job. 0 for none."""

    share: float = 0.05


@dataclass
class LeafQuota:
    """The quota of one group without others below it while it is made, in parts of slot weight.

    ``parts`` is its quota, ``least`` what its min is worth, ``typical`` the weight of its
    largest job (0: it has none); ``headroom`` is part of its quota, ``given`` was taken out of
    it for others.
    """

    group: GroupRuntime
    parts: int
    least: int
    binding: str
    typical: int
    headroom: int = 0
    given: int = 0

    @property
    def lends(self) -> bool:
        """Whether others may use any of its min."""
        return any(self.group.declared(self.group.lent).values())

    @property
    def borrowed(self) -> int:
        """What it has beyond its min."""
        return max(0, self.parts - self.least)


def reserve_for_lenders(
    leaves: Mapping[str, LeafQuota],
    outcome: Outcome,
    free: int,
    unit: int,
    reserve: LenderReserve,
    typical: int,
) -> None:
    """Give the lenders among ``leaves`` their headroom, in whole ``unit``; ``free`` is what all of them may have.

    ``typical`` is the weight of a typical job of the pool, for groups that have none.
    """
    if reserve.share <= 0:
        return
    left = free - sum(leaf.parts for leaf in leaves.values())
    for leaf in sorted(leaves.values(), key=lambda each: each.group.name):
        if not leaf.lends:
            continue
        wanted = max(int(leaf.least * reserve.share), leaf.typical or typical)
        wanted = max(0, min(leaf.least - leaf.parts, -(-wanted // unit) * unit))
        full = next((group.name for group in outcome.above(leaf.group) if _is_full(group)), None)
        own = min(wanted, left // unit * unit) if full is None else 0
        givers = [
            each
            for each in leaves.values()
            if each is not leaf and (full is None or _is_below(each, full, outcome))
        ]
        got = own + _collect(givers, wanted - own, unit)
        left -= own
        leaf.parts += got
        leaf.headroom = got


def _collect(givers: list[LeafQuota], wanted: int, unit: int) -> int:
    """Take ``wanted`` from those who borrow, most from who has most of it; return what was found."""
    found = 0
    while found < wanted:
        giver = max(givers, key=lambda each: (each.borrowed, each.group.name), default=None)
        if giver is None or giver.borrowed < unit:
            break
        others = sorted((each.borrowed for each in givers), reverse=True)[1:2]
        step = max(unit, (giver.borrowed - (others[0] if others else 0)) // unit * unit)
        step = min(step, wanted - found, giver.borrowed // unit * unit)
        giver.parts -= step
        giver.given += step
        found += step
    return found


def _is_full(group: GroupRuntime) -> bool:
    """Tell whether a group has all that its max lets it have, of anything that it names."""
    return any(
        cap and group.runtime[name] >= cap
        for name, cap in group.max.items()
        if name not in group.implied
    )


def _is_below(leaf: LeafQuota, name: str, outcome: Outcome) -> bool:
    return any(group.name == name for group in outcome.above(leaf.group))
