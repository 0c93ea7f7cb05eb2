"""Jobs that a group must give up to reduce its usage to its runtime.

Follows pkg/scheduler/plugins/elasticquota/quota_overuse_revoke.go of koordinator-sh/koordinator,
commit a7a1b76, in the order of victims and in giving back what still fits. Unlike there,
every dimension is considered, and no job is given up that uses none of what is exceeded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.quota.elastic.declaration import Amounts


@dataclass(frozen=True)
class RunningJob:
    """A running job: its usage, its priority (more is better) and its start.

    Starts may be in any unit of time.
    """

    name: str
    uses: Amounts
    priority: int = 0
    start: float = 0.0
    preemptible: bool = True


def revoke(used: Amounts, runtime: Amounts, jobs: Iterable[RunningJob]) -> tuple[str, ...]:
    """Return the names of the jobs to give up, the most important first.

    The least important go first: low priority, then late start, then the greater name. Then
    those come back, the most important first, that fit after all. Where all that may go does not
    suffice, all that helps is named.
    """
    left = dict(used)
    gone: list[RunningJob] = []
    order = sorted(jobs, key=lambda job: (-job.priority, job.start, job.name))
    for job in reversed(order):
        exceeded = over(left, runtime)
        if not exceeded:
            break
        if job.preemptible and any(job.uses.get(name, 0) > 0 for name in exceeded):
            _add(left, job.uses, -1)
            gone.append(job)
    if over(left, runtime):
        return tuple(job.name for job in reversed(gone))
    named = []
    for job in reversed(gone):
        _add(left, job.uses, 1)
        if over(left, runtime):
            _add(left, job.uses, -1)
            named.append(job.name)
    return tuple(named)


def over(used: Mapping[str, int], runtime: Amounts) -> tuple[str, ...]:
    """Return the dimensions in which usage exceeds ``runtime``.

    Those that ``runtime`` lacks are not managed.
    """
    names = [name for name in used if name in runtime and used[name] > runtime[name]]
    return tuple(sorted(names))


def _add(amounts: dict[str, int], other: Amounts, sign: int) -> None:
    for name, amount in other.items():
        amounts[name] = amounts.get(name, 0) + sign * amount
