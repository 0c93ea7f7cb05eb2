"""What keeps idle jobs, summed up: one first reason for each job, most weight first.

The weight of a job is what its schedd adds to WeightedIdleJobs for it (SCHEDD_SLOT_WEIGHT).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from htcq.pool.demand import JobWeights
from htcq.pool.pool import Pool
from htcq.why.verdict import Verdict

#: The place of jobs that start in the next cycle among the reasons.
STARTS = "starts"


@dataclass(frozen=True)
class ReasonSum:
    """The jobs whose first reason is ``reason``: how many, what they weigh, those that weigh most.

    ``submitters`` is how many submitters they have; ``first`` stands for them.
    """

    reason: str
    jobs: int
    weight: float
    submitters: int
    first: Verdict


def sums_of(verdicts: Iterable[Verdict], pool: Pool) -> Sequence[ReasonSum]:
    """Return the jobs of ``verdicts`` by their first reason, most weight first."""
    weight_of = JobWeights(pool)
    found: dict[str, list[tuple[float, Verdict]]] = {}
    for verdict in verdicts:
        reason = verdict.walls[0].id if verdict.walls and not verdict.starts else STARTS
        weight = sum(float(weight_of(job, verdict.access_point)) for job in verdict.jobs)
        found.setdefault(reason, []).append((weight, verdict))
    sums = [_sum(reason, parts) for reason, parts in found.items()]
    return sorted(sums, key=lambda each: (each.reason == STARTS, -each.weight, each.reason))


def _sum(reason: str, parts: Sequence[tuple[float, Verdict]]) -> ReasonSum:
    heaviest = max(parts, key=lambda part: part[0])[1]
    return ReasonSum(
        reason,
        sum(len(verdict.jobs) for _, verdict in parts),
        sum(weight for weight, _ in parts),
        len({verdict.submitter for _, verdict in parts}),
        heaviest,
    )
