"""Slots that are short of an asset though no job has it: next to none of it, or disk in files.

A startd measures its disk again (STARTD_RECOMPUTE_DISK_FREE; before 24.9 always): Disk of a
partitionable slot shrinks then with the files of others, TotalSlotDisk does not
(ResAttributes.cpp: compute_disk, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from htcq.classads import as_number
from htcq.pool.pool import Pool, of_startd
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot, number_or
from htcq.pool.slot_causes import ASSET_MISSING, NO_DISK, NO_VOLUME
from htcq.pool.slot_state import BROKEN, is_broken
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, GPUS, MEMORY, attribute

#: Less than the request of a job that asks for nothing (JOB_DEFAULT_REQUESTMEMORY, in MB), and less
#: than any job writes, in KiB.
_LEAST: Mapping[str, int] = {MEMORY: 128, DISK: 1024}
#: What a job that asks for no disk gets, in KiB (JOB_DEFAULT_REQUESTDISK, from 25.2.1 on).
DEFAULT_DISK_KB = 1024 * 1024
#: Stands for an asset that the slot should have: as much as anybody asks for.
ENOUGH = 1 << 50


def without_asset(slot: Slot, left: Mapping[str, Number]) -> Mapping[str, Number]:
    """Return what an empty slot would have, if its memory or disk were not next to nothing.

    Nothing where it has enough to be one that jobs use.
    """
    whole = slot.whole()
    if not whole.get(CPUS):
        return {}
    missing = [asset for asset, least in _LEAST.items() if asset in whole and whole[asset] < least]
    return {**left, **dict.fromkeys(missing, ENOUGH)} if missing else {}


def lost_with_slots(slot: Slot) -> Mapping[str, Number]:
    """Return what a partitionable slot has lost with broken dynamic slots that were deleted.

    TotalSlot* is less by it (ResAttributes.cpp: publish_static, HTCondor 25.14). Of devices that
    says how many the slot has, so that no more are counted than the machine has.
    """
    if slot.type != PARTITIONABLE:
        return {}
    found, whole = dict[str, Number](), slot.whole()
    for asset in slot.assets:
        lost = as_number(slot.frame.value(f"BrokenSlot{attribute(asset)}"))
        if lost is None or lost <= 0:
            continue
        if asset not in BUILT_IN_ASSETS:
            every = as_number(slot.frame.value(f"Total{attribute(asset)}"))
            lost = lost if every is None else min(lost, max(0, every - whole[asset]))
        found[asset] = lost
    return found


class Loss(NamedTuple):
    """What a slot lacks for one ``cause``, and what it would have ``left`` for jobs without it.

    ``lost`` are the amounts that are gone; where it never had more than ``has`` they are empty.
    """

    cause: str
    lost: Mapping[str, Number]
    has: Mapping[str, Number]
    left: Mapping[str, Number]


class Losses:
    """What slots have lost, or never had, whatever their state."""

    def __init__(self, slots: Iterable[Slot]) -> None:
        self._carved: dict[str, dict[str, Number]] = {}
        for slot in slots:
            if slot.type == DYNAMIC:
                known, left = self._carved.setdefault(slot.parent, {}), slot.left()
                for asset in (CPUS, MEMORY, GPUS):
                    known[asset] = known.get(asset, 0) + (left.get(asset) or 0)

    def of(self, slot: Slot, left: Mapping[str, Number]) -> Iterator[Loss]:
        """Yield what a slot that nobody has claimed as a whole lacks, which has so much left."""
        if slot.type == DYNAMIC or is_broken(slot):
            return
        lost = lost_with_slots(slot)
        if lost:
            yield Loss(BROKEN, lost, {}, _with(left, lost))
        devices = self._offline(slot)
        if devices:
            yield Loss(ASSET_MISSING, devices, {}, _with(left, devices))
        whole = slot.whole()
        if as_number(slot.dynamic_slots) or slot.claimed or not whole.get(CPUS):
            return
        least = {**_LEAST, DISK: DEFAULT_DISK_KB}
        has = {asset: whole[asset] for asset in least if whole.get(asset, ENOUGH) < least[asset]}
        if has:
            yield Loss(ASSET_MISSING, {}, has, {**left, **dict.fromkeys(has, ENOUGH)})

    def _offline(self, slot: Slot) -> Mapping[str, Number]:
        """Return the GPUs that a slot had at first and that no job has: they are offline.

        Where more is missing the ads of dynamic slots are.
        """
        whole, left = slot.whole(), slot.left()
        carved = self._carved.get(str(slot.name), {})
        missing = {
            asset: whole.get(asset, 0) - (left.get(asset) or 0) - carved.get(asset, 0)
            for asset in (CPUS, MEMORY, GPUS)
        }
        if missing[GPUS] <= 0 or missing[CPUS] or missing[MEMORY]:
            return {}
        return {GPUS: missing[GPUS]}


def _with(left: Mapping[str, Number], lost: Mapping[str, Number]) -> Mapping[str, Number]:
    return {**left, **{asset: left.get(asset, 0) + amount for asset, amount in lost.items()}}


class DiskInFiles:
    """How much disk of each partitionable slot is in none of its dynamic slots: files have it.

    Or its ad has no number of it: no job finds any disk there.
    """

    def __init__(self, slots: Iterable[Slot]) -> None:
        self._carved: dict[str, Number] = {}
        for slot in slots:
            if slot.type == DYNAMIC:
                before = self._carved.get(slot.parent, 0)
                self._carved[slot.parent] = before + number_or(slot.disk_kb, 0)

    def of(self, slot: Slot) -> Number:
        """Return how much it is, in KiB; 0 where the ad has no TotalSlotDisk."""
        whole, now = as_number(slot.total_slot_disk_kb), number_or(slot.disk_kb, 0)
        if slot.type != PARTITIONABLE or whole is None:
            return 0
        return max(0, whole - now - self._carved.get(str(slot.name), 0))


def shortage_of(pool: Pool, slot: Slot, asset: str) -> str:
    """Return what a slot of ``pool`` lacks that is short of ``asset``.

    It is that; of disk it may be its number in the ad, or a volume group that has any.
    """
    if asset != DISK:
        return asset
    if as_number(slot.disk_kb) is None:
        return NO_DISK
    configuration = of_startd(pool.execute, slot)
    if as_number(slot.total_slot_disk_kb) != 0 or configuration is None:
        return DISK
    return NO_VOLUME if configuration.truth("STARTD_ENFORCE_DISK_LIMITS", False) else DISK
