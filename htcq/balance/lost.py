"""Slots that can take no job whatever their state is: broken ones, and those without an asset.

What waiting jobs would use of them is counted by amounts alone, as if they were whole: their own
ads say nothing of it any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from htcq.balance.amounts import Amounts
from htcq.balance.filling import Filling
from htcq.balance.wanting import Waiting
from htcq.pool.slot import Number, Slot
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


def takers_of(lost: Lost, filling: Filling, waiting: Sequence[Waiting], rest: list[int]) -> int:
    """Return how many of the ``rest`` of the waiting jobs would run there, and take them away."""
    missing = missing_assets(lost.slot)
    left: Mapping[str, Number] = {
        asset: _ENOUGH if asset in missing else amount or 0
        for asset, amount in lost.slot.total().items()
    }
    jobs = 0
    for number, one in enumerate(waiting):
        if one.cause or not rest[number]:
            continue
        taken = filling.most(lost.slot, left, one, rest[number])
        count = min(rest[number], taken.number * lost.number)
        rest[number] -= count
        jobs += count
        left = taken.left
    return jobs
