"""NEGOTIATOR_USE_SLOT_WEIGHTS is off while slots have consumption policies."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.central_knobs import beside_policies
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "NEGOTIATOR_USE_SLOT_WEIGHTS"


def _find(evidence: Evidence) -> Iterator[Found]:
    if not evidence.truth(_KNOB, True):
        yield from beside_policies(
            evidence, _KNOB, "a match is charged in weights, the claim afterwards as 1", "True"
        )


RULE = Rule(
    id="unweighted-with-policy",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="NEGOTIATOR_USE_SLOT_WEIGHTS is off while slots have consumption policies",
    consequence=(
        "The match cost of a slot with a consumption policy is always a weight. From the next "
        "cycle on every claim counts 1, whatever its size: usage and limits change their unit "
        "from cycle to cycle."
    ),
    advice="Use slot weights everywhere, and write quotas in the unit of SLOT_WEIGHT.",
    source="src/condor_negotiator.V6/Accountant.cpp:AddMatch, GetSlotWeight, 25.14",
    find=_find,
)
