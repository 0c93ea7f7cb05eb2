"""The size of one step of the quotas.

Small changes wait, large ones take several steps, and mins are granted at once.

Each group's quota without those of the groups below it is an item of its own, so that sums hold
whatever moves. All is done in whole thousandths of slot weight, or in whole weights where every
number is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS
from htcq.quota.elastic.share import ShareClaim, split_hamilton

#: Of a thousandth: what floating point may take off a whole number.
_SLACK = 1e-3
SMALL, HELD, MOVING = "small", "held", "moving"


@dataclass(frozen=True)
class StepLimits:
    """How much quotas may change at once; see WriteSettings.

    Amounts are in slot weight, as a part of a quota, or as a part of the pool; times in seconds.
    """

    min_change: float = 1.0
    min_change_part: float = 0.02
    max_raise: float = 0.1
    max_lower: float = 0.05
    hold_time: float = 600.0


@dataclass(frozen=True)
class Damped:
    """The quotas of a step by group, and why a quota is not its target: small, held or moving."""

    quotas: Mapping[str, float]
    why: Mapping[str, str]


@dataclass
class _Item:
    """One group without those below it, in parts of a slot weight.

    ``old`` is its quota now, ``goal`` its target, ``least`` what it must have.
    """

    name: str
    old: int
    goal: int
    least: int
    held: bool
    small: bool = False
    new: int = 0

    @property
    def raising(self) -> int:
        if self.held or self.small:
            return 0
        return max(0, self.goal - self.new)

    def lowering(self, forced: bool) -> int:
        if (self.held or self.small) and not forced:
            return 0
        return max(0, self.new - self.goal)

    @property
    def why(self) -> str:
        """Why the quota is not its target."""
        if self.held:
            return HELD
        if self.small:
            return SMALL
        return MOVING

    @property
    def is_whole(self) -> bool:
        """Whether all of its amounts are whole slot weights."""
        return all(amount % PARTS == 0 for amount in (self.old, self.goal, self.least))


def damp(
    targets: Iterable[QuotaTarget],
    before: Mapping[str, float],
    mins: Mapping[str, float],
    pool_weight: float,
    changed: Mapping[str, float],
    now: float,
    limits: StepLimits,
) -> Damped:
    """Return the next quotas on the way from ``before`` to ``targets``.

    A group that is not in ``before`` has a quota of 0.

    ``mins`` has the weight of each group's min; up to it a group is raised at once, and others
    make room at once. ``changed`` has when the quotas of groups were changed last, by the same
    clock as ``now``. The targets must fit into ``pool_weight``; then the quotas do too.
    """
    known = list(targets)
    items = _items(known, before, mins)
    for item in items:
        item.held = now - changed.get(item.name, float("-inf")) < limits.hold_time
        difference = abs(item.goal - item.old)
        item.small = difference < max(limits.min_change * PARTS, limits.min_change_part * item.old)
        item.new = max(item.old, item.least)
    unit = PARTS if all(item.is_whole for item in items) else 1
    _move(items, math.floor(pool_weight * PARTS + _SLACK), limits, unit)
    why = {item.name: item.why for item in items if item.new != item.goal}
    return Damped(_summed(known, items), why)


def _items(
    known: list[QuotaTarget], before: Mapping[str, float], mins: Mapping[str, float]
) -> list[_Item]:
    """Return every group's own part: its quota less those of the groups right below it."""
    children: dict[str, list[str]] = {}
    for each in known:
        children.setdefault(each.parent, []).append(each.group)

    def own(amounts: Mapping[str, float], each: QuotaTarget) -> int:
        below = sum(_parts(amounts.get(name, 0.0)) for name in children.get(each.group, ()))
        return max(0, _parts(amounts.get(each.group, 0.0)) - below)

    goals = {each.group: each.quota for each in known}
    items = []
    for each in known:
        goal = own(goals, each)
        items.append(
            _Item(each.group, own(before, each), goal, min(goal, own(mins, each)), held=False)
        )
    return items


def _parts(amount: float) -> int:
    return round(amount * PARTS)


def _move(items: list[_Item], pool: int, limits: StepLimits, unit: int) -> None:
    """Lower what must or may be lowered, then raise what there is room for."""
    most = _whole(limits.max_raise * pool, unit)
    raising = there = willing = 0
    for item in items:
        raising += item.raising
        there += item.new
        willing += item.lowering(forced=False)
    wanted = min(most, raising)
    forced = max(0, there - pool)
    needed = min(most, max(0, there + wanted - pool))
    lowered = min(willing, max(forced, needed, _whole(limits.max_lower * pool, unit)))
    _lower(items, lowered, False, unit)
    if lowered < forced:
        _lower(items, forced - lowered, True, unit)
    left = pool - sum(item.new for item in items)
    _raise(items, min(wanted, max(0, left)), unit)


def _whole(amount: float, unit: int) -> int:
    """Return ``amount`` in whole units, at least one.

    Otherwise nothing would ever change in a small pool.
    """
    return max(1, int(amount) // unit) * unit


def _lower(items: list[_Item], amount: int, forced: bool, unit: int) -> None:
    amount = -(-amount // unit) * unit
    for item, part in _split(amount, [(item, item.lowering(forced)) for item in items], unit):
        item.new -= part


def _raise(items: list[_Item], amount: int, unit: int) -> None:
    for item, part in _split(amount, [(item, item.raising) for item in items], unit):
        item.new += part


def _split(amount: int, wishes: list[tuple[_Item, int]], unit: int) -> list[tuple[_Item, int]]:
    """Return the part of ``amount`` that each item gets, in whole units.

    The parts are in proportion to the wishes, and none exceeds its wish.
    """
    having = [(item, wish // unit) for item, wish in wishes if wish >= unit]
    together = sum(wish for _, wish in having)
    units = min(amount // unit, together)
    if units <= 0:
        return []
    claims = [ShareClaim(item.name, 0, wish, wish) for item, wish in having]
    shares = split_hamilton(units, claims, together)
    return [(item, share * unit) for (item, _), (share, _) in zip(having, shares)]


def _summed(known: list[QuotaTarget], items: list[_Item]) -> dict[str, float]:
    """Return every group's quota with those of all groups below it."""
    own = {item.name: item.new for item in items}
    by_name = {each.group: each for each in known}
    totals = dict.fromkeys(own, 0)
    for name, amount in own.items():
        above: str = name
        while above:
            totals[above] += amount
            above = by_name[above].parent
    return {name: amount / PARTS for name, amount in totals.items()}
