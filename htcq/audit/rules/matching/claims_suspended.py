"""Claims are suspended while jobs wait."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.claims import standing_claims
from htcq.expected.unmet import SUSPENDED


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(standing_claims(evidence.pool), SUSPENDED)


RULE = Rule(
    id="claims-suspended",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Claims are suspended while jobs wait",
    consequence=(
        "A suspended job keeps its slot and does not run. The accountant charges its user all the "
        "same, unless NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES is true."
    ),
    advice=(
        "SUSPEND, WANT_SUSPEND and CONTINUE of the execution point; condor_continue of jobs that "
        "condor_suspend stopped."
    ),
    source="src/condor_startd.V6/ResState.cpp:eval_policy, 25.14; seen on 25.14.1",
    find=_find,
)
