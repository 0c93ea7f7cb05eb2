"""When borrowed claims end by themselves, in drawn courses.

A job runs as long as a run time that is drawn, if there are run times, and else for as long again
as one of its group has run by now: where jobs come and go evenly, the time that is left to them is
distributed as their ages are. A schedd uses a claim for more jobs of its submitter until
CLAIM_WORKLIFE (src/condor_schedd.V6/schedd.cpp, 25.14).
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.reclaim.borrowed import SLACK, Borrowed
from htcq.elastic.records import GroupClaim
from htcq.simulate.course.runtimes import Dice

#: The time that is told is not exceeded in so many of 100 courses.
PERCENT = 95
_DRAWS = 100
#: A run time is drawn so often until one is longer than what the job has run already.
_TRIES = 50
#: The ends of claims in order: when, of which group, and the slot weight.
_Course = Sequence[tuple[float, str, float]]


@dataclass(frozen=True)
class Draws:
    """What is drawn from, and how.

    ``run_time`` returns for how many seconds the job of a claim runs in all; None: not known.
    """

    dice: Dice
    run_time: Callable[[GroupClaim, Dice], float] | None = None


class DrawnEnds:
    """Courses of borrowed claims; ``waiting`` are the submitters with more jobs."""

    def __init__(
        self,
        lent: Sequence[Borrowed],
        waiting: Collection[str],
        worklife: float,
        draws: Draws,
    ) -> None:
        self._waiting, self._worklife = waiting, worklife
        self._dice, self._run_time = draws.dice, draws.run_time
        self._courses = [
            sorted(end for each in lent for end in self._ends(each)) for _ in range(_DRAWS)
        ]
        self._lent = lent
        #: What each borrower gives back to the group asked for last, and the sums of that.
        self._weights: Mapping[str, float] | None = None
        self._sums: Sequence[Sequence[float]] = ()

    def _ends(self, each: Borrowed) -> Iterator[tuple[float, str, float]]:
        """Yield when claims end, the group, and their weight."""
        for claim, age in zip(each.claims, each.ages):
            yield self._end(claim, age, each.ages), each.group, each.weight_of(claim)

    def _end(self, claim: GroupClaim, age: float, ages: Sequence[float]) -> float:
        seconds = self._left(claim, age, ages)
        if claim.submitter not in self._waiting:
            return seconds
        if self._worklife < 0:
            return math.inf
        kept = self._worklife - age
        if seconds < kept:
            return kept + self._left(claim, 0.0, ages)
        return seconds

    def _left(self, claim: GroupClaim, age: float, ages: Sequence[float]) -> float:
        """Return for how many seconds a job of that age runs on."""
        if self._run_time is not None:
            for _ in range(_TRIES):
                drawn = self._run_time(claim, self._dice)
                if drawn > age:
                    return drawn - age
        return ages[self._dice.randrange(len(ages))]

    def seconds(self, group: str, rest: float) -> float | None:
        """Return within how many seconds ``rest`` is there for ``group``; None: never, perhaps."""
        weights = {each.group: each.weight_for(group) for each in self._lent}
        # Subgroups of one group mostly ask one after another, and all get the same back.
        if weights != self._weights:
            self._weights = weights
            self._sums = [list(_sums(course, weights)) for course in self._courses]
        times = sorted(
            _reached(rest, sums, course) for course, sums in zip(self._courses, self._sums)
        )
        found = times[math.ceil(len(times) * PERCENT / 100) - 1]
        if found == math.inf:
            return None
        return found


def _sums(course: _Course, weights: Mapping[str, float]) -> Iterator[float]:
    """Yield what has come back with each end, of each group its share of ``weights`` at most."""
    left, back = dict(weights), 0.0
    for _, group, weight in course:
        taken = min(left[group], weight)
        left[group] -= taken
        back += taken
        yield back


def _reached(rest: float, sums: Sequence[float], course: _Course) -> float:
    """Return when ``rest`` has come back in a course; infinity: never."""
    place = bisect.bisect_left(sums, rest - SLACK)
    if place == len(sums):
        return math.inf
    return course[place][0]
