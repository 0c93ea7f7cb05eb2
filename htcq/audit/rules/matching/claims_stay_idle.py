"""Claims in which no job runs stand for longer than three cycles."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.claims import standing_claims
from htcq.expected.unmet import IDLE_CLAIMS


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(standing_claims(evidence.pool), IDLE_CLAIMS)


RULE = Rule(
    id="claims-stay-idle",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Claims in which no job runs stand for longer than three cycles",
    consequence=(
        "The accountant charges their holder, and nobody else gets the slots. Where a schedd "
        "starts its shadows slowly or cannot start them, its jobs run by their status and do "
        "nothing."
    ),
    advice=(
        "JOB_START_DELAY and JOB_START_COUNT of the access point; SchedLog and ShadowLog there, "
        "StartLog of the machines. condor_vacate_job or condor_release_claim gives the slots "
        "back."
    ),
    source=("src/condor_schedd.V6/schedd.cpp:StartJobs, RunnableJobQueue, 25.14; seen on 25.14.1"),
    find=_find,
)
