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
from htcq.units import CPUS, DISK, MEMORY

#: Less than the request of a job that asks for nothing (JOB_DEFAULT_REQUESTMEMORY, in MB), and less
#: than any job writes, in KiB.
_LEAST: Mapping[str, int] = {MEMORY: 128, DISK: 1024}
#: Stands for an asset that the slot should have: as much as anybody asks for.
_ENOUGH = 1 << 50


class Lost(NamedTuple):
    """Alike slots that are lost for one cause, how many they are, and what they would be worth."""

    cause: str
    slot: Slot
    number: int
    amounts: Amounts


def missing_assets(slot: Slot) -> tuple[str, ...]:
    """Return memory or disk where an empty slot has next to nothing of it, but cores."""
    whole = slot.total()
    if not whole.get(CPUS):
        return ()
    amounts = {asset: whole[asset] for asset in _LEAST if asset in whole}
    return tuple(asset for asset, amount in amounts.items() if (amount or 0) < _LEAST[asset])


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
    missing = missing_assets(lost.slot)
    left: Mapping[str, Number] = {
        asset: _ENOUGH if asset in missing else amount or 0
        for asset, amount in lost.slot.total().items()
    }
    taken: dict[int, int] = {}
    for number, one in enumerate(lifting.waiting):
        if not rest[number] or not limits.may_start(one):
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
