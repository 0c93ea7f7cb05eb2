"""NUM_CLAIMS is 0 or below, or beyond all measure."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import execute
from htcq.audit.nodes import nodes
from htcq.audit.policies import number, on_knob, on_slots, slots_by
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.rules.consumption.too_few_claims import claims_for
from htcq.claims.safety import MAX_CLAIMS
from htcq.classads import as_number, parsed
from htcq.pool.slot import Number


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        advertised = False
        for claims, slots in slots_by(kind, "NumClaims").items():
            if _wrong(claims):
                advertised = True
                cause, fact = f"NumClaims {number(claims)}", Fact("NumClaims", number(claims))
                settings = execute(evidence, slots, "NUM_CLAIMS", claims_for(evidence, kind))
                message = _message(claims)
                yield on_slots(kind, cause, message, (fact,), slots=slots, settings=settings)
        # What the slots advertise is not reported for the knob again.
        if advertised:
            continue
        for node in nodes(evidence, kind):
            knob = node.knob("NUM_CLAIMS")
            wanted = _value(knob.value)
            if wanted is not None and _wrong(wanted):
                settings = execute(evidence, kind.places, "NUM_CLAIMS", claims_for(evidence, kind))
                yield on_knob(knob, _message(wanted), f"slot {node.slot.name}", settings)


def _wrong(claims: Number) -> bool:
    return not 1 <= claims <= MAX_CLAIMS


def _message(claims: Number) -> str:
    if claims == 0:
        return "it has no claim id: no job is ever matched with it"
    return (
        f"{number(claims)} claim ids: the startd creates them one by one until it has no memory "
        "left"
    )


def _value(text: str) -> Number | None:
    expression = parsed(text)
    if expression is None:
        return None
    return as_number(expression.evaluate())


RULE = Rule(
    id="no-claims",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="NUM_CLAIMS of a slot with a consumption policy is 0, negative or far too large",
    consequence=(
        "With 0 the slot has no claim id and is never matched. A negative number is read as "
        "about four billion, and the startd tries to create so many claims."
    ),
    advice="Set it to the number of the smallest jobs that fit, and restart the startd.",
    source="src/condor_startd.V6/Resource.cpp:Resource::Resource, 25.14; 0 seen on 25.14.1",
    find=_find,
)
