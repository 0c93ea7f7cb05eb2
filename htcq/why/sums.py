"""What keeps idle jobs, summed up: one first reason for each job, most weight first.

The weight of a job is what its schedd adds to WeightedIdleJobs for it (SCHEDD_SLOT_WEIGHT).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from htcq.pool.demand import JobWeights
from htcq.pool.pool import Pool
from htcq.units import counted
from htcq.why.match_failure import NEGOTIATOR_ABSENT, NEGOTIATOR_LATE
from htcq.why.verdict import Verdict

#: The place of jobs that start in the next cycle among the reasons.
STARTS = "starts"
#: The negotiator does not work now: what it would do else is simulated.
OF_NEGOTIATOR = frozenset((NEGOTIATOR_ABSENT, NEGOTIATOR_LATE))


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


def once_a_negotiator_works(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield what the first cycle makes of jobs that wait for a negotiator, if any does.

    That is how many start, and what keeps the others then.
    """
    starting, others, first = 0, Counter[str](), dict[str, str]()
    for verdict in verdicts:
        ids = [each.id for each in verdict.walls]
        if not OF_NEGOTIATOR.intersection(ids):
            continue
        later = [each for each in ids if each not in OF_NEGOTIATOR]
        if later:
            others[later[0]] += len(verdict.jobs)
            first.setdefault(later[0], verdict.jobs[0].full_id)
        elif verdict.would_start_by:
            starting += len(verdict.jobs)
    if starting or others:
        waiting = "".join(
            f", {jobs} wait ({reason}, such as {first[reason]})"
            for reason, jobs in others.most_common()
        )
        yield f"once a negotiator works its first cycle starts {counted(starting, 'job')}{waiting}"
