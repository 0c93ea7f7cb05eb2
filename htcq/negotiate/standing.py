"""Where every group stands: what it is promised, wants, uses, is allocated and may come to, and what it lent.

All of it is of the first round of the next cycle, if nothing were matched in it. Amounts are in the pool's unit, those
wanted in the unit of the schedds' slot weights (or in jobs, where demand is not weighted).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.negotiate.groups import PoolQuotas
from htcq.negotiate.published import Mark
from htcq.quota.limits import truncated
from htcq.quota.results import GroupQuota, Quotas
from htcq.quota.tree import Group


@dataclass(frozen=True)
class Standing:
    """One group; ``depth`` is 0 for the root.

    Of the group itself: ``idle`` and ``running`` (what its own submitters want more and have), ``requested`` (what the
    negotiator makes of both), ``usage``, ``allocated``. With all below it: ``subtree_quota``, ``subtree_usage``.
    ``borrowed`` is what it is allocated beyond its quota, ``lent`` what others are of its quota. ``limit`` is the usage
    that the negotiator lets it come to, None where it gets no turn, NaN where HTCondor computes that; ``headroom`` what
    it may still take of it, or of its quota without a turn. ``turn`` counts from 1. ``marks`` tell where the negotiator
    published something else.
    """

    name: str
    parent: str | None
    depth: int
    config_quota: float
    static: bool
    configured: bool
    accept_surplus: bool
    autoregroup: bool
    quota: float
    subtree_quota: float
    submitters: int
    idle: float
    running: float
    requested: float
    usage: float
    subtree_usage: float
    allocated: float
    borrowed: float
    lent: float
    limit: float | None
    headroom: float
    turn: int | None
    sort_key: float
    marks: tuple[Mark, ...] = ()


def standings(quotas: PoolQuotas) -> tuple[Standing, ...]:
    """Return the groups depth first, as a tree is written down."""
    marks, lent, below = quotas.marks, lent_by(quotas.computed), _subtree_usage(quotas)
    turns = {name: place for place, name in enumerate(_turns(quotas), 1)}
    keys = {each.name: each.sort_key for each in quotas.computed.rounds[0].groups} if quotas.computed.rounds else {}
    found = []
    for group, depth in depth_first(quotas):
        name = group.name
        promised, allocated = quotas.quota(name), quotas.allocated(name)
        limit = quotas.limits.get(name)
        idle, running = quotas.demand(name)
        found.append(
            Standing(
                name=name,
                parent=group.parent,
                depth=depth,
                config_quota=group.config_quota,
                static=group.static,
                configured=group.configured,
                accept_surplus=group.accept_surplus,
                autoregroup=group.autoregroup,
                quota=promised.quota,
                subtree_quota=promised.subtree_quota,
                submitters=len(quotas.of(name)),
                idle=idle,
                running=running,
                requested=promised.requested,
                usage=promised.usage,
                subtree_usage=below[name],
                allocated=allocated,
                borrowed=max(0.0, allocated - promised.quota) if quotas.computed.rounds else 0.0,
                lent=lent.get(name, 0.0),
                limit=limit,
                headroom=_headroom(promised, limit),
                turn=turns.get(name),
                sort_key=keys.get(name, 0.0),
                marks=marks.get(name, ()),
            )
        )
    return tuple(found)


def depth_first(quotas: PoolQuotas) -> Iterator[tuple[Group, int]]:
    """Yield every group with its depth, each before those below it."""
    waiting = [(quotas.tree.root.name, 0)]
    while waiting:
        name, depth = waiting.pop()
        group = quotas.tree[name]
        yield group, depth
        waiting += [(child, depth + 1) for child in reversed(group.children)]


def _turns(quotas: PoolQuotas) -> Iterator[str]:
    """Yield the groups that get a turn, in its order."""
    if quotas.computed.rounds:
        yield from (limit.group for limit in quotas.computed.rounds[0].limits)


def _subtree_usage(quotas: PoolQuotas) -> Mapping[str, float]:
    below = {group.name: group.usage for group in quotas.computed.groups}
    for group in reversed(quotas.computed.groups):  # what is below a group comes after it
        if group.parent is not None:
            below[group.parent] += below[group.name]
    return below


def _headroom(group: GroupQuota, limit: float | None) -> float:
    if limit is None:
        return max(0.0, group.quota - group.usage)
    return 0.0 if math.isnan(limit) else max(0.0, truncated(limit) - group.usage)


def lent_by(quotas: Quotas) -> Mapping[str, float]:
    """Return by group what others are allocated of its quota in the first round.

    HTCondor does not keep whose surplus goes to whom: where some of what was left over at a group was taken, everybody
    who left some lent the same part of it.
    """
    if not quotas.rounds:
        return {}
    taken = {}
    for sharing in quotas.rounds[0].sharings:
        if not sharing.handed_down and not sharing.remainders:
            taken[sharing.group] = (sharing.surplus - sharing.left) / sharing.surplus
    kept: dict[str, float] = {}
    lent = {}
    for group in quotas.groups:  # breadth first: what is above a group comes before it
        above = kept[group.parent] if group.parent is not None else 1.0
        kept[group.name] = above * (1.0 - taken.get(group.name, 0.0))
        lent[group.name] = max(0.0, group.quota - group.requested) * (1.0 - kept[group.name])
    return lent
