"""Slots that can take no job whatever their state is: broken ones, and those without an asset.

What waiting jobs would use of them is counted by amounts alone, as if they were whole: their own
ads say nothing of it any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from htcq.balance.amounts import Amounts, Weighed
from htcq.balance.filling import Filling
from htcq.balance.lifting import Gain, Lifting
from htcq.balance.wanting import Waiting
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_shortages import DEFAULT_DISK_KB, ENOUGH, lost_with_slots, without_asset
from htcq.pool.slot_state import BROKEN, is_broken
from htcq.units import DISK


class Lost(NamedTuple):
    """Alike slots that are lost for one cause, how many they are, and what they would be worth.

    ``left`` is what each has for jobs, ``whole`` what it would have without the cause.
    """

    cause: str
    slot: Slot
    number: int
    amounts: Amounts
    left: Mapping[str, Number]
    whole: Mapping[str, Number]


def lost_with(slot: Slot, left: Mapping[str, Number], weighed: Weighed) -> Lost | None:
    """Return what a slot, with so much left, has lost with dynamic slots that broke."""
    lost = {} if is_broken(slot) else lost_with_slots(slot)
    if not lost:
        return None
    before = slot.whole()
    whole, born = (
        {**each, **{asset: each.get(asset, 0) + lost[asset] for asset in lost}}
        for each in (left, before)
    )
    amounts = weighed.with_left(slot, born).minus(weighed.with_left(slot, before))
    return Lost(BROKEN, slot, 1, amounts, left, whole)


def with_enough(
    slot: Slot, left: Mapping[str, Number], waiting: Sequence[Waiting], filling: Filling
) -> Mapping[str, Number]:
    """Return what an empty slot would have with enough memory and disk; nothing where it has.

    Less disk than jobs get that ask for none is too little where it keeps one of those that wait.
    """
    whole = without_asset(slot, left)
    if whole or left.get(DISK, DEFAULT_DISK_KB) >= DEFAULT_DISK_KB:
        return whole
    more = {**left, DISK: DEFAULT_DISK_KB}
    for one in waiting:
        if one.cause or filling.lacks(slot, left, one) != {DISK}:
            continue
        if not filling.lacks(slot, more, one):
            return {**left, DISK: ENOUGH}
    return {}


def lift_lost(found: Sequence[Lost], lifting: Lifting) -> None:
    """Note what waiting jobs would use of all that is lost; broken slots weigh nothing now."""
    rest = [each.number for each in lifting.waiting]
    for lost in found:
        if lost.cause == BROKEN:
            lifting.limits(BROKEN, lasts=True).widen(float(lost.amounts.weight))
    for lost in found:
        _lift(lost, lifting, rest)


def _lift(lost: Lost, lifting: Lifting, rest: list[int]) -> None:
    """Note what of the ``rest`` of the waiting jobs would run there, and take them away.

    What the slots are worth is divided by the number of the jobs.
    """
    limits = lifting.limits(lost.cause, lasts=True)
    left = lost.whole
    taken: dict[int, int] = {}
    for number, one in enumerate(lifting.waiting):
        if not rest[number] or not limits.may_start(one):
            continue
        if not lifting.filling.lacks(lost.slot, lost.left, one):
            continue
        most = lifting.filling.most(lost.slot, left, one, rest[number])
        fit = most.number * lost.number
        if fit:
            fit = limits.match(one, min(rest[number], fit), float(lost.amounts.weight) / fit)
        if fit:
            rest[number] -= fit
            taken[number] = fit
        left = most.left
    every = sum(taken.values())
    for number, jobs in taken.items():
        gain = Gain(lost.amounts.times(jobs / every), jobs, behind=jobs)
        lifting.add(lost.cause, lifting.waiting[number], gain)
