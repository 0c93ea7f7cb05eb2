"""When jobs start: the cycle of a simulated course after which each one runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from htcq.pool.job import Job
from htcq.simulate.course.course import Course, Plan


class StartsAt(NamedTuple):
    """Start of one job: the cycle (the next one is 1), the seconds from now, and the way."""

    cycle: int
    seconds: float
    by: str


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
