"""The amounts that claims take, and slots of one policy.

With a policy the negotiator charges the match cost first and the dynamic slot's own weight for
as long as it lives (consumption_policy.cpp, Accountant.cpp, HTCondor 25.14). Without one the
startd carves what the job asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.audit.evidence import Evidence
from htcq.claims.claim import matched_amounts
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass


@dataclass(frozen=True)
class SlotPolicy:
    """Kinds of slots with the same expressions; the kinds with most slots come first."""

    kinds: tuple[SlotClass, ...]

    @property
    def usual(self) -> SlotClass:
        """The kind with most slots."""
        return self.kinds[0]

    @property
    def count(self) -> int:
        """The number of slots with the policy."""
        return sum(kind.count for kind in self.kinds)


def slot_policies(evidence: Evidence) -> Iterator[SlotPolicy]:
    """Yield the policies of all slots that the negotiator can match."""
    found: dict[tuple[object, ...], list[SlotClass]] = {}
    for kind in evidence.offered:
        found.setdefault((kind.type, kind.weight_text, *kind.consumption.items()), []).append(kind)
    for kinds in found.values():
        yield SlotPolicy(tuple(sorted(kinds, key=lambda kind: -kind.count)))


def taken(evidence: Evidence, kind: SlotClass, jobs: Autocluster) -> Mapping[str, Number] | None:
    """Return the amounts that a claim of a job takes of an unused slot.

    None is returned where it takes nothing, or where an amount is no number or below zero.
    """
    claim = evidence.claims.of(kind, jobs)
    if kind.supports_policy:
        return matched_amounts(claim.taken) or None
    if any(claim.got.values()):
        return claim.got
    return None
