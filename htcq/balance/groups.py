"""Groups: what each has and is due, the lesser of quota and demand, and who has what it lacks.

Amounts are in the pool's unit, of the group itself, as the negotiator computes them. What the
next cycle gives a group it does not lack.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.balance.causes import cause_type
from htcq.balance.demand import Demand
from htcq.balance.standing import CauseAmount
from htcq.poolquota.group_status import depth_first
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.shortfall import Holder, groups_over, lacking
from htcq.quota.group_tree import ROOT


@dataclass(frozen=True)
class GroupBalance:
    """One group with what it uses now and what the next cycle makes of that.

    ``below`` is how much less that is than the lesser of quota and demand; 0 where it is within
    the slack. ``held_by`` is empty then. ``demand`` are its idle jobs; None where none is known.
    """

    name: str
    usage: float
    usage_next: float
    quota: float
    requested: float
    below: float
    held_by: tuple[Holder, ...]
    demand: Demand | None

    @property
    def due(self) -> float:
        """What it would have."""
        return min(self.quota, self.requested)


def groups_of(
    quotas: PoolQuotas,
    usage_next: Mapping[str, float],
    standings: Sequence[CauseAmount],
    demand: Mapping[str, Demand],
) -> tuple[GroupBalance, ...]:
    """Return all groups, depth first; ``usage_next`` is what they use after the next cycle."""
    holders: tuple[Holder, ...] | None = None
    found = []
    for group, _ in depth_first(quotas):
        status = quotas.quota(group.name)
        usage = max(status.usage, usage_next.get(group.name, 0.0))
        below = 0.0
        if group.name != ROOT:
            own = demand.get(group.name)
            lightest = 0.0 if own is None else float(own.lightest)
            below = lacking(status.quota, status.requested, usage, lightest)
        if below and holders is None:
            holders = (*groups_over(quotas), *_causes(standings))
        found.append(
            GroupBalance(
                group.name, status.usage, usage, status.quota, status.requested, below,
                (holders or ()) if below else (), demand.get(group.name),
            )
        )  # fmt: skip
    return tuple(found)


def _causes(standings: Sequence[CauseAmount]) -> list[Holder]:
    """Return the causes that hold capacity which waiting jobs would use until somebody acts."""
    found = []
    for each in standings:
        kind = cause_type(each.cause)
        if kind.needs_somebody and each.wanted.weight > 0:
            found.append(
                Holder(each.cause, False, float(each.wanted.weight), each.since, kind.lifted_by)
            )
    return sorted(found, key=lambda each: -each.amount)
