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
from htcq.classads import as_number
from htcq.pool.slot import Slot
from htcq.poolquota.group_status import GroupStatus, depth_first, statuses_of
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, assigned_group

#: A group is below where it lacks more than this part of its quota, and than one slot's weight.
SLACK, LEAST = 0.05, 1.0
#: What the root is called as a holder.
NO_GROUP = "jobs of no group"


@dataclass(frozen=True)
class Holder:
    """Who or what holds capacity that a group is due: a group beyond its quota, or a cause.

    ``since`` is when the first of its claims, or the cause, began, in seconds since 1970, None
    where no ad says; ``returns`` says when it may come back.
    """

    name: str
    is_group: bool
    amount: float
    since: float | None
    returns: str


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


def lacking(quota: float, requested: float, usage: float, lightest: float = 0.0) -> float:
    """Return how much less a group has than the lesser of quota and demand; 0 within the slack.

    What is less than its ``lightest`` job none of its jobs can use.
    """
    less = min(quota, requested) - usage
    return less if less > max(LEAST, SLACK * quota) and less >= lightest else 0.0


def groups_of(
    quotas: PoolQuotas,
    usage_next: Mapping[str, float],
    standings: Sequence[CauseAmount],
    demand: Mapping[str, Demand],
) -> tuple[GroupBalance, ...]:
    """Return all groups, depth first; ``usage_next`` is what they use after the next cycle."""
    statuses = {each.name: each for each in statuses_of(quotas)}
    holders: tuple[Holder, ...] | None = None
    found = []
    for group, _ in depth_first(quotas):
        status = statuses[group.name]
        usage = max(status.usage, usage_next.get(group.name, 0.0))
        below = 0.0
        if group.name != ROOT:
            own = demand.get(group.name)
            lightest = 0.0 if own is None else float(own.lightest)
            below = lacking(status.quota, status.requested, usage, lightest)
        if below and holders is None:
            holders = (*_groups_over(quotas, tuple(statuses.values())), *_causes(standings))
        found.append(
            GroupBalance(
                group.name, status.usage, usage, status.quota, status.requested, below,
                (holders or ()) if below else (), demand.get(group.name),
            )
        )  # fmt: skip
    return tuple(found)


def _groups_over(quotas: PoolQuotas, statuses: Sequence[GroupStatus]) -> list[Holder]:
    """Return the groups that use more than their quotas, that with most first."""
    over = {each.name: each.usage - each.quota for each in statuses}
    over = {name: amount for name, amount in over.items() if amount > LEAST}
    claims = _claims_of(quotas, over)
    found = []
    for name in sorted(over, key=lambda name: (-over[name], name)):
        begun = [as_number(slot.state_since) for slot in claims.get(name, ())]
        since = min((float(each) for each in begun if each is not None), default=None)
        returns = f"as its {len(claims.get(name, ()))} claims end"
        found.append(Holder(NO_GROUP if name == ROOT else name, True, over[name], since, returns))
    return found


def _claims_of(quotas: PoolQuotas, names: Mapping[str, float]) -> Mapping[str, Sequence[Slot]]:
    claims: dict[str, list[Slot]] = {}
    groups: dict[str, str] = {}
    for each in quotas.supply.weighed:
        if not each.customer:
            continue
        group = groups.get(each.customer)
        if group is None:
            group = groups[each.customer] = assigned_group(quotas.tree, each.customer).group
        if group in names:
            claims.setdefault(group, []).append(each.slot)
    return claims


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
