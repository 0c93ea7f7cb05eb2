"""SlotWeight of a slot with a consumption policy grows while its assets are taken."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.charges import CLOSE
from htcq.audit.evidence import Evidence
from htcq.audit.policies import amounts_text, number, on_slots, weight_fact
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.classads import as_number
from htcq.pool.slot_class import SlotClass

#: How much of everything is left in the states that are compared.
_LEFT = (1.0, 0.75, 0.5, 0.25)


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        message = _negative(evidence, kind) or _growing(kind)
        if message:
            settings = sound_weights(evidence)
            yield on_slots(
                kind,
                cause=kind.weight_text,
                message=message,
                facts=(weight_fact(kind),),
                settings=settings,
            )


def _negative(evidence: Evidence, kind: SlotClass) -> str:
    for charge in evidence.charges(kind):
        if charge.cost < -CLOSE:
            return (
                f"{charge.trial.job} consumes {amounts_text(charge.trial.taken)}, and SlotWeight "
                f"grows by {-charge.cost:g}: the match costs {charge.cost:g}"
            )
    return ""


def _growing(kind: SlotClass) -> str:
    states = [{asset: int(amount * left) for asset, amount in kind.total.items()} for left in _LEFT]
    weights = [as_number(kind.weight(amounts)) for amounts in states]
    for fuller, emptier, before, after in zip(states, states[1:], weights, weights[1:]):
        if before is not None and after is not None and after > before + CLOSE:
            return (
                f"SlotWeight is {number(before)} with {amounts_text(fuller)} left and "
                f"{number(after)} with {amounts_text(emptier)}: the costs of the matches in "
                "between are negative"
            )
    return ""


RULE = Rule(
    id="weight-grows-as-slot-empties",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="SlotWeight of a slot with a consumption policy grows when a claim consumes its assets",
    consequence=(
        "The match cost is the amount by which the weight drops; if the weight grows, the cost "
        "is negative: every match gives its user and group more quota than they had before."
    ),
    advice="Write a weight that drops with the free amounts, and quotas in its unit.",
    source=(
        "src/condor_utils/consumption_policy.cpp:cp_deduct_assets, 25.14; seen on 25.14.1: match "
        "cost -1"
    ),
    find=_find,
)
