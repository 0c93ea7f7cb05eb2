"""Idle jobs ask for more than any machine has, of one asset or of several together."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.audit.unmatched_jobs import found_by_wall
from htcq.why.match_failure import NO_SUCH_MACHINE, REQUEST_UNDEFINED, MatchFailure
from htcq.why.unmatched import Unmatched

_OF_REQUESTS = frozenset((NO_SUCH_MACHINE, REQUEST_UNDEFINED))


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_by_wall(evidence, _wall, ("fits no machine", "fit no machine"))


def _wall(jobs: Unmatched) -> MatchFailure | None:
    return jobs.first if jobs.first.id in _OF_REQUESTS else None


RULE = Rule(
    id="jobs-fit-no-machine",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Idle jobs request more than any machine has, or what is no number",
    consequence=(
        "A request that evaluates to undefined meets no slot. Or no slot has enough cpus, memory "
        "or GPUs even when it is empty, or not all of them together, or not within the job's "
        "Requirements and the machines' START. The jobs stay "
        "idle until somebody changes them, count as demand, and use up the offers of the schedd "
        "for their owner."
    ),
    advice=(
        "Inform the owner, who can change the request with condor_qedit. A submit requirement "
        "that compares RequestCpus and RequestMemory with the largest machine refuses such jobs "
        "at submission."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, 25.14",
    find=_find,
)
