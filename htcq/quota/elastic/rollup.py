"""The groups of a tree with their demand, and the roll-up of demand from the leaves to the root.

Follows pkg/scheduler/plugins/elasticquota/core/group_quota_manager.go and quota_info.go of
koordinator-sh/koordinator, commit a7a1b76. Jobs of a group that has groups below it are a group
``<self>`` among those. Koordinator has no such group: it passes the runtime on to those below as
if the group's own jobs used nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from htcq.quota.elastic.computed_group import ComputedGroup
from htcq.quota.elastic.declaration import (
    SELF,
    Amounts,
    ElasticDemand,
    ElasticGroup,
    ElasticQuotas,
    Options,
    least,
)
from htcq.quota.elastic.elastic_tree import ElasticTree
from htcq.quota.elastic.kinds import Family, families, family_of


def plant(quotas: ElasticQuotas, tree: ElasticTree, demand: ElasticDemand) -> list[ComputedGroup]:
    """Return the nodes, parents before children, siblings by name; ``<self>`` where needed."""
    by_name: dict[str, ComputedGroup] = {}
    for group in tree.groups:
        parent = by_name.get(group.parent)
        node = by_name[group.name] = ComputedGroup(group, parent, quotas.options)
        if parent is not None:
            parent.children.append(node)
    nodes: list[ComputedGroup] = []
    for node in by_name.values():
        nodes.append(node)
        _give(node, demand)
        if node.children and (any(node.own_request.values()) or any(node.own_used.values())):
            own = _self_node(node, quotas.options)
            node.own_request, node.own_used = {}, {}
            node.children.append(own)
            nodes.append(own)
    return nodes


def _give(node: ComputedGroup, demand: ElasticDemand) -> None:
    node.own_request = dict(demand.request.get(node.name, {}))
    node.own_used = dict(demand.used.get(node.name, {}))
    node.guarantee = dict(demand.guarantee.get(node.name, {}))


def _self_node(node: ComputedGroup, options: Options) -> ComputedGroup:
    """Return the group of a parent's own jobs.

    Its min is what the mins of the children leave.
    """
    rest = dict(node.group.min)
    for child in node.children:
        for name, amount in child.min.items():
            if name in rest:
                rest[name] -= amount
    group = ElasticGroup(
        name=f"{node.name}.{SELF}",
        parent=node.name,
        min={name: max(0, amount) for name, amount in rest.items()},
        max=node.group.max,
        weight=node.group.weight,
        lend=True,
        scale_min=node.group.scale_min,
    )
    own = ComputedGroup(group, node, options)
    own.own_request, own.own_used = node.own_request, node.own_used
    return own


def roll_up(
    nodes: Sequence[ComputedGroup], total: Amounts, guarantee_usage: bool
) -> tuple[Family, ...]:
    """Compute request, usage and guarantee of every node, the leaves first.

    The result has the families of dimensions.
    """
    found = families(total, nodes)
    for node in reversed(nodes):
        family_of(node, found)
        _requests(node, found)
        _usage(node, guarantee_usage)
        for family in found:
            family.make_room(node)
    return found


def _requests(node: ComputedGroup, found: Iterable[Family]) -> None:
    requested = {name: node.own_request.get(name, 0) for name in node.max}
    used = {name: node.own_used.get(name, 0) for name in node.max}
    for family in found:
        family.complete(requested)
        family.complete(used)
    for child in node.children:
        for name in node.max:
            requested[name] += child.limited.get(name, 0)
            used[name] += child.used.get(name, 0)
    node.child_request, node.used = requested, used
    node.request = dict(requested)
    for name in node.max:
        node.request[name] = max(requested[name], node.reserved(name))
    if node.request != requested:
        for family in found:
            family.complete(node.request)
    node.limited = {name: least(amount, node.max[name]) for name, amount in node.request.items()}
    for family in found:
        family.limit(node.request, node.limited, node.max)


def _usage(node: ComputedGroup, guarantee_usage: bool) -> None:
    """Set what is kept for a group because it, or a group below it, uses it."""
    if guarantee_usage:
        for name in node.max:
            allocated = node.used[name]
            if node.children:
                allocated = sum(child.guaranteed.get(name, 0) for child in node.children)
            node.allocated[name] = allocated
            node.guaranteed[name] = max(allocated, node.min[name])
    for name, amount in node.guarantee.items():
        if name in node.max:
            node.guaranteed[name] = max(amount, node.guaranteed.get(name, 0))
