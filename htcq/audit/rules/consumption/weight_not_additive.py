"""A charge that falls right after the match.

The dynamic slot's own weight is less than the match cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.charges import Charge
from htcq.audit.evidence import Evidence
from htcq.audit.linear import LINEAR_WEIGHTS
from htcq.audit.policies import amounts_text, number, on_slots, weight_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.pool.slot_class import SlotClass

#: A claim that is charged no more than this part of its match cost is as good as free.
_FAR = 0.5


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        leaks = [charge for charge in evidence.charges(kind) if _leaks(charge)]
        # What the pool's own jobs show counts more than what made-up ones might.
        worst = min(
            leaks,
            key=lambda charge: (not charge.trial.own, charge.standing / charge.mean),
            default=None,
        )
        if worst is not None:
            yield _leak(evidence, kind, worst, worst.trial.own or not evidence.trials.own(kind))


def _leaks(charge: Charge) -> bool:
    """Return whether the charge falls; a claim of fractions is refused, whatever it costs."""
    return charge.trial.whole and charge.falls


def _leak(evidence: Evidence, kind: SlotClass, charge: Charge, real: bool) -> Found:
    severity = None
    if real and charge.standing <= charge.mean * _FAR:
        severity = Severity.ERROR
    cost = f"{charge.mean:.3g} on average"
    if charge.cost > charge.standing:
        cost = number(charge.cost)
    return on_slots(
        kind,
        cause=kind.weight_text,
        message=(
            f"the match of {charge.trial.job} costs {cost}, but SlotWeight of its dynamic slot "
            f"({amounts_text(charge.trial.taken)}) is {number(charge.standing)}, and that is "
            "charged as long as it runs"
        ),
        facts=(
            weight_fact(kind),
            Fact("match cost", f"{charge.mean:.6g}"),
            Fact("standing charge", f"{charge.standing:.6g}"),
        ),
        severity=severity,
        settings=sound_weights(evidence),
    )


RULE = Rule(
    id="weight-not-additive",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="A claim is charged less while it runs than its match cost",
    consequence=(
        "The match cost counts for some seconds, until the dynamic slot's ad arrives; from then "
        "on the accountant charges the SlotWeight in that ad. If it is smaller, usage, group "
        "quotas and the pool's total weight shrink although the machine is as full as before. If "
        "it is half or less for the pool's own jobs, this is an error."
    ),
    advice=LINEAR_WEIGHTS,
    source=(
        "src/condor_negotiator.V6/Accountant.cpp:CheckMatches, 25.14; measured on 25.14.1: "
        "charged 4.0 at the match, and 1.0 two seconds later"
    ),
    find=_find,
)
