"""Verdicts on jobs as JSON; the names, which htcq-why(1) lists, are a contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from htcq.expected.unmet import Unmet
from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments, health_json
from htcq.report.formats.json import finite
from htcq.report.views.held import held_json
from htcq.report.views.unmet import unmet_json
from htcq.simulate.unmodelled import unmodelled
from htcq.why.agreement import NegotiatorReason, negotiator_reason
from htcq.why.course import Starts
from htcq.why.held import HeldJobs
from htcq.why.match_failure import MatchFailure
from htcq.why.verdict import Verdict

SCHEMA = 1


def why_json(
    verdicts: Sequence[Verdict],
    pool: Pool,
    unmet: Sequence[Unmet] = (),
    starts: Starts | None = None,
    held: HeldJobs | None = None,
) -> dict[str, Any]:
    """Return what ``json.dumps`` takes.

    ``unmet`` is what should have happened in the pool and did not.
    ``starts`` are those of a course, None where none was asked for. ``held`` are the jobs on hold,
    None where not all jobs were asked about.
    """
    jobs: list[dict[str, Any]] = []
    for verdict in verdicts:
        jobs += _jobs(verdict, pool, unmet, starts)
    return {
        "schema": SCHEMA,
        "source": pool.source,
        "taken": pool.taken_at,
        "health": health_json(ailments(pool)),
        "jobs": jobs,
        "held": held_json(held),
        "unmet": [unmet_json(each) for each in unmet],
        "unmodelled": list(unmodelled(pool, courses=starts is not None)),
        "incomplete": list(pool.incomplete),
    }


def _jobs(
    verdict: Verdict, pool: Pool, unmet: Sequence[Unmet], starts: Starts | None
) -> Iterator[dict[str, Any]]:
    """Yield each of the jobs that are alike; their walls are the same."""
    walls = [_wall(each) for each in verdict.walls]
    for job in verdict.jobs:
        keys: dict[str, Any] = {
            "job": job.id,
            "access_point": verdict.access_point,
            "submitter": verdict.submitter,
            "starts": verdict.starts,
            "starts_by": verdict.starts_by,
            "fits_nowhere": verdict.fits_nowhere,
            "equals": verdict.equals,
            "unmet": [each.id for each in unmet if each.concerns(verdict.access_point, job.id)],
            "walls": walls,
            "negotiator_reason": _reason(negotiator_reason(pool, job), verdict),
        }
        if starts is not None:
            keys["starts_at"] = None
            start = starts.get((verdict.access_point, job.id))
            if start is not None:
                keys["starts_at"] = start.cycle
                keys["starts_by"] = verdict.starts_by or start.by
        yield keys


def _reason(reason: NegotiatorReason | None, verdict: Verdict) -> dict[str, Any] | None:
    """Return HTCondor's own last reason for a job; None where it gives none."""
    if reason is None:
        return None
    agrees = None
    if not verdict.starts:
        agrees = reason.agrees(wall.id for wall in verdict.walls)
    return {
        "reason": reason.reason,
        "negotiator": reason.negotiator,
        "time": reason.time,
        "latest": reason.latest,
        "agrees": agrees,
    }


def _wall(wall: MatchFailure) -> dict[str, Any]:
    return {
        "wall": wall.id,
        "text": wall.text,
        "amounts": finite(dict(wall.amounts)),
        "lifted_by": wall.lifted_by,
    }
