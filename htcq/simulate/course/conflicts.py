"""Backfill claims on resources that other slots of the machine use: those whose PREEMPT says so go.

Follows src/condor_startd.V6/ResMgr.cpp (compute_resource_conflicts), HTCondor 25.14: what all
active claims have is subtracted from what the other slots have, and the first backfill claims in
the order of the slots have the conflict until nothing is short. ResourceConflict names what is
short; PREEMPT may look at it. GPUs, which have an order of their own, are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from htcq.classads import Expr, holds, parsed
from htcq.pool.pool import Pool
from htcq.pool.slot import Number, Slot
from htcq.simulate.course.claims import Base, Claim
from htcq.units import CPUS, DISK, MEMORY, attribute

_CONFLICT, _PREEMPT = "ResourceConflict", "PREEMPT"
_ASSETS = (CPUS, MEMORY, DISK)


class Conflicts:
    """Which backfill claims of ``pool`` leave for claims on other slots."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: dict[tuple[str, int], Expr | None] = {}

    def leaving(self, bases: Sequence[Base]) -> Iterator[Claim]:
        """Yield the claims on ``bases``, all slots of a startd, that its PREEMPT ends."""
        for claim, short in _conflicts(bases):
            preempt = self._preempt(claim.slot)
            ad = claim.slot.ad()
            ad[_CONFLICT] = short
            if preempt is not None and holds(preempt.evaluate(ad)):
                yield claim
            del ad[_CONFLICT]

    def _preempt(self, slot: Slot) -> Expr | None:
        """Return the PREEMPT of a slot where it looks at conflicts; nothing else is followed."""
        key = (slot.startd, slot.type_id)
        if key not in self._known:
            configuration = self._pool.startd_configuration(slot)
            text = ""
            if configuration is not None:
                text = configuration.slot_value(slot.type_id, _PREEMPT)
            expression = parsed(text)
            looks = expression is not None and _CONFLICT.lower() in expression.words()
            self._known[key] = expression if looks else None
        return self._known[key]


def _conflicts(bases: Iterable[Base]) -> Iterator[tuple[Claim, str]]:
    """Yield the backfill claims that have a conflict, and the names of what is short."""
    bag: dict[str, Number] = dict.fromkeys(_ASSETS, 0)
    excess: dict[str, Number] = dict.fromkeys(_ASSETS, 0)
    active: list[Claim] = []
    for base in bases:
        _add(excess, base.slot.total(), 1 if base.backfill else -1)
        if not base.backfill and not (base.whole and base.claims):
            _add(bag, base.slot.total(), 1)
        for claim in base.claims:
            _add(bag, claim.slot.total(), -1)
            if base.backfill:
                active.append(claim)
    _add(bag, {name: max(0, amount) for name, amount in excess.items()}, 1)
    for claim in active:
        short = [attribute(name) for name, amount in bag.items() if amount < 0]
        if not short:
            return
        yield claim, ",".join(short)
        _add(bag, claim.slot.total(), 1)


def _add(bag: dict[str, Number], amounts: Mapping[str, Number | None], sign: int) -> None:
    for name in bag:
        bag[name] += sign * (amounts.get(name) or 0)
