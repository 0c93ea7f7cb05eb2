"""Findings on jobs that no unused slot would take: one for each wall, for all its autoclusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Severity
from htcq.policy.claim import request_of
from htcq.pool.shared_attributes import SharedAttributes
from htcq.poolquota.access.flocking import flocking_of
from htcq.why.match_failure import REQUEST_UNDEFINED, START, MatchFailure
from htcq.why.origins import with_writer
from htcq.why.unknown_names import with_unknown_names
from htcq.why.unmatched import Unmatched, cause_of

_EXAMPLES = 3
#: What one job does, and what several do.
_Verbs = tuple[str, str]


@dataclass
class _AtWall:
    """The autoclusters at one wall, and the wall of the one with most jobs."""

    wall: MatchFailure
    clusters: list[Unmatched] = field(default_factory=list)


def found_by_wall(
    evidence: Evidence, chosen: Callable[[Unmatched], MatchFailure | None], what: _Verbs
) -> Iterator[Found]:
    """Yield a finding for each wall that ``chosen`` names.

    ``what`` describes one job, and several.
    """
    walls: dict[str, _AtWall] = {}
    for each in evidence.unmatched:
        wall = chosen(each)
        if wall is not None:
            walls.setdefault(cause_of(wall), _AtWall(wall)).clusters.append(each)
    for cause, at_wall in walls.items():
        yield _found(evidence, cause, at_wall, what)


def _found(evidence: Evidence, cause: str, at_wall: _AtWall, what: _Verbs) -> Found:
    jobs = sum(each.jobs for each in at_wall.clusters)
    first = at_wall.clusters[0].request
    wall = with_writer(at_wall.wall, first.first, evidence.askers.access.of(first.first))
    wall = with_unknown_names(wall, evidence.pool)
    names = [evidence.pool.job_name(each.request.first) for each in at_wall.clusters[:_EXAMPLES]]
    is_general = wall is at_wall.wall and wall.id != REQUEST_UNDEFINED
    is_general = is_general and "hidden" not in wall.amounts
    clusters = counted(len(at_wall.clusters), "autocluster")
    message = (
        f"{counted(jobs, 'idle job')} in {clusters}, such as {names[0]}, "
        f"{what[jobs != 1]}: {wall.text}"
    )
    points = {each.request.first.access_point for each in at_wall.clusters}
    flocking = flocking_of(evidence.pool)
    elsewhere = flocking.text(points)
    if elsewhere:
        message += f"; {elsewhere}"
    return Found(
        cause=cause,
        subject=f"job {names[0]}",
        message=message,
        advice="" if is_general else f"{wall.advice}.",
        facts=_facts(wall, first.frame),
        count=jobs,
        harm=Harm(jobs=jobs),
        examples=tuple(names),
        severity=Severity.INFO if flocking.takes(points) else None,
    )


def _facts(wall: MatchFailure, frame: SharedAttributes) -> tuple[Fact, ...]:
    """Return the expression that keeps the jobs from all slots."""
    own = "Start" if wall.id == START else "Requirements"
    if wall.id == REQUEST_UNDEFINED:
        own = request_of(str(wall.amounts["asset"]))
    own = str(wall.amounts.get("attribute", own))
    text = str(wall.amounts.get("clause", "")) or frame.text(own)
    return (Fact(own, text),) if text else ()
