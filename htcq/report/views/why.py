"""Verdicts on jobs as JSON; the names, which htcq-why(1) lists, are a contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments, health_json
from htcq.report.formats.json import finite
from htcq.why.agreement import NegotiatorReason, negotiator_reason
from htcq.why.course import Starts
from htcq.why.match_failure import WALLS, MatchFailure
from htcq.why.verdict import Verdict

SCHEMA = 1


def why_json(
    verdicts: Sequence[Verdict], pool: Pool, starts: Starts | None = None
) -> dict[str, Any]:
    """Return what ``json.dumps`` takes; ``starts`` are those of a course, None where none was asked for."""
    return {
        "schema": SCHEMA,
        "source": pool.source,
        "taken": pool.taken_at,
        "health": health_json(ailments(pool)),
        "jobs": [job for verdict in verdicts for job in _jobs(verdict, pool, starts)],
        "incomplete": list(pool.incomplete),
    }


def _jobs(verdict: Verdict, pool: Pool, starts: Starts | None) -> Iterator[dict[str, Any]]:
    """Yield each of the jobs that are alike; their walls are the same."""
    walls = [_wall(each) for each in verdict.walls]
    for job in verdict.jobs:
        told: dict[str, Any] = {
            "job": job.id,
            "access_point": verdict.access_point,
            "submitter": verdict.submitter,
            "starts": verdict.starts,
            "starts_by": verdict.starts_by,
            "walls": walls,
            "negotiator_reason": _reason(negotiator_reason(pool, job), verdict),
        }
        if starts is not None:
            start = starts.get((verdict.access_point, job.id))
            told["starts_at"] = None if start is None else start.cycle
            told["starts_by"] = verdict.starts_by or ("" if start is None else start.by)
        yield told


def _reason(reason: NegotiatorReason | None, verdict: Verdict) -> dict[str, Any] | None:
    """Return HTCondor's own last reason for a job; None where it gives none."""
    if reason is None:
        return None
    return {
        "reason": reason.reason,
        "negotiator": reason.negotiator,
        "time": reason.time,
        "latest": reason.latest,
        "agrees": None if verdict.starts else reason.agrees(wall.id for wall in verdict.walls),
    }


def _wall(wall: MatchFailure) -> dict[str, Any]:
    told: dict[str, Any] = {
        "wall": wall.id,
        "text": wall.text,
        "amounts": finite(dict(wall.amounts)),
    }
    return {**told, "lifted_by": WALLS[wall.id].lifted_by}
