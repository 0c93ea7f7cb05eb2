"""Who or what holds capacity that groups are due, since when, and when it may come back.

A claim may end with its job, but no sooner than CLAIM_WORKLIFE lets it take further jobs. How long
a job still runs no ad says: in a pool that is in use all the time as much is left of jobs, on the
whole, as they have run (the residual life of a stationary renewal process has the distribution of
the age).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.balance.causes import cause_type
from htcq.balance.standing import CauseAmount
from htcq.classads import as_number
from htcq.pool.slot import Slot
from htcq.poolquota.group_status import statuses_of
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, assigned_group
from htcq.simulate.course.worklife import Worklife

#: Groups that use hardly more than their quotas hold nothing of others: one slot's weight.
LEAST = 1.0
#: What the root is called as a holder.
NO_GROUP = "jobs of no group"


@dataclass(frozen=True)
class Holder:
    """Who or what holds capacity that a group is due: a group beyond its quota, or a cause.

    ``since`` is when the first of its claims, or the cause, began, ``returns_at`` when so much may
    have come back that the group has what it is due: in seconds since 1970, None where no ad tells.
    ``returns`` says by what it comes back.
    """

    name: str
    is_group: bool
    amount: float
    since: float | None
    returns: str
    returns_at: float | None = None


@dataclass(frozen=True)
class _Over:
    """A group beyond its quota, with its claims: the weight of each, and when it may end."""

    name: str
    amount: float
    since: float | None
    ends: Sequence[tuple[float, float]]

    def holder(self, lacking: float) -> Holder:
        """Return it as a holder of what a group lacks."""
        at = self._back_at(min(lacking, self.amount))
        name = NO_GROUP if self.name == ROOT else self.name
        returns = f"as its {len(self.ends)} claims end"
        return Holder(name, True, self.amount, self.since, returns, at)

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
    def _over(self) -> Sequence[_Over]:
        amounts = {each.name: each.usage - each.quota for each in statuses_of(self._quotas)}
        amounts = {name: amount for name, amount in amounts.items() if amount > LEAST}
        claims = self._claims_of(amounts)
        found = []
        for name in sorted(amounts, key=lambda name: (-amounts[name], name)):
            own = claims.get(name, ())
            begun = [as_number(slot.state_since) for slot, _ in own]
            since = min((float(each) for each in begun if each is not None), default=None)
            found.append(_Over(name, amounts[name], since, sorted(self._ends(own))))
        return found

    def _claims_of(self, names: Mapping[str, float]) -> Mapping[str, Sequence[tuple[Slot, float]]]:
        claims: dict[str, list[tuple[Slot, float]]] = {}
        groups: dict[str, str] = {}
        for each in self._quotas.supply.weighed:
            if not each.customer:
                continue
            group = groups.get(each.customer)
            if group is None:
                group = assigned_group(self._quotas.tree, each.customer).group
                groups[each.customer] = group
            if group in names:
                claims.setdefault(group, []).append((each.slot, float(each.weight)))
        return claims

    def _ends(self, claims: Sequence[tuple[Slot, float]]) -> Iterator[tuple[float, float]]:
        """Yield when each claim may end, as far as its ad tells, and its weight."""
        worklife = Worklife(self._quotas.pool)
        for slot, weight in claims:
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
