"""Idle jobs ask for more than any machine has, of one asset or of several together."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.unmatched import Unmatched
from htcq.audit.unmatched_jobs import found_by_wall
from htcq.why.match_failure import NO_SUCH_MACHINE, MatchFailure


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_by_wall(evidence, _wall, "fit no machine")


def _wall(jobs: Unmatched) -> MatchFailure | None:
    if jobs.only_start:
        return None
    return next((wall for wall in jobs.walls if wall.id == NO_SUCH_MACHINE), None)


RULE = Rule(
    id="jobs-fit-no-machine",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Idle jobs ask for more than any machine has",
    consequence=(
        "No slot has so many cpus, so much memory or so many GPUs even with no job on it, or none has all of it "
        "together, or none of those that the job's Requirements and the machines' START leave. The jobs stay idle "
        "until somebody changes them, count for demand, and use up what the schedd offers for their owner."
    ),
    advice=(
        "Tell the owner, who can change the request with condor_qedit. A submit requirement that compares RequestCpus "
        "and RequestMemory with the largest machine refuses such jobs when they are submitted."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, 25.14",
    find=_find,
)
