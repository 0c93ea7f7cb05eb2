"""When jobs start, and what keeps them until then: by one course, whose first cycle is the verdict.

What is said of a job that waits longer is what the last cycle before its start found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from htcq.pool.job import IDLE, Job
from htcq.simulate.course.course import Course, Plan
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.trace import Trace
from htcq.why.match_failure import MatchFailure
from htcq.why.verdict import Verdicts


class StartsAt(NamedTuple):
    """Start of one job: the cycle (the next one is 1), the seconds from now, and the way."""

    cycle: int
    seconds: float
    by: str


class Obstacle(NamedTuple):
    """What keeps a job in the cycle of this number (the next one is 1)."""

    cycle: int
    wall: MatchFailure


class Obstacles:
    """The last obstacle of each of ``jobs`` in the cycles of a course so far."""

    def __init__(self, jobs: Iterable[Job], access_point: Callable[[Job], str]) -> None:
        self._keys = {(access_point(job), job.id) for job in jobs}
        self.last: dict[tuple[str, str], Obstacle] = {}

    def seen(self, number: int, cycle: Cycle, trace: Trace) -> None:
        """Note what keeps those that still wait in a cycle of the course from a start."""
        if not number:
            # The verdict on the next cycle is known.
            return
        pool = cycle.quotas.pool
        verdicts = Verdicts(pool, ran=(cycle, trace))
        waiting = [
            job for job in pool.jobs or ()
            if job.status == IDLE and (verdicts.access_point(job), job.id) in self._keys
        ]  # fmt: skip
        for verdict in verdicts.on(waiting):
            for job in verdict.jobs:
                if verdict.walls and not verdict.starts:
                    key = (verdict.access_point, job.id)
                    self.last[key] = Obstacle(number + 1, verdict.walls[0])


#: The starts of a course by access point and id of the job.
Starts = Mapping[tuple[str, str], StartsAt]


def starts_of(course: Course, plan: Plan, access_point: Callable[[Job], str]) -> Starts:
    """Return when the jobs of ``course`` start first."""
    found: dict[tuple[str, str], StartsAt] = {}
    for start in course.starts:
        cycle = int(start.at // plan.interval_seconds) + 1
        found.setdefault(
            (access_point(start.job), start.job.id), StartsAt(cycle, start.at, start.by)
        )
    return found
