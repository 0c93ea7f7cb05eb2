"""Statistics of the waiting times of jobs, in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean, median

from htcq.simulate.course.course import Course


@dataclass(frozen=True)
class Wait:
    """Started jobs of one submitter, their waiting times, and the jobs that wait at the end.

    Times are None where none started.
    """

    submitter: str
    started: int
    waiting: int
    mean: float | None
    median: float | None
    longest: float | None


def waits(course: Course) -> Iterator[Wait]:
    """Yield the waiting times of the jobs of each submitter."""
    for name in dict.fromkeys([*course.waited, *course.waiting]):
        seconds = course.waited.get(name, ())
        waiting = course.waiting.get(name, 0)
        if seconds:
            yield Wait(name, len(seconds), waiting, mean(seconds), median(seconds), max(seconds))
        else:
            yield Wait(name, 0, waiting, None, None, None)
