"""What each machine has, by the causes for which it stands: the parts of a balance, by machine.

Causes lie in five areas: what is used, what is free, what of it is stranded or in pieces, and what
is closed to all jobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.balance.amounts import NOTHING, Amounts
from htcq.balance.causes import (
    FRAGMENTED,
    IN_NO_SLOT,
    OTHER_NEGOTIATOR,
    RUNNING,
    STRANDED,
    UNSLOTTED,
)
from htcq.balance.standing import Part
from htcq.pool import slot_state as state
from htcq.pool.slot import Slot
from htcq.pool.slot_causes import SLOT_CAUSES
from htcq.pool.slot_state import machine_of
from htcq.why.match_failure import SLOT_CONSTRAINT

USED, FREE, CLOSED = "used", "free", "closed"
#: The areas, in their order in a picture.
AREAS = (USED, FREE, STRANDED, FRAGMENTED, CLOSED)
_OF_USE = (RUNNING, state.RETIRING, state.VACATING, state.CLAIMED_IDLE, IN_NO_SLOT)


def area_of(cause: str) -> str:
    """Return in which area what stands for ``cause`` lies."""
    if cause in _OF_USE:
        return USED
    if cause in SLOT_CAUSES or cause in (SLOT_CONSTRAINT, OTHER_NEGOTIATOR, UNSLOTTED):
        return CLOSED
    return cause if cause in (STRANDED, FRAGMENTED) else FREE


def by_area(by: Iterable[tuple[str, Amounts]]) -> Mapping[str, Amounts]:
    """Return the sum of each area."""
    sums = dict.fromkeys(AREAS, NOTHING)
    for cause, amounts in by:
        sums[area_of(cause)] = sums[area_of(cause)].plus(amounts)
    return sums


@dataclass(frozen=True)
class MachineBalance:
    """One machine; ``areas`` has its amounts, ``lacks`` what is used up beside what is stranded."""

    name: str
    kind: str
    areas: Mapping[str, Amounts]
    lacks: tuple[str, ...] = ()


def machines_of(parts: Iterable[Part], slots: Iterable[Slot]) -> tuple[MachineBalance, ...]:
    """Return the machines of ``slots``, which have the ``parts`` of a balance, by name."""
    machines = {str(slot.name): machine_of(slot) for slot in slots}
    kinds: dict[str, str] = {}
    sums: dict[str, dict[str, Amounts]] = {}
    lacks: dict[str, dict[str, None]] = {}
    for part in parts:
        name = machines[part.slots[0]]
        kinds.setdefault(name, part.kind)
        area, of_machine = area_of(part.cause), sums.setdefault(name, {})
        of_machine[area] = of_machine.get(area, NOTHING).plus(part.amounts)
        if part.cause == STRANDED and part.detail:
            lacks.setdefault(name, {}).update(dict.fromkeys(part.detail.split(", ")))
    return tuple(
        MachineBalance(
            name,
            kinds[name],
            {area: of_machine.get(area, NOTHING) for area in AREAS},
            tuple(lacks.get(name, ())),
        )
        for name, of_machine in sorted(sums.items())
    )
