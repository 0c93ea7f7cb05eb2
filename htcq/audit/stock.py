"""What a pool has of each asset, by kind of node: used, free, stranded and closed.

A machine has the sum of its slots. Stranded is what is free on slots that none of the waiting
jobs fit (:mod:`htcq.audit.shortage`), but for memory where all cores are used, which is normal;
closed is what no job may use now: the slot is with its owner, draining or offline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.mix import Taking, takings, waiting
from htcq.audit.shortage import ASSETS, ShortSlot, demand, left_of, short_slots
from htcq.balance.kinds import kinds_of
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot
from htcq.pool.slot_state import DEFRAGMENTED, DRAINED, OFFLINE, closed_by, is_backfill
from htcq.simulate.course.machines import machine_of
from htcq.units import CPUS, MEMORY

_PARTS = ("used", "free", "stranded", "closed")


@dataclass(frozen=True)
class Stock:
    """Amounts of one asset; memory is in MB. ``stranded`` is a part of ``free``."""

    used: Number = 0
    free: Number = 0
    stranded: Number = 0
    closed: Number = 0

    @property
    def whole(self) -> Number:
        """All of it."""
        return self.used + self.free + self.closed


Stocks = Mapping[str, Stock]


@dataclass(frozen=True)
class MachineStock:
    """One machine; ``short`` are the assets of which it has too little for the waiting jobs."""

    name: str
    kind: str
    slots: int
    stocks: Stocks
    short: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeKind:
    """Machines with equal cpus, GPUs and about equal memory."""

    name: str
    machines: int
    stocks: Stocks


@dataclass(frozen=True)
class Stranded:
    """What stands idle for lack of the assets ``short``; no more than waiting jobs would use."""

    short: tuple[str, ...]
    amounts: Mapping[str, Number]


@dataclass(frozen=True)
class PoolStock:
    """All machines by name, their kinds, the one with most cpus first, and the whole pool."""

    machines: tuple[MachineStock, ...]
    kinds: tuple[NodeKind, ...]
    stocks: Stocks
    stranded: tuple[Stranded, ...] = ()

    @property
    def assets(self) -> tuple[str, ...]:
        """The assets that the pool has anything of."""
        return tuple(asset for asset in ASSETS if self.stocks[asset].whole)


@dataclass
class _Sums:
    """Amounts that are being added up, by asset and part."""

    slots: int = 0
    short: dict[str, None] = field(default_factory=dict)
    amounts: dict[str, dict[str, Number]] = field(
        default_factory=lambda: {asset: dict.fromkeys(_PARTS, 0) for asset in ASSETS}
    )

    def add(self, part: str, amounts: Mapping[str, Number | None]) -> None:
        for asset in ASSETS:
            self.amounts[asset][part] += max(0, amounts.get(asset) or 0)

    def take(self, other: _Sums) -> None:
        for asset, parts in other.amounts.items():
            for part, amount in parts.items():
                self.amounts[asset][part] += amount

    @property
    def stocks(self) -> Stocks:
        return {asset: Stock(**parts) for asset, parts in self.amounts.items()}


def stock_of(evidence: Evidence) -> PoolStock:
    """Return what the pool of ``evidence`` has; without job ads nothing is known to be stranded."""
    short, stranded = _shortages(evidence)
    sums: dict[str, _Sums] = {}
    for slot in evidence.slots:
        if not is_backfill(slot):
            _count(slot, sums.setdefault(machine_of(slot), _Sums()), short)
    named = kinds_of(evidence.slots)
    machines = tuple(
        MachineStock(name, named[name], each.slots, each.stocks, tuple(each.short))
        for name, each in sorted(sums.items())
    )
    kinds: dict[str, list[_Sums]] = {}
    whole = _Sums()
    for each in machines:
        kinds.setdefault(each.kind, []).append(sums[each.name])
        whole.take(sums[each.name])
    found = [_kind(name, parts) for name, parts in kinds.items()]
    found.sort(key=lambda kind: (-kind.stocks[CPUS].whole, kind.name))
    return PoolStock(machines, tuple(found), whole.stocks, stranded)


def _shortages(
    evidence: Evidence,
) -> tuple[Mapping[int, tuple[tuple[str, ...], Mapping[str, Number]]], tuple[Stranded, ...]]:
    """Return by the id of each short slot what it lacks and what is stranded; and the sums."""
    classes = waiting(evidence)
    by_slot: dict[int, tuple[tuple[str, ...], Mapping[str, Number]]] = {}
    sums: dict[tuple[str, ...], dict[str, Number]] = {}
    wanted: dict[int, Taking] = {}
    for kind in evidence.slot_classes_by_frame:
        if kind.type != PARTITIONABLE:
            continue
        jobs = tuple(takings(evidence, kind, classes))
        wanted.update({id(each.jobs): each for each in jobs})
        for each in short_slots(kind, jobs):
            if _is_closed(each.slot):
                continue
            lost = _lost(each)
            by_slot[id(each.slot)] = (each.short, lost)
            of_short = sums.setdefault(each.short, dict.fromkeys(ASSETS, 0))
            for asset, amount in lost.items():
                of_short[asset] += amount
    most = demand(wanted.values())
    found = []
    for short, amounts in sums.items():
        found.append(Stranded(short, {asset: min(amounts[asset], most[asset]) for asset in ASSETS}))
    found.sort(key=lambda each: -each.amounts[CPUS])
    return by_slot, tuple(found)


def _lost(slot: ShortSlot) -> dict[str, Number]:
    """Return what is stranded; memory that is left where all cores are used is normal."""
    lost = dict(slot.stranded)
    if CPUS in slot.short:
        lost.pop(MEMORY, None)
    return lost


def _count(
    slot: Slot, sums: _Sums, short: Mapping[int, tuple[tuple[str, ...], Mapping[str, Number]]]
) -> None:
    """Add the amounts of ``slot`` to those of its machine."""
    sums.slots += 1
    if slot.type == PARTITIONABLE:
        left = left_of(slot)
        if _is_closed(slot):
            sums.add("closed", left)
            return
        sums.add("free", left)
        lacks, stranded = short.get(id(slot), ((), {}))
        sums.add("stranded", stranded)
        sums.short.update(dict.fromkeys(lacks))
    elif slot.claimed:
        sums.add("used", slot.total())
    elif _is_closed(slot) and slot.type != DYNAMIC:
        sums.add("closed", slot.total())
    else:
        sums.add("free", slot.total())


def _kind(name: str, parts: Iterable[_Sums]) -> NodeKind:
    whole, machines = _Sums(), 0
    for each in parts:
        whole.take(each)
        machines += 1
    return NodeKind(name, machines, whole.stocks)


def _is_closed(slot: Slot) -> bool:
    return slot.state == "Owner" or closed_by(slot) in (OFFLINE, DRAINED, DEFRAGMENTED)
