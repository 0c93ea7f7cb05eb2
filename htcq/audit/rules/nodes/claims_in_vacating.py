"""Claims whose jobs were told to end long ago, or have more than a day for it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import VACATE_LONG
from htcq.expected.vacating import endless_vacating


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(endless_vacating(evidence.pool), VACATE_LONG)


RULE = Rule(
    id="claims-in-vacating",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Claims have been vacated for more than an hour, or may be for more than a day",
    consequence=(
        "The jobs were told to end and have not: removed, preempted or drained. Until they end, or "
        "the startd kills them after MachineMaxVacateTime, no other job gets the slots, and their "
        "users are charged for them."
    ),
    advice=(
        "MachineMaxVacateTime is in seconds, 600 by default. 'condor_vacate -fast MACHINE' kills "
        "the jobs at once."
    ),
    source="src/condor_startd.V6/Resource.cpp:evalMaxVacateTime, 25.14",
    find=_find,
)
