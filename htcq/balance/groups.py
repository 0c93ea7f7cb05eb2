"""Groups: what each has and is due, the lesser of quota and demand, and who has what it lacks.

Amounts are in the pool's unit, of the group itself, as the negotiator computes them. What the
next cycle gives a group it does not lack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.balance.demand import Demand
from htcq.balance.holding import LEAST, Holder, Holders
from htcq.balance.standing import CauseAmount
from htcq.poolquota.group_status import depth_first, statuses_of
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT

#: A group is below where it lacks more than this part of its quota, and than one slot's weight.
SLACK = 0.05


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


def lacking(quota: float, requested: float, usage: float, lightest: float = 0.0) -> float:
    """Return how much less a group has than the lesser of quota and demand; 0 within the slack.

    What is less than its ``lightest`` job none of its jobs can use.
    """
    less = min(quota, requested) - usage
    return less if less > max(LEAST, SLACK * quota) and less >= lightest else 0.0


def groups_of(
    quotas: PoolQuotas,
    usage_next: Mapping[str, float],
    holders: Holders,
    demand: Mapping[str, Demand],
    capacity: Mapping[str, tuple[CauseAmount, ...]],
) -> tuple[GroupBalance, ...]:
    """Return all groups, depth first; ``usage_next`` is what they use after the next cycle."""
    statuses = {each.name: each for each in statuses_of(quotas)}
    found = []
    for group, _ in depth_first(quotas):
        status = statuses[group.name]
        usage = max(status.usage, usage_next.get(group.name, 0.0))
        below = 0.0
        if group.name != ROOT:
            own = demand.get(group.name)
            lightest = 0.0 if own is None else float(own.lightest)
            below = lacking(status.quota, status.requested, usage, lightest)
        found.append(
            GroupBalance(
                group.name, status.usage, usage, status.quota, status.requested, below,
                holders.of(below) if below else (), demand.get(group.name),
                capacity.get(group.name, ()),
            )
        )  # fmt: skip
    return tuple(found)
