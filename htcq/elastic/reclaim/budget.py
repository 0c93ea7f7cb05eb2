"""Limits on how many jobs are taken back: of the pool, a group, a user, and in a day."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from htcq.elastic.reclaim.candidates import Candidate
from htcq.elastic.reclaim.reclaim_fields import JobEntry
from htcq.settings.pool_share import limit_in
from htcq.settings.reclaim import ReclaimLimits

#: So many seconds back actions that were of use make the next one larger.
STREAK = 3600.0


def most_at_once(limits: ReclaimLimits, claims: int, useful: int) -> int:
    """Return how many jobs one action may take back; the parameters are those of the budget."""
    first = max(1, int(claims * limits.pool_percent / 100))
    return first << useful


class ReclaimBudget:
    """What is left of the limits.

    ``claims`` is the number of claims in the pool, ``weight`` its slot weight, ``today`` are the
    jobs vacated today, ``useful`` counts the last actions in a row whose slots those in need have
    taken.
    """

    def __init__(
        self,
        limits: ReclaimLimits,
        claims: int,
        weight: float,
        today: Sequence[JobEntry] = (),
        useful: int = 0,
    ) -> None:
        percent = min(100.0, limits.pool_percent * 2**useful)
        of_pool = most_at_once(limits, claims, useful)
        day_jobs = int(limit_in(limits.day_jobs, claims))
        of_day = day_jobs - len(today)
        self._most: int = min(of_pool, max(0, of_day))
        if of_day <= self._most:
            self._limit = f"{day_jobs} jobs per day"
        else:
            self._limit = f"{percent:g} % of {claims} claims"
        self._group_jobs = int(limit_in(limits.group_jobs, claims))
        self._user_jobs = int(limit_in(limits.user_jobs, claims))
        self._limits, self._day = limits, weight * 24
        self._groups = Counter[str]()
        self._users = Counter[str]()
        self._spent = 0
        self._lost: dict[tuple[str, str], float] = defaultdict(float)
        for entry in today:
            self._lose(entry.group, entry.submitter, entry.hours)

    @property
    def exhausted(self) -> bool:
        """Whether no further job may be taken back."""
        return self._spent >= self._most

    def refusal(self, one: Candidate, also: Sequence[Candidate]) -> str:
        """Return which limit ``one`` would exceed, with ``also`` taken back too; empty: none."""
        group, user = one.claim.group, one.claim.submitter
        if self._spent + len(also) + 1 > self._most:
            return f"the limit of {self._limit} is reached"
        of_group = sum(each.claim.group == group for each in also)
        if self._groups[group] + of_group + 1 > self._group_jobs:
            return f"the limit of {self._group_jobs} jobs of one group is reached"
        of_user = sum(each.claim.submitter == user for each in also)
        if self._users[user] + of_user + 1 > self._user_jobs:
            return f"the limit of {self._user_jobs} jobs of one user is reached"
        return self._refusal_by_hours((one, *also))

    def _refusal_by_hours(self, taken: Sequence[Candidate]) -> str:
        """Return which limit of lost work the first of ``taken`` would exceed; empty: none."""
        one = taken[0].claim
        lost = defaultdict(float, self._lost)
        for each in taken:
            for key in _keys(each.claim.group, each.claim.submitter):
                lost[key] += each.hours
        own = self._limits.of(one.group).hours
        limits = (self._limits.day_hours, own, self._limits.user_hours)
        words = ("in all", f"of {one.group}", f"of {one.submitter}")
        for key, limit, word in zip(_keys(one.group, one.submitter), limits, words):
            most = limit_in(limit, self._day)
            if lost[key] > most:
                return f"the limit of {most:g} lost hours a day {word} is reached"
        return ""

    def _lose(self, group: str, submitter: str, hours: float) -> None:
        for key in _keys(group, submitter):
            self._lost[key] += hours

    def spend(self, candidates: Iterable[Candidate], sign: int = 1) -> None:
        """Count ``candidates`` as taken back, or no longer (-1)."""
        for each in candidates:
            self._spent += sign
            self._groups[each.claim.group] += sign
            self._users[each.claim.submitter] += sign
            self._lose(each.claim.group, each.claim.submitter, sign * each.hours)


def _keys(group: str, submitter: str) -> tuple[tuple[str, str], ...]:
    """Return what lost work is counted by: all of it, the group, the user."""
    return (("", ""), ("group", group), ("user", submitter))
