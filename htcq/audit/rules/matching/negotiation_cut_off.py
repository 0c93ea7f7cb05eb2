"""Time limits end the negotiation with the same submitters or access points in each cycle."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.cycles import negotiation
from htcq.expected.unmet import CUT_OFF


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(negotiation(evidence.pool), CUT_OFF)


RULE = Rule(
    id="negotiation-cut-off",
    severity=Severity.WARNING,
    needs=(Input.POOL,),
    summary="A time limit ends the negotiation with the same submitters in each cycle",
    consequence=(
        "Their other jobs are not considered in that cycle, whatever their quota and priority. "
        "With a limit near 0 nothing of theirs starts."
    ),
    advice=(
        "Raise the time limit; its default is 60 seconds for a submitter and 120 for an access "
        "point. An access point that answers slowly needs more: see its SchedLog and "
        "DaemonCoreDutyCycle."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:negotiate, negotiateWithGroup, 25.14",
    find=_find,
)
