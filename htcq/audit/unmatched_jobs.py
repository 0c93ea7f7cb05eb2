"""Findings on jobs that no unused slot would take: one for each wall, for all its autoclusters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Severity
from htcq.audit.unmatched import Unmatched
from htcq.why.match_failure import START, MatchFailure

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
    points = _access_points(evidence, at_wall)
    elsewhere = _flocks(evidence, points)
    if elsewhere and _flocked(evidence, points):
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


def _access_points(evidence: Evidence, at_wall: _AtWall) -> frozenset[str]:
    """Return the access points of the jobs whose configuration is known; all where none says."""
    names = {each.request.first.access_point for each in at_wall.clusters}
    known = names.intersection(evidence.access)
    return frozenset(known or evidence.access)


def _flocked(evidence: Evidence, points: Collection[str]) -> bool:
    """Return whether jobs of ``points`` run in another pool, or it is not known whether any do."""
    schedds = [record for record in evidence.pool.schedds if record.name in points]
    numbers = [record.number("TotalFlockedJobs") for record in schedds]
    return not numbers or any(number is None or number > 0 for number in numbers)


def _flocks(evidence: Evidence, points: Collection[str]) -> str:
    """Return the pools to which ``points`` send jobs without a slot here.

    It is empty where one of them sends none: its jobs have no other pool.
    """
    pools = {evidence.access[name].value("FLOCK_TO").strip() for name in points}
    return ", ".join(sorted(pools)) if all(pools) else ""
