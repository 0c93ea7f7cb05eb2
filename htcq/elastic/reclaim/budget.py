"""Limits on how many jobs are taken back: of the pool, a group, a user, and in a day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from htcq.elastic.reclaim.candidates import Candidate
from htcq.settings.reclaim import ReclaimLimits


class ReclaimBudget:
    """What is left of the limits.

    ``claims`` is the number of claims in the pool, ``today`` that of the jobs vacated today.
    """

    def __init__(self, limits: ReclaimLimits, claims: int, today: int) -> None:
        of_pool = max(1, int(claims * limits.pool_percent / 100))
        of_day = limits.day_jobs - today
        self._most = min(of_pool, max(0, of_day))
        if of_day <= self._most:
            self._limit = f"{limits.day_jobs} jobs per day"
        else:
            self._limit = f"{limits.pool_percent:g} % of {claims} claims"
        self._limits = limits
        self._groups = Counter[str]()
        self._users = Counter[str]()
        self._spent = 0

    def refusal(self, one: Candidate, also: Sequence[Candidate]) -> str:
        """Return which limit ``one`` would exceed, with ``also`` taken back too; empty: none."""
        group, user = one.claim.group, one.claim.submitter
        if self._spent + len(also) + 1 > self._most:
            return f"the limit of {self._limit} is reached"
        of_group = sum(each.claim.group == group for each in also)
        if self._groups[group] + of_group + 1 > self._limits.group_jobs:
            return f"the limit of {self._limits.group_jobs} jobs of one group is reached"
        of_user = sum(each.claim.submitter == user for each in also)
        if self._users[user] + of_user + 1 > self._limits.user_jobs:
            return f"the limit of {self._limits.user_jobs} jobs of one user is reached"
        return ""

    def spend(self, candidates: Iterable[Candidate], sign: int = 1) -> None:
        """Count ``candidates`` as taken back, or no longer (-1)."""
        for each in candidates:
            self._spent += sign
            self._groups[each.claim.group] += sign
            self._users[each.claim.submitter] += sign
