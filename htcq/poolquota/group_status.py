"""Status of every group: quota, demand, usage, allocation, limit, and what it lent.

All of it is of the first round of the next cycle, if nothing were matched in it. Amounts are in
the pool's unit, those wanted in the unit of the schedds' slot weights (or in jobs, where demand
is not weighted).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.poolquota.lent_quota import lent_by, own_allocations
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.published import Mark
from htcq.poolquota.shortfall import Holder, Unclaimed, holders_of, lacking, unclaimed_of
from htcq.quota.cycle_quotas import GroupQuota, Round
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import ROOT, Group
from htcq.quota.knobs import Knobs
from htcq.quota.shares import SubmitterShare
from htcq.units import show_number

#: Greater numbers are not shown with all their digits.
_MAX_DIGITS = 1e9


@dataclass(frozen=True)
class GroupStatus:
    """Status of one group.

    ``depth`` is 0 for the root, ``computed`` has its quotas at the start of the cycle.

    Of the group itself: ``idle`` and ``running`` (what its own submitters want more and have),
    ``requested`` (what the negotiator makes of both), ``usage``, ``allocated``. With all below
    it: ``subtree_quota``, ``subtree_usage``. Where groups regroup, the root is allocated the
    whole pool, of which ``own_allocated`` is for its own jobs. ``borrowed`` is what it is
    allocated beyond its quota, ``lent`` what others are of its quota. ``limit`` is the usage
    that the negotiator lets it come to, None if not negotiated, NaN where HTCondor computes
    that; ``headroom`` what it may still take of it, or of its quota without a turn, and
    ``obtainable`` how much of that is free in the pool. ``below`` is how much less than the lesser
    of quota and demand it uses, 0 within the slack; ``held_by`` who has that. ``turn`` counts
    from 1. ``marks`` tell where the negotiator published something else, ``shares`` what
    each of its submitters with idle jobs may take when its turn begins.
    """

    computed: GroupQuota
    depth: int
    submitters: int
    idle: float
    running: float
    subtree_usage: float
    allocated: float
    own_allocated: float
    borrowed: float
    lent: float
    limit: float | None
    headroom: float
    obtainable: float
    below: float
    held_by: tuple[Holder, ...]
    turn: int | None
    sort_key: float
    marks: tuple[Mark, ...] = ()
    shares: tuple[SubmitterShare, ...] = ()

    @property
    def group(self) -> Group:
        """The group as configured."""
        return self.computed.group

    @property
    def name(self) -> str:
        """The name of the group."""
        return self.computed.group.name

    @property
    def quota(self) -> float:
        """The quota of the group itself."""
        return self.computed.quota

    @property
    def subtree_quota(self) -> float:
        """The quota of the group and all groups below it."""
        return self.computed.subtree_quota

    @property
    def requested(self) -> float:
        """What the negotiator takes for the demand of the group itself."""
        return self.computed.requested

    @property
    def usage(self) -> float:
        """What the group itself uses."""
        return self.computed.usage

    @property
    def due(self) -> float:
        """The lesser of its quota and its demand."""
        return min(self.quota, self.requested)

    @property
    def working_limit(self) -> float | None:
        """The limit as the negotiator works with it, cut to a whole number.

        It is NaN for NaN, None without a turn.
        """
        if self.limit is None or math.isnan(self.limit):
            return self.limit
        return float(truncated(self.limit))


def statuses_of(quotas: PoolQuotas) -> tuple[GroupStatus, ...]:
    """Return the groups depth first, as a tree is written down."""
    first = _First(quotas)
    return tuple(first.status(group, depth) for group, depth in depth_first(quotas))


class _First:
    """The first round of the next cycle, by group."""

    def __init__(self, quotas: PoolQuotas) -> None:
        self._quotas = quotas
        computed = quotas.computed
        self._own = own_allocations(computed, quotas.settings.use_slot_weights)
        self._lent, self._below = lent_by(computed), _subtree_usage(computed.groups)
        self._round: Round | None = None
        self._turns: dict[str, int] = {}
        self._keys: dict[str, float] = {}
        if computed.rounds:
            self._round = computed.rounds[0]
            self._turns = {each.group: place for place, each in enumerate(self._round.limits, 1)}
            self._keys = {group.name: group.sort_key for group in self._round.groups}

    def status(self, group: Group, depth: int) -> GroupStatus:
        """Return where one group stands."""
        quotas, name = self._quotas, group.name
        computed, limit = quotas.quota(name), quotas.limits.get(name)
        own = self._own[name]
        idle, running = quotas.demand(name)
        headroom = self._headroom(computed, limit)
        below = 0.0
        if name != ROOT:
            below = lacking(computed.quota, computed.requested, computed.usage)
        return GroupStatus(
            computed=computed,
            depth=depth,
            submitters=len(quotas.of(name)),
            idle=idle,
            running=running,
            subtree_usage=self._below[name],
            allocated=quotas.allocated(name),
            own_allocated=own,
            borrowed=max(0.0, own - computed.quota),
            lent=self._lent[name],
            limit=limit,
            headroom=headroom,
            obtainable=headroom if self._preempts else min(headroom, self._unclaimed.free),
            below=below,
            held_by=self._holders if below else (),
            turn=self._turns.get(name),
            sort_key=self._keys.get(name, 0.0),
            marks=quotas.marks.get(name, ()),
            shares=quotas.shares(name),
        )

    @cached_property
    def _preempts(self) -> bool:
        """Whether the negotiator may take claims of others: then a full pool gives as well."""
        text = Knobs(self._quotas.knobs).text("PREEMPTION_REQUIREMENTS") or "false"
        return self._quotas.settings.consider_preemption and text.lower() != "false"

    @cached_property
    def _unclaimed(self) -> Unclaimed:
        return unclaimed_of(self._quotas)

    @cached_property
    def _holders(self) -> tuple[Holder, ...]:
        return holders_of(self._quotas, self._unclaimed)

    def _headroom(self, group: GroupQuota, limit: float | None) -> float:
        if limit is None:
            return max(0.0, group.quota - group.usage)
        if group.group.parent is None and group.group.autoregroup:
            # No quota holds the root then, only what there is; its submitters' matches count for
            # their own groups.
            return max(0.0, truncated(limit) - self._below[group.name])
        if math.isnan(limit):
            return 0.0
        return max(0.0, truncated(limit) - group.usage)


def shown_limit(limit: float | None) -> str:
    """Return the limit that the negotiator uses, and the computed one if it differs.

    An example is ``14 (14.9999)``.

    The dust of arithmetic counts where it costs a whole one: ``28 (28.999999999999996)``. NaN is
    ``nan``.
    """
    if limit is None:
        return "-"
    if math.isnan(limit):
        return "nan"
    working, computed = show_number(truncated(limit)), show_number(limit)
    if working == computed:
        return working
    if "." not in computed and abs(limit) < _MAX_DIGITS:
        computed = str(limit)
    return f"{working} ({computed})"


def depth_first(quotas: PoolQuotas) -> Iterator[tuple[Group, int]]:
    """Yield every group with its depth, each before those below it."""
    waiting = [(quotas.tree.root.name, 0)]
    while waiting:
        name, depth = waiting.pop()
        group = quotas.tree[name]
        yield group, depth
        waiting += [(child, depth + 1) for child in reversed(group.children)]


def _subtree_usage(groups: Sequence[GroupQuota]) -> Mapping[str, float]:
    below = {group.name: group.usage for group in groups}
    for group in reversed(groups):  # what is below a group comes after it
        parent = group.group.parent
        if parent is not None:
            below[parent] += below[group.name]
    return below
