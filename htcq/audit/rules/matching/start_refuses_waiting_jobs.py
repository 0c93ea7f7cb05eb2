"""START of free slots takes none of the jobs that wait, nor any other job of the pool."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.idle_capacity import idle_for
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.balance.causes import START_REFUSES


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from idle_for(evidence, START_REFUSES)


RULE = Rule(
    id="start-refuses-waiting-jobs",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary=(
        "Jobs wait that fit free slots, whose START takes none of them, nor any other known job"
    ),
    consequence=(
        "The slots stand idle while the jobs wait. A START that compares an attribute with a value "
        "that no job has does this, such as TARGET.AccountingGroup with the name of a group: the "
        "attribute has the group and the user, physics.hep.ada."
    ),
    advice=(
        "Correct START, or the attributes of machines or jobs that it names; 'htcq why' has the "
        "clause."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp, 25.14; seen on 25.14.1",
    find=_find,
)
