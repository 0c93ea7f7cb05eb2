"""Who or what holds capacity that groups are due, since when, and when it may come back.

A claim may end with its job, but no sooner than CLAIM_WORKLIFE lets it take further jobs. How long
a job still runs no ad says: in a pool that is in use all the time as much is left of jobs, on the
whole, as they have run (the residual life of a stationary renewal process has the distribution of
the age).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from htcq.balance.standing import CauseAmount
from htcq.classads import as_number
from htcq.pool.slot import DYNAMIC, Number, Slot, number_or
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.shortfall import Holder, Over, groups_over, unclaimed_of
from htcq.simulate.course.worklife import Worklife
from htcq.units import CPUS, amount_of, counted


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

    def of(self, lacking: float, cores: float) -> tuple[Holder, ...]:
        """Return who or what has what a group lacks, the one that has most first.

        ``cores`` are the fewest that one of its waiting jobs requests.
        """
        found = (self._fitted(each, each.holder(lacking), cores) for each in self._over)
        return (*found, *self._causes)

    def _fitted(self, each: _Ending, holder: Holder, cores: float) -> Holder:
        """Return ``holder`` without a promise where no end of one claim makes room for a job."""
        room, largest = self._rooms[each.over.name]
        claims = each.over.claims
        if not claims or room >= cores:
            return holder
        returns = (
            f"only when claims on {amount_of(CPUS, cores)} of one machine end together "
            f"({counted(len(claims), 'claim')}, {amount_of(CPUS, largest)} the largest)"
        )
        return replace(holder, returns=returns, returns_at=None, fits=False)

    @cached_property
    def _rooms(self) -> Mapping[str, tuple[Number, Number]]:
        """Of each group: the most cores that the end of one claim makes free, and of one claim."""
        found = {}
        for each in self._over:
            slots = [slot for slot, _ in each.over.claims]
            cores = [number_or(slot.cpus, 0) for slot in slots]
            free = [own + self._beside(slot) for own, slot in zip(cores, slots)]
            found[each.over.name] = (max(free, default=0), max(cores, default=0))
        return found

    def _beside(self, slot: Slot) -> Number:
        """Return how many cores are free in the slot that a dynamic one is part of."""
        return self._free.get(slot.parent, 0) if slot.type == DYNAMIC else 0

    @cached_property
    def _free(self) -> Mapping[str, Number]:
        slots = self._quotas.pool.slots or ()
        return {str(each.name): number_or(each.cpus, 0) for each in slots}

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
        """The causes that hold capacity which waiting jobs would use until somebody acts.

        What closed slots weigh is computed where no job is known, for ``htcq quota``, too.
        """
        closed = {each.name: each for each in unclaimed_of(self._quotas).closed}
        found = []
        for each in self._standings:
            weight = float(each.amounts.weight)
            if not each.is_fault or each.wanted.weight <= 0 or weight <= 0:
                continue
            of_reason = Holder(each.cause, False, weight, each.since, each.lifted_by)
            found.append(closed.get(each.cause, of_reason))
        return sorted(found, key=lambda each: -each.amount)
