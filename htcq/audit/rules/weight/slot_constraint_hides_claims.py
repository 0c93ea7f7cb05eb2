"""NEGOTIATOR_SLOT_CONSTRAINT that shows slots while free and hides them once claimed."""

from __future__ import annotations

from collections.abc import Container, Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.fix import Role, Setting
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.classads import UNDEFINED, as_number
from htcq.policy.claim import accounted
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.weights import Weights
from htcq.poolquota.supply import SLOT_CONSTRAINT

_EXAMPLES = 3


def _find(evidence: Evidence) -> Iterator[Found]:
    supply = evidence.quotas.supply
    text = evidence.setting(SLOT_CONSTRAINT)
    if len(supply.slots) in (0, len(evidence.slots)):
        return
    visible = {slot.name for slot in supply.slots}
    constraint = Weights(text)
    claimed = [slot for slot in evidence.slots if slot.claimed]
    invisible = [slot for slot in claimed if slot.name not in visible]
    hidden = [slot for slot in invisible if _seen_when_free(slot, visible, constraint)]
    if hidden:
        weight = sum(accounted(evidence.weights.of(slot)) for slot in hidden)
        yield Found(
            cause=text,
            subject=f"knob {SLOT_CONSTRAINT}",
            message=(
                f"{SLOT_CONSTRAINT} hides {len(hidden)} of "
                f"{counted(len(claimed), 'claimed slot')}, with a weight of {weight:g}: no "
                "submitter is charged for them"
            ),
            facts=(knob_fact(evidence, SLOT_CONSTRAINT),),
            settings=(central(evidence, SLOT_CONSTRAINT, f'({text}) || State == "Claimed"'),),
            count=len(hidden),
            examples=tuple(str(slot.name) for slot in hidden[:_EXAMPLES]),
            trial=(Setting(Role.CENTRAL, SLOT_CONSTRAINT, ""),),
        )


def _seen_when_free(slot: Slot, visible: Container[object], constraint: Weights) -> bool:
    """Return whether only the claim hides the slot.

    A constraint may rightly leave whole machines to another negotiator.
    """
    if slot.type == DYNAMIC:
        return slot.parent in visible
    free = slot._replace(
        state="Unclaimed", activity="Idle", accounting_group=UNDEFINED, remote_user=UNDEFINED
    )
    return bool(as_number(constraint.of(free)))


RULE = Rule(
    id="slot-constraint-hides-claims",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.CENTRAL, Input.POOL),
    summary="NEGOTIATOR_SLOT_CONSTRAINT hides claimed slots from the negotiator",
    consequence=(
        "The accountant charges only for slots that the negotiator sees. If claimed slots are "
        "hidden, the usage of their submitters and groups is 0, and neither quotas nor "
        "priorities nor ceilings limit them."
    ),
    advice=(
        "Write a constraint that is true for all claimed slots, or that does not refer to "
        "attributes that a claim changes (State, Activity, SlotType, DynamicSlot, "
        "PartitionableSlot)."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:obtainAdsFromCollector, "
        "Accountant.cpp:CheckMatches, 25.14"
    ),
    find=_find,
)
