"""Slots that none of the waiting jobs fit as they are now, and of what such a slot has too little.

A job takes of a slot what :mod:`htcq.audit.mix` says; it fits where the slot has that left
(src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, HTCondor 25.14).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from htcq.audit.mix import Taking, least
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS, DISK, GPUS, MEMORY

#: The assets of which people ask how much is idle.
ASSETS = (CPUS, MEMORY, GPUS)


class ShortSlot(NamedTuple):
    """A slot on which no waiting job fits.

    ``short`` are the assets of which it has too little for most of them, ``stranded`` the free
    amounts of assets that they would use.
    """

    slot: Slot
    short: tuple[str, ...]
    stranded: Mapping[str, Number]


def short_slots(kind: SlotClass, jobs: Sequence[Taking]) -> Iterator[ShortSlot]:
    """Yield the slots of ``kind`` on which something is stranded; ``jobs`` may run on unused ones.

    Of slots with the same amounts left, only the first is examined.
    """
    fewest = least(jobs)
    if not fewest:
        return
    enough_disk = max(each.amounts.get(DISK, 0) for each in fewest)
    wanted = {asset for each in jobs for asset in each.amounts}
    known: dict[tuple[Number, ...], tuple[str, ...]] = {}
    for slot in kind.slots:
        left = left_of(slot)
        enough = dict(left)
        if DISK in left:
            enough[DISK] = min(left[DISK], enough_disk)
        key = tuple(enough.values())
        if key not in known:
            known[key] = _short(fewest, left)
        if known[key]:
            # Too few cpus on each of many slots are cpus all the same.
            free = {asset: left.get(asset, 0) for asset in ASSETS if asset in wanted}
            yield ShortSlot(slot, known[key], free)


def left_of(slot: Slot) -> dict[str, Number]:
    """Return what ``slot`` has left of each asset, never less than nothing."""
    return {asset: max(0, amount or 0) for asset, amount in slot.left().items()}


def demand(wanted: Iterable[Taking]) -> Mapping[str, Number]:
    """Return how much of each asset the waiting jobs would take."""
    found: dict[str, Number] = dict.fromkeys(ASSETS, 0)
    for each in wanted:
        idle = sum(each.jobs.idle.values())
        for asset in ASSETS:
            found[asset] += idle * each.amounts.get(asset, 0)
    return found


def _short(fewest: Sequence[Taking], left: Mapping[str, Number]) -> tuple[str, ...]:
    """Return of what a slot has too little for most of the jobs; empty where one of them fits."""
    counts: Counter[str] = Counter()
    for each in fewest:
        short = each.short_of(left)
        if not short:
            return ()
        counts.update(short)
    most = max(counts.values())
    return tuple(sorted(asset for asset, count in counts.items() if count == most))
