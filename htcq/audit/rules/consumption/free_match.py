"""Matches that cost nothing on a slot with a consumption policy.

The weight of the slot does not depend on what they take.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.charges import CLOSE
from htcq.audit.evidence import Evidence
from htcq.audit.policies import amounts_text, number, on_slots, weight_fact
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.classads import as_number


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        charges = evidence.charges(kind)
        # Made-up jobs only count where none of the pool's own fits.
        for charge in [each for each in charges if each.trial.own] or charges:
            if abs(charge.mean) <= CLOSE and abs(charge.cost) <= CLOSE:
                weight = number(as_number(kind.full_weight))
                yield on_slots(
                    kind,
                    cause=kind.weight_text,
                    message=(
                        f"{charge.trial.job} consumes {amounts_text(charge.trial.taken)}, and its "
                        f"match costs nothing: SlotWeight stays {weight} however many such claims "
                        "the slot has"
                    ),
                    facts=(weight_fact(kind),),
                    settings=sound_weights(evidence),
                )
                break


RULE = Rule(
    id="free-match",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary=(
        "SlotWeight of a slot with a consumption policy does not drop when a claim consumes its "
        "assets"
    ),
    consequence=(
        "The match cost is the amount by which the slot's weight drops. If it does not drop, "
        "quotas, fair share and ceilings do not limit matches on this slot."
    ),
    advice=(
        "Write a weight that drops with every asset that the consumption policy counts, and "
        "quotas in its unit."
    ),
    source=(
        "src/condor_utils/consumption_policy.cpp:cp_deduct_assets, 25.14; seen on 25.14.1: 8 "
        "jobs on a quota of 2"
    ),
    find=_find,
)
