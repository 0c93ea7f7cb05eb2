"""SlotWeight is no number or below zero: the negotiator reckons with something else."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.classads import Value, as_number
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass

_EXAMPLES = 3


def _find(evidence: Evidence) -> Iterator[Found]:
    supply = evidence.quotas.supply
    if not supply.weighted or evidence.quotas.truth("FORCE_NEGOTIATOR_SLOT_WEIGHT", False):
        return
    known, weight_of = _Wrong(), evidence.weights.of
    for kind in evidence.slot_classes:
        # With a consumption policy the negotiator does not count it as anything: it exits.
        if kind.supports_policy:
            continue
        wrong = [slot for slot in kind.slots if known[weight_of(slot)]]
        if wrong:
            yield _found(evidence, kind, wrong)


class _Wrong(dict[Value, bool]):
    """Whether a weight is no number, or negative."""

    def __missing__(self, weight: Value) -> bool:
        number = as_number(weight)
        wrong = self[weight] = number is None or number < 0
        return wrong


def _found(evidence: Evidence, kind: SlotClass, wrong: list[Slot]) -> Found:
    weight = as_number(evidence.weights.of(wrong[0]))
    counts = f"{evidence.quotas.supply.weight(wrong[0]):g}"
    facts = [Fact("SlotWeight", kind.weight_text or "(absent)")]
    said, instead = "is not a number", f"counts as {counts}"
    if weight is None:
        instead = f"{instead} by the negotiator's own SLOT_WEIGHT"
        facts.append(knob_fact(evidence, "SLOT_WEIGHT"))
    else:
        said = f"is {weight:g}"
    return Found(
        cause=kind.weight_text or "(absent)",
        subject=f"slot {wrong[0].name}",
        message=(
            f"SlotWeight of {counted(len(wrong), f'{kind.type.lower()} slot')} {said}: each "
            f"{instead}"
        ),
        facts=tuple(facts),
        count=len(wrong),
        examples=tuple(str(slot.name) for slot in wrong[:_EXAMPLES]),
        settings=sound_weights(evidence),
    )


RULE = Rule(
    id="weight-counted-as-one",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="SlotWeight of a slot without a consumption policy is not a number, or negative",
    consequence=(
        "A negative weight counts as 1. If a weight is not a number, the negotiator uses its own "
        "SLOT_WEIGHT instead, and 1 if that is not a number either. Quotas, usage and fair "
        "shares are then not what the site intended."
    ),
    advice="Write a weight that is a number of at least 0 on every slot, including dynamic ones.",
    source=(
        "src/condor_negotiator.V6/Accountant.cpp:GetSlotWeight, "
        "matchmaker.cpp:obtainAdsFromCollector, 25.14"
    ),
    find=_find,
)
