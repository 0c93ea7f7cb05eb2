"""Kinds of node: machines with equal cpus and GPUs, and about equal memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from htcq.balance.amounts import Amounts
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.slot_state import is_backfill, machine_of
from htcq.units import CPUS, GPUS, MEMORY, PER_GIB, two_digits

#: The kind of machines that are known by dynamic slots or by backfill alone.
PARTS = "parts of machines"


class _Machine(NamedTuple):
    cpus: Number = 0
    memory_mb: Number = 0
    gpus: Number = 0
    card: str = ""

    @property
    def kind(self) -> tuple[object, ...]:
        """What machines of its kind have in common: they differ by some MB."""
        return self.cpus, two_digits(self.memory_mb), self.gpus, self.card

    def name(self, memory_mb: Number) -> str:
        """Return the name of its kind, whose largest machine has so much memory."""
        if not (self.cpus or self.memory_mb or self.gpus):
            return PARTS
        name = f"{self.cpus:.6g} cores"
        if memory_mb:
            name += f", {memory_mb / PER_GIB[MEMORY]:.4g} GiB"
        if self.gpus:
            name += f", {self.gpus:g} x {self.card or 'GPU'}"
        return name


def kinds_of(slots: Iterable[Slot], in_no_slot: Iterable[tuple[str, Amounts]]) -> Mapping[str, str]:
    """Return the kind of each machine by its name, from what its slots had at birth.

    What machines have ``in_no_slot`` is theirs as well.
    """
    machines = {name: _Machine(more.cpus, more.memory_mb, more.gpus) for name, more in in_no_slot}
    for slot in slots:
        name = machine_of(slot)
        known = machines.get(name, _Machine())
        card = known.card or _card_of(slot)
        if slot.type == DYNAMIC or is_backfill(slot):
            machines[name] = known._replace(card=card)
            continue
        total = slot.total()
        machines[name] = _Machine(
            known.cpus + (total.get(CPUS) or 0),
            known.memory_mb + (total.get(MEMORY) or 0),
            known.gpus + (total.get(GPUS) or 0),
            card,
        )
    most: dict[tuple[object, ...], Number] = {}
    for each in machines.values():
        most[each.kind] = max(each.memory_mb, most.get(each.kind, 0))
    return {name: each.name(most[each.kind]) for name, each in machines.items()}


def _card_of(slot: Slot) -> str:
    """Return the name of the GPUs of ``slot``; empty where its ad has none."""
    card = slot.frame.value("GPUs_DeviceName")
    return card if isinstance(card, str) else ""
