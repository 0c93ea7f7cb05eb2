"""The data of an audit's pictures: the pool's weight by weight expression, and its groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.evidence import Evidence
from htcq.claims.costs import Share, weight_shares
from htcq.poolquota.pool_quotas import PoolQuotas

#: The maximum of weight expressions that are drawn, those of most weight.
MAX_SHARES = 20


@dataclass(frozen=True)
class GroupBar:
    """Quota, usage and demand of a group and all groups below it, in the pool's unit."""

    name: str
    parent: str
    depth: int
    quota: float
    usage: float
    requested: float


@dataclass(frozen=True)
class Pictures:
    """The largest shares of the pool's weight, how many others, and the groups, depth first."""

    shares: tuple[Share, ...] = ()
    more_shares: int = 0
    groups: tuple[GroupBar, ...] = ()


def pictures_of(evidence: Evidence) -> Pictures:
    """Return the data of a pool; no groups if it has none or their configuration is not known."""
    shares = weight_shares(evidence.slots, evidence.weights)
    quotas = evidence.quotas
    groups: tuple[GroupBar, ...] = ()
    if quotas.grouped:
        groups = tuple(_groups(quotas))
    return Pictures(shares[:MAX_SHARES], len(shares[MAX_SHARES:]), groups)


def _groups(quotas: PoolQuotas) -> Iterator[GroupBar]:
    groups = quotas.tree.groups
    usage = {group.name: float(quotas.usage.get(group.name, 0.0)) for group in groups}
    requested = {group.name: quotas.requested(group.name) for group in groups}
    for group in reversed(groups):  # breadth first: what is below a group comes after it
        if group.parent is not None:
            usage[group.parent] += usage[group.name]
            requested[group.parent] += requested[group.name]
    waiting = [(quotas.tree.root.name, 0)]
    while waiting:
        name, depth = waiting.pop()
        parent = quotas.tree[name].parent or ""
        yield GroupBar(
            name, parent, depth, quotas.quota(name).subtree_quota, usage[name], requested[name]
        )
        waiting += [(child, depth + 1) for child in reversed(quotas.tree[name].children)]
