"""Who or what holds capacity that groups are due, since when, and when it may come back.

A claim may end with its job, but no sooner than CLAIM_WORKLIFE lets it take further jobs. How long
a job still runs no ad says: in a pool that is in use all the time as much is left of jobs, on the
whole, as they have run (the residual life of a stationary renewal process has the distribution of
the age).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from htcq.balance.causes import cause_type
from htcq.balance.standing import CauseAmount
from htcq.classads import as_number
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.shortfall import Holder, Over, groups_over
from htcq.simulate.course.worklife import Worklife


class _Ending(NamedTuple):
    """A group beyond its quota: when each of its claims may end, and the weight of each."""

    over: Over
    ends: Sequence[tuple[float, float]]

    def holder(self, lacking: float) -> Holder:
        """Return it as a holder of what a group lacks."""
        return self.over.holder(self._back_at(min(lacking, self.over.amount)))

    def _back_at(self, amount: float) -> float | None:
        back = 0.0
        for end, weight in self.ends:
            back += weight
            if back >= amount and not math.isinf(end):
                return end
        return None


class Holders:
    """The holders of capacity in the pool of ``quotas`` at the moment ``now`` (None: not known)."""

    def __init__(
        self,
        quotas: PoolQuotas,
        standings: Sequence[CauseAmount],
        now: float | None,
    ) -> None:
        self._quotas, self._standings, self._now = quotas, standings, now

    def of(self, lacking: float) -> tuple[Holder, ...]:
        """Return who or what has what a group lacks, the one that has most first."""
        return (*(each.holder(lacking) for each in self._over), *self._causes)

    @cached_property
    def _over(self) -> Sequence[_Ending]:
        over = groups_over(self._quotas)
        return [_Ending(each, sorted(self._ends(each))) for each in over]

    def _ends(self, over: Over) -> Iterator[tuple[float, float]]:
        """Yield when each claim may end, as far as its ad tells, and its weight."""
        worklife = Worklife(self._quotas.pool)
        for slot, weight in over.claims:
            since, began = as_number(slot.state_since), as_number(slot.activity_since)
            if self._now is None or since is None:
                yield math.inf, weight
                continue
            # Without the age of the job that of its claim is the most that it can be.
            job_ends = self._now + max(0.0, self._now - (since if began is None else began))
            yield max(job_ends, since + worklife.seconds(slot)), weight

    @cached_property
    def _causes(self) -> Sequence[Holder]:
        """The causes that hold capacity which waiting jobs would use until somebody acts."""
        found = []
        for each in self._standings:
            kind, weight = cause_type(each.cause), float(each.wanted.weight)
            if kind.needs_somebody and weight > 0:
                found.append(Holder(each.cause, False, weight, each.since, kind.lifted_by))
        return sorted(found, key=lambda each: -each.amount)
