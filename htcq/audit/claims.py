"""What a claim takes of a slot and weighs, with or without a consumption policy, for each policy of the pool.

With a policy the negotiator charges the match cost first and the dynamic slot's own weight for
as long as it lives (consumption_policy.cpp, Accountant.cpp, HTCondor 25.14); without one the
startd carves what the job asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.audit.evidence import Evidence
from htcq.policy.claim import accounted
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import PARTITIONABLE, Number
from htcq.pool.slot_class import SlotClass
from htcq.pool.startds import carve


@dataclass(frozen=True)
class SlotPolicy:
    """Kinds of slots with the same expressions, whatever their shape; those with most slots come first."""

    kinds: tuple[SlotClass, ...]

    @property
    def usual(self) -> SlotClass:
        """The kind that most of the slots are of."""
        return self.kinds[0]

    @property
    def count(self) -> int:
        """How many slots have the policy."""
        return sum(kind.count for kind in self.kinds)


def slot_policies(evidence: Evidence) -> Iterator[SlotPolicy]:
    """Yield the policies of all slots that the negotiator can match."""
    found: dict[tuple[object, ...], list[SlotClass]] = {}
    for kind in evidence.offered:
        found.setdefault((kind.type, kind.weight_text, *kind.consumption.items()), []).append(kind)
    for kinds in found.values():
        yield SlotPolicy(tuple(sorted(kinds, key=lambda kind: -kind.count)))


def taken(evidence: Evidence, kind: SlotClass, jobs: Autocluster) -> Mapping[str, Number] | None:
    """Return what a claim of a job takes of an unused slot; None where it takes nothing or some part is no number."""
    if not kind.supports_policy:
        got = carve(kind, jobs, evidence.startds.of(kind.first), judged=False).got
        return got if any(got.values()) else None
    found = kind.consumed(jobs.ad())
    amounts = {
        asset: amount for asset, amount in found.items() if amount is not None and amount >= 0
    }
    return amounts if len(amounts) == len(found) and any(amounts.values()) else None


def weights(evidence: Evidence, kind: SlotClass, jobs: Autocluster) -> tuple[Number, ...]:
    """Return what a claim of a job weighs on an unused slot: at the match and while it lives; none where it cannot."""
    amounts = taken(evidence, kind, jobs)
    if amounts is None:
        return ()
    if kind.type != PARTITIONABLE:
        return (kind.plain_weight(),)
    got = carve(kind, jobs, evidence.startds.of(kind.first), judged=False).got
    standing = accounted(kind.standing_weight(got or amounts))
    cost = kind.cost(amounts) if kind.supports_policy else None
    return (standing,) if cost is None else (cost, standing)
