"""The jobs on hold: how many, of what weight, by the reason of the hold; and what is not made.

No negotiator sees them: they are not among the idle jobs. The weight is what their schedds would
add to WeightedIdleJobs once they are released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from htcq.classads import as_number
from htcq.pool.demand import JobWeights
from htcq.pool.job import HELD, IDLE, Job
from htcq.pool.slot import Number
from htcq.why.factories import REASON, StuckFactory, stuck_factories

#: What a job's ad says of its hold, its grid resource, its manager and the pool where it runs, and
#: nothing else needs.
ATTRIBUTES = frozenset((
    "HoldReason", "HoldReasonCode", "GridResource", "GridResourceUnavailableTime", REASON,
    "ManagedManager", "RoutedToJobId", "RemotePool",
))  # fmt: skip


@dataclass(frozen=True)
class HoldReason:
    """Jobs on hold with one HoldReasonCode; None: their ads have none.

    ``reason`` is the HoldReason of the ``first`` of them, which is at ``access_point``; empty where
    its ad has none.
    """

    code: Number | None
    reason: str
    jobs: int
    weight: Number
    first: Job
    access_point: str


@dataclass(frozen=True)
class HeldJobs:
    """All jobs on hold; ``by`` has those with most jobs first.

    ``factories`` are the clusters that materialize no more of their jobs.
    """

    jobs: int
    weight: Number
    by: tuple[HoldReason, ...]
    factories: tuple[StuckFactory, ...] = ()


@dataclass
class _Sum:
    first: Job
    jobs: int = 0
    weight: Number = field(default=0)


def held_of(
    jobs: Iterable[Job], weight_of: JobWeights, access_point_of: Callable[[Job], str]
) -> HeldJobs:
    """Return those of ``jobs`` that are on hold, by HoldReasonCode; without one by HoldReason."""
    sums: dict[tuple[Number | None, str], _Sum] = {}
    every = list(jobs)
    for job in every:
        if job.status != HELD:
            continue
        code = as_number(job.value("HoldReasonCode"))
        one = sums.setdefault((code, _reason(job) if code is None else ""), _Sum(job))
        one.jobs += 1
        one.weight += weight_of(job._replace(status=IDLE), access_point_of(job))
    by = [
        HoldReason(
            code, _reason(one.first), one.jobs, one.weight, one.first, access_point_of(one.first)
        )
        for (code, _), one in sums.items()
    ]
    by.sort(key=lambda each: -each.jobs)
    number, weight = sum(each.jobs for each in by), sum(each.weight for each in by)
    return HeldJobs(number, weight, tuple(by), stuck_factories(every, access_point_of))


def _reason(job: Job) -> str:
    reason = job.value("HoldReason")
    return reason if isinstance(reason, str) else ""
