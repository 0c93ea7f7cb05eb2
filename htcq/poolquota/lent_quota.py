"""Borrowed and lent quota in the first round, and the allocation for each group's own jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping

from htcq.quota.cycle_quotas import CycleQuotas, GroupQuota, Round


def own_allocations(quotas: CycleQuotas, weighted: bool) -> Mapping[str, float]:
    """Return by group what it is allocated in the first round for its own jobs.

    It is 0 where there are no rounds.

    Where groups regroup, that of the root is what it had before it was given the whole pool.
    ``weighted`` tells whether slot weights are on.
    """
    if not quotas.rounds:
        return {group.name: 0.0 for group in quotas.groups}
    first, root = quotas.rounds[0], quotas.groups[0]
    own = {group.name: group.allocated for group in first.groups}
    if root.group.autoregroup:
        own[root.name] = _shared_out(root, first, weighted)
    return own


def _shared_out(group: GroupQuota, one: Round, weighted: bool) -> float:
    """Return what a group has by its quota and of what was left over at it."""
    allocated = min(group.requested, group.quota)
    shares = [sharing for sharing in one.sharings if sharing.group == group.name]
    allocated += sum(
        dict(each.shares).get(group.name, 0.0) for each in shares if not each.remainders
    )
    if weighted:
        return allocated
    return math.floor(allocated) + sum(
        dict(each.shares).get(group.name, 0.0) for each in shares if each.remainders
    )


def lent_by(quotas: CycleQuotas) -> Mapping[str, float]:
    """Return by group what others are allocated of its quota in the first round.

    HTCondor does not keep whose surplus goes to whom: where some of what was left over at a
    group was taken, everybody who left some lent the same part of it.
    """
    if not quotas.rounds:
        return {group.name: 0.0 for group in quotas.groups}
    taken = {}
    for sharing in quotas.rounds[0].sharings:
        if not sharing.handed_down and not sharing.remainders:
            taken[sharing.group] = (sharing.surplus - sharing.left) / sharing.surplus
    kept: dict[str, float] = {}
    lent = {}
    for group in quotas.groups:  # breadth first: what is above a group comes before it
        parent = group.group.parent
        above = 1.0
        if parent is not None:
            above = kept[parent]
        kept[group.name] = above * (1.0 - taken.get(group.name, 0.0))
        lent[group.name] = max(0.0, group.quota - group.requested) * (1.0 - kept[group.name])
    return lent
