"""How long jobs waited, in few numbers. Times are in seconds."""

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
    """Yield what became of the jobs of each submitter."""
    for name in dict.fromkeys([*course.waited, *course.waiting]):
        seconds = course.waited.get(name, ())
        numbers = (mean(seconds), median(seconds), max(seconds)) if seconds else (None, None, None)
        yield Wait(name, len(seconds), course.waiting.get(name, 0), *numbers)
