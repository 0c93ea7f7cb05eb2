"""Quotas down the tree and allocations of groups, in one round of a negotiation cycle.

Follows hgq_assign_quotas, hgq_fairshare and hgq_allocate_surplus of
src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14, in the order of their floating-point
operations: sums run over siblings in their order in the tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from weakref import ref

from htcq.quota.cycle_quotas import SurplusSharing
from htcq.quota.group_tree import Group, GroupTree


@dataclass(eq=False)
class GroupAllocation:
    """Working state of one group. ``usage`` is that of the round's start, ``used`` that of now.

    ``requested`` is what it still requests, ``subtree_requested`` what it and the accepting groups
    below it request. ``turn`` is when the group last had a slot of the remainders, ``subtree_turn``
    the earliest of those that request any; ``has_turn`` tells that it has one in this round.
    ``above`` leads to the parent and does not keep it: a circle would stay in memory where nothing
    collects circles.
    """

    group: Group
    above: ref[GroupAllocation] | None
    requested: float
    usage: float
    used: float
    turn: float = 0.0
    quota: float = 0.0
    subtree_quota: float = 0.0
    allocated: float = 0.0
    subtree_requested: float = 0.0
    subtree_turn: float = 0.0
    has_turn: bool = False
    surplus: float = 0.0
    children: list[GroupAllocation] = field(default_factory=list)

    @property
    def parent(self) -> GroupAllocation | None:
        """The state of the group above; None for the root."""
        if self.above is None:
            return None
        return self.above()


#: The shares of those that want some, what is left, and what they still lack.
Division = tuple[list[float], float, float]
#: Divides a surplus, given what each wants, the weights, the last turns, the surplus and the sum of
#: what is wanted.
Divide = Callable[[Sequence[float], Sequence[float], Sequence[float], float, float], Division]
#: Shares a surplus among a group and its children; returns what is left, and what each child got to
#: share below it. The last argument says whether the surplus came from the level above.
Settle = Callable[[GroupAllocation, float, bool], tuple[float, list[tuple[GroupAllocation, float]]]]


def plant(
    tree: GroupTree,
    requested: Mapping[str, float],
    usage: Mapping[str, float],
    turns: Mapping[str, float],
) -> list[GroupAllocation]:
    """Return the state at the start of a cycle, breadth first."""
    nodes: dict[str, GroupAllocation] = {}
    for group in tree.groups:
        used = float(usage.get(group.name, 0.0))
        asked = float(requested.get(group.name, 0.0))
        turn = turns.get(group.name, 0.0)
        node = nodes[group.name] = GroupAllocation(group, None, asked, used, used, turn)
        if group.parent is not None:
            parent = nodes[group.parent]
            parent.children.append(node)
            node.above = ref(parent)
    return list(nodes.values())


def assign_quotas(
    nodes: Sequence[GroupAllocation], pool_weight: float, oversubscription: bool
) -> None:
    """Assign the pool to the groups: static quotas first, dynamic ones from the rest.

    A group keeps what it does not pass on. With ``oversubscription`` static quotas are not scaled
    to what there is, and only the root passes on what it has; the others keep all of theirs as
    well.
    """
    nodes[0].subtree_quota = max(pool_weight, 0.0)
    for node in nodes:
        quota = node.subtree_quota
        if quota <= 0:
            continue
        passed_on = _pass_on(node, oversubscription)
        if not oversubscription or node.above is None:
            quota -= passed_on
        node.quota = max(quota, 0.0)


def _pass_on(node: GroupAllocation, oversubscription: bool) -> float:
    statics = dynamics = 0.0
    for child in node.children:
        if child.group.static:
            statics += child.group.config_quota
        else:
            dynamics += child.group.config_quota
    for_statics = statics
    if not oversubscription:
        for_statics = min(statics, node.subtree_quota)
    for_dynamics = max(0.0, node.subtree_quota - for_statics)
    static_scale = for_statics / (statics if statics > 0 else 1.0)
    dynamic_scale = for_dynamics / max(dynamics, 1.0)
    given = 0.0
    for child in node.children:
        scale = dynamic_scale
        if child.group.static:
            scale = static_scale
        child.subtree_quota = child.group.config_quota * scale
        given += child.subtree_quota
    return given


def fairshare(nodes: Sequence[GroupAllocation], sharings: list[SurplusSharing]) -> float:
    """Allocate each group's request within its quota, then share the surplus.

    The result is the surplus that no group requests.

    Each division of a surplus is added to ``sharings``.
    """

    def share(
        node: GroupAllocation, surplus: float, handed_down: bool
    ) -> tuple[float, list[tuple[GroupAllocation, float]]]:
        if surplus <= 0 or node.subtree_requested <= 0:
            return max(surplus, 0.0), []
        enough = surplus >= node.subtree_requested
        level = Level(node, surplus, enough, handed_down)
        return level.settle(_satisfy if enough else _compete, sharings)

    for node in reversed(nodes):  # what is below a group comes before it
        node.allocated = min(node.requested, node.quota)
        node.requested -= node.allocated
        gather(node, node.quota - node.allocated, share)
    return nodes[0].surplus


def gather(node: GroupAllocation, surplus: float, settle: Settle) -> None:
    """Share ``surplus``, and that of the groups below, among ``node`` and those that accept it."""
    node.subtree_requested = node.requested
    node.subtree_turn = node.turn if node.requested > 0 else math.inf
    for child in node.children:
        surplus += child.surplus
        if child.group.accept_surplus:
            node.subtree_requested += child.subtree_requested
            if child.subtree_requested > 0:
                node.subtree_turn = min(node.subtree_turn, child.subtree_turn)
    node.surplus = surplus
    if node.children:
        node.surplus, waiting = settle(node, surplus, False)
        while waiting:
            below, share = waiting.pop()
            waiting.extend(settle(below, share, True)[1])


@dataclass(frozen=True, eq=False)
class Level:
    """A group and its children, about to share ``surplus`` as equals.

    The flags are as in :class:`SurplusSharing`.
    """

    node: GroupAllocation
    surplus: float
    enough: bool
    handed_down: bool
    remainders: bool = False

    def settle(
        self, divide: Divide, sharings: list[SurplusSharing]
    ) -> tuple[float, list[tuple[GroupAllocation, float]]]:
        """Divide the surplus; return what is left of it and what the children got."""
        node, wanted = self.node, self.node.subtree_requested
        level: list[GroupAllocation] = []
        wants, weights, turns = list[float](), list[float](), list[float]()
        for child in node.children:
            if child.group.accept_surplus and child.subtree_requested > 0:
                level.append(child)
                wants.append(child.subtree_requested)
                weights.append(child.subtree_quota)
                turns.append(child.subtree_turn)
        if node.requested > 0:
            level.append(node)
            wants.append(node.requested)
            weights.append(node.quota)
            turns.append(node.turn)
        shares, left, node.subtree_requested = divide(wants, weights, turns, self.surplus, wanted)
        got = [(each, share) for each, share in zip(level, shares) if share > 0]
        for each, _ in got:
            each.has_turn = each.has_turn or self.remainders
        sharing = SurplusSharing(
            group=node.group.name,
            surplus=self.surplus,
            wanted=wanted,
            shares=tuple((each.group.name, share) for each, share in got),
            left=left,
            enough=self.enough,
            handed_down=self.handed_down,
            remainders=self.remainders,
        )
        sharings.append(sharing)
        if got and got[-1][0] is node:
            share = got.pop()[1]
            node.allocated += share
            node.requested -= share
        return left, got


def _satisfy(
    wants: Sequence[float],
    _: Sequence[float],
    turns: Sequence[float],
    surplus: float,
    outstanding: float,
) -> Division:
    return list(wants), surplus - outstanding, 0.0


def _compete(
    wants: Sequence[float],
    weights: Sequence[float],
    turns: Sequence[float],
    surplus: float,
    outstanding: float,
) -> Division:
    """Divide less than what is wanted: by quota first, then by head among those that still want."""
    shares, needs = [0.0] * len(wants), list(wants)
    for weight in (weights, [1.0] * len(wants)):
        while surplus > 0:
            hungry = [index for index, need in enumerate(needs) if need > 0]
            whole = 0.0
            for index in hungry:
                whole += weight[index]
            if whole <= 0:
                break
            handed, capped = 0.0, False
            for index in hungry:
                share = surplus * (weight[index] / whole)
                if share > needs[index]:
                    share, capped = needs[index], True
                shares[index] += share
                needs[index] -= share
                handed += share
            surplus -= handed
            outstanding -= handed
            if surplus < 0 or not capped:
                surplus = 0.0
    return shares, surplus, outstanding
