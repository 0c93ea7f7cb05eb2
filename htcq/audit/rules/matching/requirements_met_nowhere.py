"""The Requirements of idle jobs hold on no slot of the pool."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.unmatched_jobs import found_by_wall
from htcq.why.match_failure import DEDICATED_SCHEDULER, NO_SUCH_MACHINE, REQUIREMENTS, MatchFailure
from htcq.why.unmatched import Unmatched


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_by_wall(evidence, _wall, "require what no slot has")


def _wall(jobs: Unmatched) -> MatchFailure | None:
    if jobs.only_start or any(wall.id == NO_SUCH_MACHINE for wall in jobs.walls):
        return None
    for wall in jobs.walls:
        if wall.id in (REQUIREMENTS, DEDICATED_SCHEDULER):
            return wall
    return None


RULE = Rule(
    id="requirements-met-nowhere",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="The Requirements of idle jobs are true on no slot",
    consequence=(
        "A clause names an operating system, a site or an attribute that no slot has, or two "
        "clauses exclude each other. The jobs stay idle until somebody changes them; HTCondor "
        "reports this only in condor_q -better-analyze."
    ),
    advice=(
        "Inform the owner, who can correct the clause with condor_qedit; or add to the slots "
        "what the jobs require (STARTD_ATTRS)."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, 25.14",
    find=_find,
)
