"""Slots that can take no job whatever their state is: broken ones, and those without an asset.

What waiting jobs would use of them is counted by amounts alone, as if they were whole: their own
ads say nothing of it any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from htcq.balance.amounts import Amounts
from htcq.balance.lifting import Gain, Lifting
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_state import BROKEN


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
