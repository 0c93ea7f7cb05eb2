"""The machines of a pool, and how much of each is in claims.

A slot has what it has left and its dynamic slots what they were given, so that a machine has the
sum of all its slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from htcq.classads import as_number
from htcq.pool.slot import PARTITIONABLE, Number, Slot, number_or
from htcq.pool.slot_state import machine_of
from htcq.simulate.cycle.schedd_negotiation import Made
from htcq.units import CPUS, MEMORY

#: Shares of a machine's cpus up to which a class of machines goes; before them those with none in
#: claims.
SHARES = (0.25, 0.5, 0.75, 1.0)
#: How many classes there are: with none, those up to each share, and with all.
CLASSES = len(SHARES) + 2
#: Sums of fractions miss by less than this part of the whole.
_DUST = 1e-9


@dataclass(frozen=True)
class Machine:
    """One machine: what it has in all its slots, and how much of that is in claims."""

    name: str
    cpus: float
    claimed_cpus: float
    memory_mb: float
    claimed_memory_mb: float

    @property
    def share(self) -> float:
        """The share of its cpus that is in claims."""
        return self.claimed_cpus / self.cpus if self.cpus > 0 else 0.0

    @property
    def memory_share(self) -> float:
        """The share of its memory that is in claims."""
        return self.claimed_memory_mb / self.memory_mb if self.memory_mb > 0 else 0.0


@dataclass(frozen=True)
class Fill:
    """The machines of a pool by name, and the most cpus and memory that is free in any one slot."""

    machines: tuple[Machine, ...]
    largest_cpus: float
    largest_memory_mb: float


class Fills:
    """How full machines are as claims come and go, in parts that are added up apart."""

    def __init__(self) -> None:
        self._parts: dict[str, Fill] = {}
        self._classes = Counter[int]()

    def put(self, part: str, slots: Iterable[Slot]) -> None:
        """Add up the slots of one part."""
        before, now = self._parts.get(part), fill_of(slots)
        self._classes.update(class_of(machine.share) for machine in now.machines)
        if before is not None:
            self._classes.subtract(class_of(machine.share) for machine in before.machines)
        self._parts[part] = now

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The machines by name."""
        machines = (machine for part in self._parts.values() for machine in part.machines)
        return tuple(sorted(machines, key=attrgetter("name")))

    @property
    def by_class(self) -> tuple[int, ...]:
        """How many machines are in each class (:func:`class_of`)."""
        return tuple(self._classes[number] for number in range(CLASSES))

    @property
    def largest(self) -> tuple[Number, Number]:
        """The most cpus and memory that is free in any one slot."""
        parts = self._parts.values()
        cpus = max((part.largest_cpus for part in parts), default=0)
        memory = max((part.largest_memory_mb for part in parts), default=0)
        return as_number(cpus) or 0, as_number(memory) or 0


def fill_of(slots: Iterable[Slot], made: Iterable[Made] = ()) -> Fill:
    """Return how full the machines of ``slots`` are once the jobs of ``made`` have their claims."""
    taken = _taken(made)
    found: dict[str, list[float]] = {}
    free_cpus, free_memory = 0.0, 0.0
    for slot in slots:
        cpus, memory = float(number_or(slot.cpus, 0)), float(number_or(slot.memory_mb, 0))
        sums = found.setdefault(machine_of(slot), [0.0, 0.0, 0.0, 0.0])
        claimed = _claimed(slot, cpus, memory, taken)
        for place, amount in enumerate((cpus, claimed[0], memory, claimed[1])):
            sums[place] += amount
        free_cpus, free_memory = (
            max(free_cpus, cpus - claimed[0]),
            max(free_memory, memory - claimed[1]),
        )
    return Fill(
        tuple(Machine(name, *sums) for name, sums in sorted(found.items())), free_cpus, free_memory
    )


def _taken(made: Iterable[Made]) -> dict[str, tuple[float, float]]:
    """Return the cpus and the memory that startds hand out of each slot."""
    taken: dict[str, tuple[float, float]] = {}
    for each in made:
        if not each.claim.refusal:
            cpus, memory = taken.get(each.slot, (0.0, 0.0))
            amounts = each.claim.amounts
            taken[each.slot] = (
                cpus + float(amounts.get(CPUS, 0)),
                memory + float(amounts.get(MEMORY, 0)),
            )
    return taken


def _claimed(
    slot: Slot, cpus: float, memory: float, taken: dict[str, tuple[float, float]]
) -> tuple[float, float]:
    """Return how much of a slot is in claims.

    Of a partitionable one what is carved, of another all or nothing.
    """
    carved = taken.get(str(slot.name))
    if slot.type == PARTITIONABLE:
        return (0.0, 0.0) if carved is None else carved
    return (cpus, memory) if slot.claimed or carved is not None else (0.0, 0.0)


def by_fill(machines: Iterable[Machine]) -> tuple[int, ...]:
    """Return how many machines are in each class.

    None of their cpus in claims, so much of them, all of them.
    """
    counts = [0] * CLASSES
    for machine in machines:
        counts[class_of(machine.share)] += 1
    return tuple(counts)


def class_of(share: float) -> int:
    """Return the class of a machine with this share of its cpus in claims.

    0 where none is, the last where all are.
    """
    if share <= _DUST:
        return 0
    if share >= 1 - _DUST:
        return CLASSES - 1
    return next(number for number, most in enumerate(SHARES, 1) if share <= most + _DUST)
