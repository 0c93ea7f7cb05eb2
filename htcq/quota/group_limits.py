"""Order in which groups negotiate, and the usage that each may reach.

Follows hgq_negotiate_with_all_groups and strict_enforce_quota of
src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14. A limit is a usage to reach, not an
amount to add; it may be NaN, as it is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from htcq.classads import Ad, Expr
from htcq.quota.allocation import GroupAllocation
from htcq.quota.group_tree import ROOT, Group
from htcq.std_sort import std_order

#: The key of a group for which the sort expression yields no number: the greatest C++ float.
FLT_MAX = 3.4028234663852886e38
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
#: Up to this number of groups, std::sort inserts them one by one (libstdc++).
_INSERTED = 16
#: HTCondor's own GROUP_SORT_EXPR (param_info.in, 25.14). Nearly all pools have it: its values are
#: computed here, in a small part of the time that it takes to put them into ads and evaluate it.
_DEFAULT_SORT = (
    'ifThenElse(AccountingGroup=?="<none>",3.4e+38,'
    "ifThenElse(GroupQuota>0,GroupResourcesInUse/GroupQuota,3.3e+38))"
)
_OF_ROOT, _WITHOUT_QUOTA = 3.4e38, 3.3e38


def truncated(limit: float) -> int:
    """Return the limit that is negotiated with: the integer part of ``limit``.

    NaN, and what no C++ int holds, becomes the least int.
    """
    if math.isnan(limit) or not _INT_MIN - 1 < limit < _INT_MAX + 1:
        return _INT_MIN
    return int(limit)


def sort_keys(nodes: Sequence[GroupAllocation], sort_expr: str) -> list[float]:
    """Return each group's GROUP_SORT_EXPR.

    Raises:
        PolicyError: the text is not a ClassAd expression.
    """
    if sort_expr == _DEFAULT_SORT:
        return list(map(_default_sort_key, nodes))
    expression, ad, keys = Expr(sort_expr), Ad(), []
    if not list(expression.words()):
        # The same for all.
        return [_sort_key(expression, ad)] * len(nodes)
    for node in nodes:
        ad["AccountingGroup"] = node.group.name
        ad["GroupQuota"] = node.quota
        ad["GroupResourcesAllocated"] = node.allocated
        ad["GroupResourcesInUse"] = node.used
        keys.append(_sort_key(expression, ad))
    return keys


def _default_sort_key(node: GroupAllocation) -> float:
    if node.group.name == ROOT:
        return _OF_ROOT
    if not node.quota > 0:
        return _WITHOUT_QUOTA
    # The negotiator puts C++ doubles into the ad. It takes an infinite quotient for no number.
    key = float(node.used) / float(node.quota)
    return FLT_MAX if key == math.inf else key


def _sort_key(expression: Expr, ad: Ad) -> float:
    value = expression.evaluate(ad)
    if isinstance(value, (int, float)):
        return float(value)
    return FLT_MAX


def in_order(nodes: Sequence[GroupAllocation], keys: Sequence[float]) -> list[GroupAllocation]:
    """Return the groups in the order of negotiation: by key, then breadth first.

    The root is last where groups regroup. Of more than 16 groups, equal ones stand as std::sort
    leaves them; where one of their keys is NaN, the negotiator's order is open.
    """
    root = nodes[0]
    regroups = root.group.autoregroup
    places = [(regroups and node is root, key) for node, key in zip(nodes, keys)]
    unordered = any(map(math.isnan, keys))
    if unordered and len(nodes) <= _INSERTED:
        order = _inserted(places)
    else:
        order = list(std_order(places, stable=unordered))
    return [nodes[index] for index in order]


def _inserted(places: Sequence[tuple[bool, float]]) -> list[int]:
    """Return the order of an insertion sort as in libstdc++.

    A NaN stays in its place, and what comes later stays behind it. Only what goes before the very
    first goes past it.
    """
    order: list[int] = []
    for index, place in enumerate(places):
        at = len(order)
        while at and place < places[order[at - 1]]:
            at -= 1
        if order and place < places[order[0]]:
            at = 0
        order.insert(at, index)
    return order


def proposed_limit(node: GroupAllocation, step: float, max_delta: float, whole: bool) -> float:
    """Return the usage that a group may reach in a pass that goes ``step`` of ``max_delta``.

    It is rounded down where it must be ``whole``. It is NaN where no group is to grow
    (``max_delta`` is 0) but this group's quota is above its usage.
    """
    target = max(node.allocated, node.quota)
    delta = max(0.0, target - node.usage)
    limit = target
    if delta > 0:
        if max_delta <= 0:
            return math.nan
        limit = node.usage + delta * (step / max_delta)
    if math.isnan(limit):
        return limit
    limit = min(limit, target)
    if whole:
        return float(math.floor(limit))
    return limit


class SubtreeUsage:
    """Current usage of each group and those below it, added up on demand.

    The usage of few groups is ever needed.

    Where a group's sum is known, so are those of all below it.
    """

    def __init__(self) -> None:
        self._of: dict[GroupAllocation, float] = {}

    def __getitem__(self, node: GroupAllocation) -> float:
        if node not in self._of:
            unknown = [node]
            for each in unknown:  # grows while it is read: what is below a group comes after it
                unknown.extend(child for child in each.children if child not in self._of)
            for each in reversed(unknown):
                self._of[each] = self._sum(each)
        return self._of[node]

    def update(self, nodes: Mapping[str, GroupAllocation], usage: Mapping[str, float]) -> None:
        """Take over new usage by group name."""
        for name, used in usage.items():
            node: GroupAllocation | None = nodes[name]
            nodes[name].used = used
            while node is not None and self._of.pop(node, None) is not None:
                node = node.parent

    def _sum(self, node: GroupAllocation) -> float:
        total = 0.0
        for child in node.children:
            total += self._of[child]
        return total + node.used


def strict_quota(group: Group, subtree_quota: float) -> float:
    """Return what a group that accepts no surplus, and all below it, may use together."""
    return group.config_quota if group.static else subtree_quota


def enforced(node: GroupAllocation, limit: float, subtree_usage: SubtreeUsage) -> tuple[float, str]:
    """Return ``limit`` cut by the ancestors that accept no surplus, and who cut it last.

    Each of them cuts it to what it has left of its quota: for a static one that is configured, even
    where less could be passed on.
    """
    growth, held_by = limit - node.usage, ""
    above: GroupAllocation | None = node
    while above is not None:
        group = above.group
        if not group.accept_surplus:
            quota = strict_quota(group, above.subtree_quota)
            available = max(0.0, quota - subtree_usage[above])
            if growth > available:
                growth, held_by = available, group.name
        above = above.parent
    return growth + node.usage, held_by
