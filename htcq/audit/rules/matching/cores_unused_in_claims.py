"""Static slots have more cores than their jobs ask for, while jobs wait."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import UNASKED


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, UNASKED)


RULE = Rule(
    id="cores-unused-in-claims",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary="Claimed static slots have cores that no job asked for, and waiting jobs would fit",
    consequence=(
        "A static slot goes to one job as a whole. The cores that the job does not ask for stand "
        "idle until it ends, and its user is charged for them. Where half of the machines or more "
        "are so, that is information."
    ),
    advice=(
        "SLOT_TYPE_n_PARTITIONABLE = true lets the startd split the slot; static slots should have "
        "as many cores as jobs request."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp, Accountant.cpp:GetSlotWeight, 25.14",
    find=_find,
)
