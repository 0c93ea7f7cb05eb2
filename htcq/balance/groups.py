"""Groups: what each has and is due, the lesser of quota and demand, and who has what it lacks.

Amounts are in the pool's unit, of the group itself, as the negotiator computes them. What the
next cycle gives a group it does not lack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.balance.demand import Demand
from htcq.balance.holding import Holders
from htcq.balance.standing import CauseAmount
from htcq.poolquota.group_status import depth_first
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.shortfall import Holder, lacking
from htcq.quota.group_tree import ROOT


@dataclass(frozen=True)
class GroupBalance:
    """One group with what it uses now and what the next cycle makes of that.

    ``below`` is how much less that is than the lesser of quota and demand; 0 where it is within
    the slack. ``held_by`` is empty then. ``demand`` are its idle jobs; None where none is known.
    ``by`` is the capacity that its claims use, that the next cycle gives it, and that stands for
    what keeps its jobs; what its jobs would use of closed slots is in the gains.
    """

    name: str
    usage: float
    usage_next: float
    quota: float
    requested: float
    below: float
    held_by: tuple[Holder, ...]
    demand: Demand | None
    by: tuple[CauseAmount, ...] = ()

    @property
    def due(self) -> float:
        """What it would have."""
        return min(self.quota, self.requested)


def groups_of(
    quotas: PoolQuotas,
    usage_next: Mapping[str, float],
    holders: Holders,
    demand: Mapping[str, Demand],
    capacity: Mapping[str, tuple[CauseAmount, ...]],
) -> tuple[GroupBalance, ...]:
    """Return all groups, depth first; ``usage_next`` is what they use after the next cycle."""
    found = []
    for group, _ in depth_first(quotas):
        status = quotas.quota(group.name)
        usage = max(status.usage, usage_next.get(group.name, 0.0))
        below, own = 0.0, demand.get(group.name)
        if group.name != ROOT:
            lightest = 0.0 if own is None else float(own.lightest)
            below = lacking(status.quota, status.requested, usage, lightest)
        found.append(
            GroupBalance(
                group.name, status.usage, usage, status.quota, status.requested, below,
                holders.of(below, 0 if own is None else own.cores) if below else (), own,
                capacity.get(group.name, ()),
            )
        )  # fmt: skip
    return tuple(found)
