"""ALLOW_PSLOT_PREEMPTION is on while slots have consumption policies."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.central_knobs import beside_policies
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "ALLOW_PSLOT_PREEMPTION"


def _find(evidence: Evidence) -> Iterator[Found]:
    if evidence.truth(_KNOB, False):
        effect = "the negotiator ignores policies when it preempts dynamic slots"
        yield from beside_policies(evidence, _KNOB, effect, "False")


RULE = Rule(
    id="policy-bypassed-by-preemption",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="ALLOW_PSLOT_PREEMPTION is on while slots have consumption policies",
    consequence=(
        "When the negotiator combines dynamic slots to free resources for a job, it compares the "
        "plain request with their amounts. The consumption of the policy is neither checked nor "
        "deducted."
    ),
    advice="Turn it off while slots have consumption policies.",
    source="src/condor_negotiator.V6/matchmaker.cpp:pslotMultiMatch, 25.14",
    find=_find,
)
