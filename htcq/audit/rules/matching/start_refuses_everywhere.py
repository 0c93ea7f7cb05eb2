"""Machines have what idle jobs ask for, and the START of all of them refuses these jobs."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.unmatched import Unmatched
from htcq.audit.unmatched_jobs import found_by_wall
from htcq.why.match_failure import NO_SUCH_MACHINE, REQUIREMENTS, START, MatchFailure


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_by_wall(evidence, _wall, "are refused by all machines that are large enough")


def _wall(jobs: Unmatched) -> MatchFailure | None:
    others = {wall.id for wall in jobs.walls} & {NO_SUCH_MACHINE, REQUIREMENTS}
    if others and not jobs.only_start:
        return None
    return next((wall for wall in jobs.walls if wall.id == START), None)


RULE = Rule(
    id="start-refuses-everywhere",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="START of every machine that could run idle jobs refuses them",
    consequence=(
        "The machines are large enough and match the jobs' Requirements, but a clause of START, "
        "or of the slots' other Requirements, refuses the jobs: an owner that is not "
        "listed, an attribute that the jobs should have, a health check. An attribute that is "
        "misspelt or that no job has makes the machine refuse all jobs."
    ),
    advice=(
        "Check the clause: either change START to accept such jobs, or add what it requires to "
        "the jobs."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, "
        "condor_startd.V6/Reqexp.cpp, 25.14"
    ),
    find=_find,
)
