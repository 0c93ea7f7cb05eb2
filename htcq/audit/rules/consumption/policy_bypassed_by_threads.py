"""NEGOTIATOR_NUM_THREADS is more than 1 while slots have consumption policies."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.central_knobs import beside_policies
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import whole_number

_KNOB = "NEGOTIATOR_NUM_THREADS"


def _find(evidence: Evidence) -> Iterator[Found]:
    if _threads(evidence) > 1:
        yield from beside_policies(
            evidence, _KNOB, "the threads match plain requests, not consumptions", "1"
        )


def _threads(evidence: Evidence) -> int:
    threads = whole_number(evidence.setting(_KNOB, "1").strip())
    if threads is None:
        return 1
    return threads


RULE = Rule(
    id="policy-bypassed-by-threads",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="NEGOTIATOR_NUM_THREADS is more than 1 while slots have consumption policies",
    consequence=(
        "With several threads the negotiator matches all slots in advance, with the job's plain "
        "request. Slots whose policy consumes more, or whose limits depend on the consumption, "
        "match wrongly or not at all."
    ),
    advice="Use one thread while slots have consumption policies.",
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, 25.14",
    find=_find,
)
