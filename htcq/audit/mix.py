"""The mix of jobs that waits: what its classes take of slots, and whether what is left of a slot is enough for any.

What a claim takes is reckoned as in :mod:`htcq.audit.claims`; whether a job may run on a slot at
all is asked of both Requirements with the slot unused (matchmaker.cpp:matchmakingAlgorithm,
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

#: The largest classes of idle jobs that are looked at.
MAX_CLASSES = 100
Amounts = Mapping[str, Number]


@dataclass(frozen=True)
class Taking:
    """What a job of one class takes of slots that are alike."""

    jobs: Autocluster
    amounts: Amounts

    def short_of(self, left: Amounts) -> tuple[str, ...]:
        """Return the assets of which a slot that has ``left`` has too little."""
        return tuple(asset for asset, amount in self.amounts.items() if left.get(asset, 0) < amount)


def waiting(evidence: Evidence) -> tuple[Autocluster, ...]:
    """Return the classes of idle jobs, those with most jobs first."""
    idle = [jobs for jobs in evidence.autoclusters if jobs.idle]
    idle.sort(key=lambda jobs: -sum(jobs.idle.values()))
    return tuple(idle[:MAX_CLASSES])


def takings(
    evidence: Evidence, kind: SlotClass, classes: Sequence[Autocluster]
) -> Iterator[Taking]:
    """Yield what those of ``classes`` take that an unused slot of ``kind`` would let in."""
    for jobs in classes:
        if not evidence.fits(kind, jobs):
            continue
        amounts = taken(evidence, kind, jobs)
        if amounts is not None:
            yield Taking(jobs, {asset: amount for asset, amount in amounts.items() if amount > 0})


def least(found: Sequence[Taking]) -> tuple[Taking, ...]:
    """Return those of ``found`` that no other one takes less than: where none of these fits, none fits."""
    kept: list[Taking] = []
    for one in sorted(found, key=lambda each: sum(each.amounts.values())):
        if not any(_within(other.amounts, one.amounts) for other in kept):
            kept.append(one)
    return tuple(kept)


def _within(less: Amounts, more: Amounts) -> bool:
    return all(amount <= more.get(asset, 0) for asset, amount in less.items())
