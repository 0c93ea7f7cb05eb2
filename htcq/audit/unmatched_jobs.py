"""Findings on jobs that no unused slot would take: one for each wall, for all its autoclusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Severity
from htcq.poolquota.access.flocking import Flocking
from htcq.why.match_failure import START, MatchFailure
from htcq.why.unmatched import Unmatched

_EXAMPLES = 3


@dataclass
class _AtWall:
    """The autoclusters at one wall, and the wall of the one with most jobs."""

    wall: MatchFailure
    clusters: list[Unmatched] = field(default_factory=list)


def found_by_wall(
    evidence: Evidence, chosen: Callable[[Unmatched], MatchFailure | None], what: str
) -> Iterator[Found]:
    """Yield a finding for each wall that ``chosen`` names; ``what`` describes the jobs."""
    walls: dict[str, _AtWall] = {}
    for each in evidence.unmatched:
        wall = chosen(each)
        if wall is not None:
            walls.setdefault(_cause(wall), _AtWall(wall)).clusters.append(each)
    for cause, at_wall in walls.items():
        yield _found(evidence, cause, at_wall, what)


def _cause(wall: MatchFailure) -> str:
    """Return the key by which walls of several autoclusters are one: the clause, or the asset."""
    return str(wall.amounts.get("clause") or wall.amounts.get("asset") or "several assets")


def _found(evidence: Evidence, cause: str, at_wall: _AtWall, what: str) -> Found:
    jobs = sum(each.jobs for each in at_wall.clusters)
    first = at_wall.clusters[0].request
    clusters = counted(len(at_wall.clusters), "autocluster")
    message = (
        f"{counted(jobs, 'idle job')} in {clusters}, such as {first.first.id}, {what}: "
        f"{at_wall.wall.text}"
    )
    severity: Severity | None = None
    points = {each.request.first.access_point for each in at_wall.clusters}
    flocking = Flocking(evidence.access, evidence.pool.schedds)
    elsewhere = flocking.to(points)
    if elsewhere and flocking.happens(points):
        message += f"; they may run in {elsewhere}"
        severity = Severity.INFO
    elif elsewhere:
        message += (
            f"; FLOCK_TO names {elsewhere}, but no access point has a job there (TotalFlockedJobs)"
        )
    own = "Requirements"
    if at_wall.wall.id == START:
        own = "Start"
    text = str(at_wall.wall.amounts.get("clause", "")) or first.frame.text(own)
    facts: tuple[Fact, ...] = ()
    if text:
        facts = (Fact(own, text),)
    return Found(
        cause=cause,
        subject=f"job {first.first.id}",
        message=message,
        facts=facts,
        count=jobs,
        harm=Harm(jobs=jobs),
        examples=tuple(each.request.first.id for each in at_wall.clusters[:_EXAMPLES]),
        severity=severity,
    )
