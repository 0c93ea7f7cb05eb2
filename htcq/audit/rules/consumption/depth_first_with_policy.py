"""NEGOTIATOR_DEPTH_FIRST is on while slots have consumption policies."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.central_knobs import beside_policies
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "NEGOTIATOR_DEPTH_FIRST"


def _find(evidence: Evidence) -> Iterator[Found]:
    if evidence.truth(_KNOB, False):
        effect = "after each match, requests are skipped that nothing serves"
        yield from beside_policies(evidence, _KNOB, effect, "False")


RULE = Rule(
    id="depth-first-with-policy",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="NEGOTIATOR_DEPTH_FIRST is on while slots have consumption policies",
    consequence=(
        "After a match the negotiator skips as many requests as the rest of the slot could "
        "serve, because it expects the access point to use the leftovers. With a consumption "
        "policy there are no leftovers: jobs wait for a later cycle although slots are free."
    ),
    advice="Turn it off: with a consumption policy each match consumes what one job needs.",
    source="src/condor_negotiator.V6/matchmaker.cpp:negotiate, jobsInSlot, 25.14",
    find=_find,
)
