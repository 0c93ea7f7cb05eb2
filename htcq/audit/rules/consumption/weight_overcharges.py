"""A charge that rises right after the match.

The dynamic slot's own weight is more than the match cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from htcq.audit.charges import BY_HALF, Charge
from htcq.audit.evidence import Evidence
from htcq.audit.linear import LINEAR_WEIGHTS
from htcq.audit.policies import amounts_text, number, weight_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.pool.slot_class import EXAMPLES, SlotClass


class _Overcharged(NamedTuple):
    """A kind of slot and the charge that exceeds its match cost by the largest factor there."""

    kind: SlotClass
    worst: Charge

    @property
    def rank(self) -> tuple[bool, float]:
        """What the pool's own jobs show counts more than what made-up ones might."""
        return self.worst.trial.own, self.worst.factor


def _find(evidence: Evidence) -> Iterator[Found]:
    by_text: dict[str, list[_Overcharged]] = {}
    for kind in evidence.with_policy:
        rising = [
            charge
            for charge in evidence.charges(kind)
            if charge.rises and charge.trial.whole and charge.mean > 0
        ]
        worst = max(rising, key=lambda charge: (charge.trial.own, charge.factor), default=None)
        if worst is not None:
            by_text.setdefault(kind.weight_text, []).append(_Overcharged(kind, worst))
    for hurt in by_text.values():
        yield _found(evidence, hurt)


def _found(evidence: Evidence, hurt: list[_Overcharged]) -> Found:
    kind, charge = max(hurt, key=lambda each: each.rank)
    severity = None
    if charge.trial.own and charge.factor >= BY_HALF:
        severity = Severity.ERROR
    return Found(
        cause=kind.weight_text,
        subject=f"slot {kind.first.name}",
        message=(
            f"the match of {charge.trial.job} costs {charge.match_text}, but SlotWeight of its "
            f"dynamic slot ({amounts_text(charge.trial.taken)}) is {number(charge.standing)}, and "
            "that is charged as long as it runs: quotas can be exceeded by a factor of "
            f"{charge.factor:.3g}"
        ),
        facts=(
            weight_fact(kind),
            Fact("match cost", f"{charge.mean:.6g}"),
            Fact("standing charge", f"{charge.standing:.6g}"),
            Fact("factor", f"{charge.factor:.4g}"),
        ),
        count=sum(each.kind.count for each in hurt),
        examples=tuple(name for each in hurt for name in each.kind.examples)[:EXAMPLES],
        severity=severity,
        settings=sound_weights(evidence),
    )


RULE = Rule(
    id="weight-overcharges",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="A claim is charged more while it runs than its match cost",
    consequence=(
        "The negotiator admits a match by its match cost. When the dynamic slot's ad arrives, "
        "some seconds later, the accountant charges the SlotWeight in that ad instead. If it is "
        "larger, a group is admitted up to its quota and then uses more than that, and the pool "
        "weighs more when it is busy than when it is empty. If the pool's own jobs exceed quotas "
        "by half or more, this is an error."
    ),
    advice=LINEAR_WEIGHTS,
    source=(
        "src/condor_negotiator.V6/Accountant.cpp:CheckMatches, 25.14; measured on 25.14.1: "
        "charged 2 at the match and 8 while it runs, 112 used on a quota of 40, and a pool of "
        "weight 112 that weighed 214 when it was busy"
    ),
    find=_find,
)
