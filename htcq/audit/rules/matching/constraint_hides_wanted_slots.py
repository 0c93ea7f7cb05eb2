"""NEGOTIATOR_SLOT_CONSTRAINT hides free slots that waiting jobs would start on."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.idle_capacity import idle_for
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.why.match_failure import SLOT_CONSTRAINT


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from idle_for(evidence, SLOT_CONSTRAINT)


RULE = Rule(
    id="constraint-hides-wanted-slots",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.CENTRAL, Input.BALANCE),
    summary="NEGOTIATOR_SLOT_CONSTRAINT hides free slots that waiting jobs would start on",
    consequence=(
        "The only negotiator of the pool does not see these slots: no job ever starts there, and "
        "their weight is in no quota."
    ),
    advice="Correct NEGOTIATOR_SLOT_CONSTRAINT of the central manager.",
    source="src/condor_negotiator.V6/matchmaker.cpp:obtainAdsFromCollector, 25.14",
    find=_find,
)
