"""The mix of waiting jobs: the amounts that each class takes of a slot.

The amounts are those of :mod:`htcq.audit.claims`. Whether a job may run on a slot at all is
decided by the Requirements of both, with the slot unused (matchmaker.cpp:matchmakingAlgorithm,
HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.audit.claims import taken
from htcq.audit.evidence import Evidence
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass

#: The number of classes of idle jobs that are checked, the largest first.
MAX_CLASSES = 100
Amounts = Mapping[str, Number]


@dataclass(frozen=True)
class Taking:
    """The amounts that a job of one class takes of slots of one kind."""

    jobs: Autocluster
    amounts: Amounts

    def short_of(self, left: Amounts) -> tuple[str, ...]:
        """Return the assets that a slot with ``left`` has too little of."""
        return tuple(asset for asset, amount in self.amounts.items() if left.get(asset, 0) < amount)


def waiting(evidence: Evidence) -> tuple[Autocluster, ...]:
    """Return the classes of idle jobs, those with most jobs first."""
    idle = [jobs for jobs in evidence.autoclusters if jobs.idle]
    idle.sort(key=lambda jobs: -sum(jobs.idle.values()))
    return tuple(idle[:MAX_CLASSES])


def takings(
    evidence: Evidence, kind: SlotClass, classes: Sequence[Autocluster]
) -> Iterator[Taking]:
    """Yield the amounts of those ``classes`` that match an unused slot of ``kind``."""
    for jobs in classes:
        if not evidence.fits(kind, jobs):
            continue
        amounts = taken(evidence, kind, jobs)
        if amounts is not None:
            yield Taking(jobs, {asset: amount for asset, amount in amounts.items() if amount > 0})


def least(found: Sequence[Taking]) -> tuple[Taking, ...]:
    """Return those of ``found`` that no other one is below; where none of them fits, none fits."""
    kept: list[Taking] = []
    for one in sorted(found, key=lambda each: sum(each.amounts.values())):
        if not any(_within(other.amounts, one.amounts) for other in kept):
            kept.append(one)
    return tuple(kept)


def _within(less: Amounts, more: Amounts) -> bool:
    return all(amount <= more.get(asset, 0) for asset, amount in less.items())
