"""Quota for lenders whose jobs return.

The runtime of a group that asks for nothing is 0: without a reserve its first job would wait.

A lender's quota is a little above the weight of its runtime, but never above that of its min. The
reserve comes from what is no group's runtime first, then from borrowers. Within a group that is at
its max, only the groups below it can give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime


@dataclass(frozen=True)
class LenderReserve:
    """The size of the reserve: ``share`` of the weight of the min; 0 for none.

    It is at least the weight of the largest typical job.
    """

    share: float = 0.05


@dataclass
class LeafQuota:
    """The quota of a group without children while it is computed, in parts of slot weight.

    ``parts`` is its quota, ``least`` the weight of its min, ``typical`` the weight of its largest
    job (0: it has none); ``headroom`` is part of its quota, ``given`` was taken from it for others.
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
        """Its quota beyond the weight of its min."""
        return max(0, self.parts - self.least)


def reserve_for_lenders(
    leaves: Mapping[str, LeafQuota],
    outcome: ElasticOutcome,
    free: int,
    unit: int,
    reserve: LenderReserve,
    typical: int,
) -> None:
    """Give the lenders among ``leaves`` their headroom, in whole ``unit``.

    ``free`` is what all leaves together may have.

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
        givers = [each for each in leaves.values() if each is not leaf]
        own = min(wanted, left // unit * unit)
        full = next((group.name for group in outcome.above(leaf.group) if _is_full(group)), None)
        if full is not None:
            own = 0
            givers = [each for each in givers if _is_below(each, full, outcome)]
        got = own + _collect(givers, wanted - own, unit)
        left -= own
        leaf.parts += got
        leaf.headroom = got


def _collect(givers: list[LeafQuota], wanted: int, unit: int) -> int:
    """Take ``wanted`` from borrowers, most from those that borrow most; return what was found."""
    found = 0
    while found < wanted and givers:
        giver = max(givers, key=lambda each: (each.borrowed, each.group.name))
        if giver.borrowed < unit:
            break
        most, second, *_ = [*sorted((each.borrowed for each in givers), reverse=True), 0]
        step = max(unit, (most - second) // unit * unit)
        step = min(step, wanted - found, giver.borrowed // unit * unit)
        giver.parts -= step
        giver.given += step
        found += step
    return found


def _is_full(group: GroupRuntime) -> bool:
    """Tell whether the runtime of a group has reached its max in any dimension that it names."""
    for name, cap in group.max.items():
        if name in group.implied:
            continue
        if cap and group.runtime[name] >= cap:
            return True
    return False


def _is_below(leaf: LeafQuota, name: str, outcome: ElasticOutcome) -> bool:
    return any(group.name == name for group in outcome.above(leaf.group))
