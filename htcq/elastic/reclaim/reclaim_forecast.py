"""How long reclaim takes to vacate what a group lacks to its min, by its limits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from htcq.elastic.reclaim.borrowed import SLACK, Borrowed
from htcq.elastic.reclaim.budget import ReclaimBudget
from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.reclaim_fields import JobEntry, JobKey
from htcq.elastic.reclaim.reclaim_history import DAY
from htcq.settings.reclaim import ReclaimLimits

#: After so many reclaims the time is not known.
_MOST_RECLAIMS = 60


class ReclaimForecast:
    """Reclaims for one group, one after the other.

    A cycle and a look, each ``cycle`` seconds, are between two of them. Whether a waiting job fits
    into what they free is not looked at.
    """

    def __init__(
        self,
        lent: Sequence[Borrowed],
        group: str,
        limits: ReclaimLimits,
        claims: int,
        weight: float,
        cycle: float,
        protected: Collection[JobKey] = (),
    ) -> None:
        self._limits, self._claims, self._weight, self._cycle = limits, claims, weight, cycle
        self._left = {each.group: each.weight_for(group) for each in lent}
        self._jobs = [
            (each, claim, age)
            for each in lent
            if self._left[each.group] > SLACK
            for claim, age in zip(each.claims, each.ages)
            if limits.vacates and not claim.protected and claim.started
            if (claim.schedd, claim.job) not in protected
        ]
        self._today: list[tuple[float, JobEntry]] = []

    def seconds(self, rest: float) -> float | None:
        """Return in how many seconds ``rest`` has been vacated; None: its limits forbid that."""
        now, useful = float(self._limits.need_for), 0
        for _ in range(_MOST_RECLAIMS):
            freed = self._vacated(now, useful, rest)
            rest -= freed
            if rest <= SLACK:
                return now
            if freed:
                now, useful = now + 2 * self._cycle, useful + 1
                continue
            later = [time for time in self._changes() if time > now]
            if not later:
                return None
            now, useful = min(later), 0
        return None

    def _changes(self) -> Iterator[float]:
        """Yield when more may be vacated: jobs have run for long enough, or a day is over."""
        for _, claim, age in self._jobs:
            own = self._limits.of(claim.group)
            yield max(own.min_runtime, claim.retirement) - age
        for time, _ in self._today:
            yield time + DAY

    def _vacated(self, now: float, useful: int, rest: float) -> float:
        """Return what one reclaim vacates, ``rest`` at most."""
        lost = [entry for time, entry in self._today if time > now - DAY]
        budget = ReclaimBudget(self._limits, self._claims, self._weight, lost, useful)
        taken, freed = set(), 0.0
        for each, one in self._candidates(now):
            group = each.group
            if freed >= rest - SLACK or budget.exhausted:
                break
            times = each.times
            while times and budget.refusal(one, [one] * (times - 1)):
                times //= 2
            if not times or self._left[group] <= SLACK:
                continue
            budget.spend([one] * times)
            taken.add(id(one.claim))
            weight = min(self._left[group], each.weight_of(one.claim) * times / each.times)
            self._left[group] -= weight
            freed += weight
            entry = JobEntry("", "", group, one.claim.submitter, one.hours)
            self._today += [(now, entry)] * times
        self._jobs = [job for job in self._jobs if id(job[1]) not in taken]
        return freed

    def _candidates(self, now: float) -> list[tuple[Borrowed, Candidate]]:
        """Return what may be vacated by then, the least lost work first."""
        found = []
        for each, claim, age in self._jobs:
            own = self._limits.of(claim.group)
            if age + now >= max(own.min_runtime, claim.retirement):
                cost = self._limits.cost(claim.cost)
                found.append((each, Candidate(claim, "", age + now, cost)))
        return sorted(found, key=lambda one: (not one[1].claim.checkpoints, one[1].ran))
