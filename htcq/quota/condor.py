"""One negotiation cycle over the groups: quotas, allocation rounds, order and limits.

Follows hgq_prepare_for_matchmaking and hgq_negotiate_with_all_groups of
src/condor_negotiator.V6/GroupEntry.cpp and negotiateWithGroup of matchmaker.cpp, HTCondor 25.14.
The matches of a group are decided elsewhere. Amounts are in the pool's unit: slot
weights, or slots where weights are off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.quota.allocation import GroupAllocation, assign_quotas, fairshare, plant
from htcq.quota.cycle_quotas import (
    CycleQuotas,
    GroupLimit,
    GroupQuota,
    GroupRound,
    Round,
    SurplusSharing,
)
from htcq.quota.group_limits import (
    SubtreeUsage,
    enforced,
    in_order,
    proposed_limit,
    sort_keys,
    truncated,
)
from htcq.quota.group_tree import GroupTree
from htcq.quota.settings import Settings
from htcq.quota.whole_slots import recover_remainders


@dataclass(frozen=True)
class Inputs:
    """Inputs of a cycle.

    By group name, of the group itself and not of those below it: ``requested``, what its
    submitters' running and idle jobs weigh, and ``usage``. ``with_submitters`` names the groups
    that have submitters of their own. ``turns`` tells when each group last had a slot of the
    remainders, or requested none: any numbers that grow with time, 0 for never.
    """

    tree: GroupTree
    pool_weight: float
    requested: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, float] = field(default_factory=dict)
    with_submitters: Collection[str] = ()
    settings: Settings = field(default_factory=Settings)
    turns: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Turn:
    """Outcome of the negotiation with one group.

    ``usage`` has what changed, by group name; ``through`` tells whether its submitters are done.
    """

    usage: Mapping[str, float] = field(default_factory=dict)
    through: bool = True


#: Returns the outcome of a group's negotiation, given its name and limit.
TakeTurn = Callable[[str, int], Turn]


def nothing_matched(group: str, limit: int) -> Turn:
    """Return the outcome of a negotiation without a match, as if no submitter answered."""
    return Turn()


def compute_quotas(inputs: Inputs, take_turn: TakeTurn = nothing_matched) -> CycleQuotas:
    """Return the quotas, allocations, order and limits of one cycle.

    Without any group but the root the negotiator knows no quotas: there are no rounds.

    Raises:
        PolicyError: the sort expression is not a ClassAd expression.
    """
    nodes = _assigned(inputs)
    groups = tuple(map(_group_quota, nodes))
    rounds: tuple[Round, ...] = ()
    if len(nodes) > 1:
        rounds = _Cycle(inputs, nodes, take_turn).rounds()
    had_turn = frozenset(node.group.name for node in nodes if node.has_turn or node.requested <= 0)
    return CycleQuotas(float(inputs.pool_weight), groups, rounds, had_turn)


def promised(inputs: Inputs) -> tuple[GroupQuota, ...]:
    """Return the groups' quotas as the negotiator publishes them after the cycle.

    Where groups regroup, the root's quota is the whole pool by then.
    """
    nodes = _assigned(inputs)
    if nodes[0].group.autoregroup:
        nodes[0].quota = float(inputs.pool_weight)
    return tuple(map(_group_quota, nodes))


def _assigned(inputs: Inputs) -> list[GroupAllocation]:
    nodes = plant(inputs.tree, inputs.requested, inputs.usage, inputs.turns)
    assign_quotas(nodes, float(inputs.pool_weight), inputs.settings.oversubscription)
    return nodes


def _group_quota(node: GroupAllocation) -> GroupQuota:
    return GroupQuota(node.group, node.quota, node.subtree_quota, node.requested, node.usage)


class _Cycle:
    """Rounds of one cycle; ``waiting`` are the groups whose submitters are not done."""

    def __init__(
        self, inputs: Inputs, nodes: Sequence[GroupAllocation], take_turn: TakeTurn
    ) -> None:
        self.settings = inputs.settings
        self.pool_weight = float(inputs.pool_weight)
        self.spreads = inputs.tree.global_accept_surplus
        self.nodes, self.root = nodes, nodes[0]
        self.by_name = {node.group.name: node for node in nodes}
        self.take_turn = take_turn
        self.subtree_usage = SubtreeUsage()
        self.regroups = self.root.group.autoregroup
        self.waiting = set(inputs.with_submitters)
        # Submitters of regrouping groups have a second turn, with the root.
        if any(node.group.autoregroup and node.group.name in self.waiting for node in nodes):
            self.waiting.add(self.root.group.name)

    def rounds(self) -> tuple[Round, ...]:
        """Return the rounds up to the one that serves all that it allocates."""
        rounds = []
        for _ in range(self.settings.max_rounds):
            rounds.append(self._round())
            if self._served():
                break
        return tuple(rounds)

    def _round(self) -> Round:
        sharings: list[SurplusSharing] = []
        for node in self.nodes:
            node.has_turn = False
        surplus = fairshare(self.nodes, sharings)
        if not self.settings.use_slot_weights:
            surplus += recover_remainders(self.nodes, sharings)
        if self.regroups:
            self.root.quota = self.root.allocated = self.pool_weight
        max_delta = 0.0
        for node in self.nodes:
            target = node.quota
            if self.spreads:
                target = node.allocated
            max_delta = max(max_delta, target - node.usage)
        keys = sort_keys(self.nodes, self.settings.sort_expr)
        groups = tuple(map(_group_round, self.nodes, keys))
        order = in_order(self.nodes, keys)
        limits = self._passes(order, max_delta)
        names = tuple(node.group.name for node in order)
        return Round(surplus, max_delta, groups, names, limits, tuple(sharings))

    def _passes(self, order: Sequence[GroupAllocation], max_delta: float) -> tuple[GroupLimit, ...]:
        """Let the groups negotiate step by step up to their allocation.

        The result has the limits of the first step.
        """
        going = [node for node in order if self._may_go(node)]
        step = min(self.settings.round_robin_rate, max_delta)
        first = tuple(self._pass(going, step, max_delta))
        while step < max_delta and any(node.group.name in self.waiting for node in going):
            step = min(step + self.settings.round_robin_rate, max_delta)
            self._pass(going, step, max_delta)
        return first

    def _may_go(self, node: GroupAllocation) -> bool:
        if node.allocated <= 0:
            return False
        return self.settings.consider_preemption or node.usage < node.allocated

    def _pass(
        self, going: Sequence[GroupAllocation], step: float, max_delta: float
    ) -> list[GroupLimit]:
        limits = []
        whole = not self.settings.use_slot_weights
        for node in going:
            if node.group.name not in self.waiting:
                continue
            proposed = proposed_limit(node, step, max_delta, whole)
            limit, held_by = proposed, ""
            if self.settings.strict_enforce:
                limit, held_by = enforced(node, proposed, self.subtree_usage)
            limits.append(GroupLimit(node.group.name, limit, proposed, held_by))
            self._turn(node, truncated(limit))
        return limits

    def _turn(self, node: GroupAllocation, limit: int) -> None:
        capped = not (self.regroups and node is self.root)
        if capped and not self.settings.consider_preemption and node.used >= limit:
            return  # the negotiator asks nobody, and the submitters stay
        turn = self.take_turn(node.group.name, limit)
        self.subtree_usage.update(self.by_name, turn.usage)
        if turn.through:
            self.waiting.discard(node.group.name)

    def _served(self) -> bool:
        """Set the demand of the next round.

        The result tells whether usage has reached all that was allocated.
        """
        served = allocated = 0.0
        for node in self.nodes:
            node.usage = node.used
            served += min(node.usage, node.allocated)
            allocated += node.allocated
            # What a group could not match it does not request again.
            if node.usage < node.allocated:
                node.requested = node.usage
            else:
                node.requested += node.allocated
        return served >= allocated


def _group_round(node: GroupAllocation, sort_key: float) -> GroupRound:
    requested = node.requested + node.allocated
    return GroupRound(
        node.group.name, node.quota, requested, node.requested, node.allocated, sort_key
    )
