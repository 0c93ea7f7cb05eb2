"""What becomes of each group: its quota, its usage, and whether its idle jobs get anything."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.claims.claim import Claims
from htcq.claims.startds import StartdTable
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.slot import DYNAMIC
from htcq.pool.slot_class import SlotClass, slot_classes
from htcq.poolquota.group_status import depth_first
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import Group, assigned_group
from htcq.simulate.migration.records import Amount, GroupMove
from htcq.units import show_number


@dataclass(frozen=True)
class Moment:
    """The groups of a pool by its negotiator, as it is and with nothing claimed."""

    quotas: PoolQuotas
    unclaimed: PoolQuotas

    def share(self, name: str) -> float:
        """Return what a group and those below it are promised, as a part of the unclaimed pool."""
        weight = float(self.unclaimed.supply.pool_weight)
        return self.unclaimed.quota(name).subtree_quota / weight if weight > 0 else 0.0


def group_moves(before: Moment, settled: Moment, switched: PoolQuotas) -> tuple[GroupMove, ...]:
    """Return every group depth first.

    ``switched`` is right after the switch, ``settled`` when schedds report all running jobs in
    the new unit.
    """
    cheapest = _cheapest(switched)
    return tuple(
        _move(group, depth, before, settled, switched, cheapest)
        for group, depth in depth_first(before.quotas)
    )


def _move(
    group: Group,
    depth: int,
    before: Moment,
    settled: Moment,
    switched: PoolQuotas,
    cheapest: Mapping[str, float],
) -> GroupMove:
    name, then = group.name, switched.tree[group.name]
    was, now = before.quotas, settled.quotas
    idle, running = (Amount(one, other) for one, other in zip(was.demand(name), now.demand(name)))
    return GroupMove(
        name=name,
        parent=group.parent,
        depth=depth,
        static=group.static,
        config_quota=Amount(group.config_quota, then.config_quota) if group.configured else None,
        quota=Amount(was.quota(name).quota, now.quota(name).quota),
        share=Amount(before.share(name), settled.share(name)),
        usage=Amount(was.usage.get(name, 0.0), now.usage.get(name, 0.0)),
        charged=switched.usage.get(name, 0.0),
        running=running,
        idle=idle,
        idle_jobs=sum(each.idle for each in was.of(name)),
        cheapest=cheapest.get(name),
        allocated=switched.allocated(name),
        limit=_limit(switched, name),
        accept_surplus=group.accept_surplus,
        autoregroup=group.autoregroup,
        starves=_starves(switched, name, cheapest.get(name)),
        starves_later=_starves(now, name, cheapest.get(name)),
    )


def _limit(quotas: PoolQuotas, name: str) -> float | None:
    limit = quotas.limits.get(name)
    if limit is None or math.isnan(limit):
        return None
    return float(truncated(limit))


def _starves(quotas: PoolQuotas, name: str, cheapest: float | None) -> str:
    """Return why idle jobs of a group that is below its quota get nothing.

    It is empty where they get something.
    """
    if not quotas.grouped or not quotas.waiting(name):
        return ""
    quota, used = quotas.quota(name).quota, quotas.usage.get(name, 0.0)
    if used >= quota and not quotas.tree[name].accept_surplus:
        return ""
    allocated = quotas.allocated(name)
    if allocated <= 0:
        return "nothing is allocated to it"
    limit = quotas.limits.get(name)
    if limit is not None and math.isnan(limit):
        return ""
    if limit is None or truncated(limit) <= used:
        return f"its demand of {show_number(allocated)} is below its usage of {show_number(used)}"
    if cheapest is not None and truncated(limit) - used < min(cheapest, 1.0):
        return (
            f"its limit of {truncated(limit)} leaves nothing for its cheapest match of "
            f"{show_number(cheapest)}"
        )
    return ""


# What a match costs at least
# --------------------------------------------------------------------------------------------------


def _cheapest(quotas: PoolQuotas) -> dict[str, float]:
    """Return by group the least cost of a match of its idle jobs on an unclaimed slot."""
    kinds = [kind for kind in slot_classes(quotas.pool.slots or ()) if kind.type != DYNAMIC]
    found: dict[str, float] = {}
    claims = Claims(StartdTable(quotas.pool.execute))
    for jobs in autoclusters_of(quotas.pool.jobs or ()):
        least = min(_costs(claims, kinds, jobs), default=None)
        if least is None:
            continue
        for submitter in jobs.idle:
            group = assigned_group(quotas.tree, submitter).group
            found[group] = min(found.get(group, math.inf), least)
    return found


def _costs(claims: Claims, kinds: list[SlotClass], jobs: Autocluster) -> Iterator[float]:
    for kind in kinds:
        if not claims.fits(kind, jobs):
            continue
        cost = claims.of(kind, jobs).cost
        if cost is not None:
            yield float(cost)
