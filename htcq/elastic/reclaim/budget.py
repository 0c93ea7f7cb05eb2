"""How many jobs may be taken back at once: of the pool, of a group, of a user, and in a day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from htcq.elastic.reclaim.candidates import Candidate
from htcq.settings.reclaim import ReclaimLimits


class Budget:
    """What is left of the limits; ``claims`` is how many the pool has, ``today`` how many jobs went already."""

    def __init__(self, limits: ReclaimLimits, claims: int, today: int) -> None:
        self._pool = min(
            max(1, int(claims * limits.pool_percent / 100)), max(0, limits.day_jobs - today)
        )
        self._why = f"{limits.day_jobs} jobs per day" if limits.day_jobs - today <= self._pool else (
            f"{limits.pool_percent:g} % of {claims} claims"
        )  # fmt: skip
        self._limits = limits
        self._groups, self._users = Counter[str](), Counter[str]()
        self._spent = 0

    def refusal(self, one: Candidate, also: Sequence[Candidate]) -> str:
        """Return which limit ``one`` would go beyond, with ``also`` taken back besides; empty: none."""
        group, user = one.claim.group, one.claim.submitter
        if self._spent + len(also) + 1 > self._pool:
            return f"the limit of {self._why} is reached"
        if (
            self._groups[group] + sum(each.claim.group == group for each in also) + 1
            > self._limits.group_jobs
        ):
            return f"the limit of {self._limits.group_jobs} jobs of one group is reached"
        if (
            self._users[user] + sum(each.claim.submitter == user for each in also) + 1
            > self._limits.user_jobs
        ):
            return f"the limit of {self._limits.user_jobs} jobs of one user is reached"
        return ""

    def spend(self, gone: Iterable[Candidate], sign: int = 1) -> None:
        """Count ``gone``, or give them back (-1)."""
        for each in gone:
            self._spent += sign
            self._groups[each.claim.group] += sign
            self._users[each.claim.submitter] += sign
