"""NEGOTIATOR_NUM_THREADS is more than 1 while slots have consumption policies."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.central_knobs import beside_policies
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Need, Rule, Severity

_KNOB = "NEGOTIATOR_NUM_THREADS"


def _find(evidence: Evidence) -> Iterator[Found]:
    if _threads(evidence) > 1:
        yield from beside_policies(evidence, _KNOB, "the threads match plain requests, not what the policies take")


def _threads(evidence: Evidence) -> int:
    text = evidence.setting(_KNOB, "1").strip()
    return int(text) if text.isdigit() else 1


RULE = Rule(
    id="policy-bypassed-by-threads",
    severity=Severity.WARNING,
    needs=(Need.SLOTS, Need.CENTRAL),
    summary="NEGOTIATOR_NUM_THREADS is more than 1 while slots have consumption policies",
    consequence=(
        "With several threads the negotiator matches all slots beforehand, with the request as the job makes it. Slots "
        "whose policy takes more, or whose limits look at what it takes, match wrongly or not at all."
    ),
    fix="NEGOTIATOR_NUM_THREADS = 1",
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, 25.14",
    find=_find,
)
