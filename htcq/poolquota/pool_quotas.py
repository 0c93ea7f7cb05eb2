"""What the negotiator makes of the groups of a pool as captured.

Their tree, demand, usage, quotas and limits.

Follows hgq_prepare_for_matchmaking and hgq_negotiate_with_all_groups of
src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14. Amounts are in the pool's unit: slot
weights, or slots where weights are off.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import Number
from htcq.pool.weights import Weights
from htcq.poolquota.demand import Submitter, submitters_of
from htcq.poolquota.factors import BEST_PRIORITY, new_factor
from htcq.poolquota.negotiator_flaws import with_unusable
from htcq.poolquota.negotiator_knobs import negotiator_knobs, negotiator_version
from htcq.poolquota.published import Mark, Published
from htcq.poolquota.supply import DECIMALS, Supply, supply_of
from htcq.quota.condor import Inputs, Turn, compute_quotas, promised
from htcq.quota.cpp_float import total
from htcq.quota.cycle_quotas import CycleQuotas, GroupLimit, GroupQuota, GroupRound
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import Group, assigned_group, build_tree
from htcq.quota.knobs import Knobs
from htcq.quota.settings import Settings, read_settings
from htcq.quota.shares import Claimant, Pie, SubmitterShare, shares

#: A small round-robin rate makes the negotiator pass over a large pool forever. Not so here: most
#: passes of a round, most of those in which somebody is matched, and most rounds.
_MAX_PASSES, _MAX_FILLING_PASSES, _MAX_ROUNDS = 100_000, 100, 100
#: PRIORITY_HALFLIFE in seconds where it is not set (param_info.in), and when the last cycle began.
_HALFLIFE, _LAST_CYCLE = 86400.0, "LastNegotiationCycleTime0"


class PoolQuotas:
    """The groups of a pool at its capture; without configuration there is only the root.

    ``negotiator`` names the one whose ads count, if there are several. What ``before``, of an
    earlier moment of the pool, found for the same slots and knobs is taken over.
    """

    def __init__(
        self, pool: Pool, weights: Weights, negotiator: str = "", before: PoolQuotas | None = None
    ) -> None:
        self._pool = pool
        self.published = Published(pool, negotiator)
        #: The version of the negotiator; ``()`` where it is not known.
        self.negotiator_version = negotiator_version(pool, self.published.negotiator)
        self.knobs = negotiator_knobs(pool, self.negotiator_version)
        self._reader = Knobs(self.knobs)
        if before is None or before.knobs != self.knobs:
            self.tree, in_tree = build_tree(self.knobs)
            self.settings, in_settings = read_settings(self.knobs)
            #: The problems of the groups' knobs, and those of all knobs of the negotiator.
            self.group_problems = (*in_tree, *in_settings)
            self.problems = with_unusable(pool.central, self.group_problems)
        else:
            self.tree, self.settings = before.tree, before.settings
            self.group_problems, self.problems = before.group_problems, before.problems
        weighed = None if before is None else before.supply
        self.supply: Supply = supply_of(pool.slots or (), weights, self.knobs, weighed)

    # Who there is
    # ----------------------------------------------------------------------------------------------

    @property
    def pool(self) -> Pool:
        """The pool whose groups these are."""
        return self._pool

    @property
    def grouped(self) -> bool:
        """Whether there is any group but the root: without one the negotiator knows no quotas."""
        return len(self.tree.groups) > 1

    @property
    def groups(self) -> tuple[Group, ...]:
        """Every group but the root, breadth first."""
        return self.tree.groups[1:]

    @cached_property
    def submitters(self) -> tuple[Submitter, ...]:
        """The submitters that the negotiator looks at."""
        return submitters_of(self._pool.submitters, self.tree, self.knobs, self.negotiator_version)

    @cached_property
    def _by_group(self) -> Mapping[str, tuple[Submitter, ...]]:
        found: dict[str, list[Submitter]] = {}
        for submitter in self.submitters:
            found.setdefault(submitter.group, []).append(submitter)
        return {group: tuple(submitters) for group, submitters in found.items()}

    def of(self, group: str) -> tuple[Submitter, ...]:
        """Return the submitters that are charged to ``group`` itself."""
        return self._by_group.get(group, ())

    def waiting(self, group: str) -> tuple[Submitter, ...]:
        """Return those of them that have idle jobs."""
        return tuple(submitter for submitter in self.of(group) if submitter.idle > 0)

    def subtree(self, group: str) -> Iterator[str]:
        """Yield the names of ``group`` and of all below it."""
        yield group
        for child in self.tree[group].children:
            yield from self.subtree(child)

    def truth(self, name: str, default: bool) -> bool:
        """Return a truth value of the configuration as the negotiator reads it.

        It is ``default`` where the negotiator would exit.
        """
        return Knobs(self.knobs).boolean(name, default)

    # What they use and want
    # ----------------------------------------------------------------------------------------------

    @property
    def accounts(self) -> Mapping[str, Record]:
        """What the negotiator publishes of its accountant, by name: of groups and of submitters."""
        return self.published.accounts

    def demand(self, group: str) -> tuple[float, float]:
        """Return the weights or numbers of idle and running jobs of ``group`` itself."""
        submitters = self.of(group)
        if not self.weighted_demand:
            return float(sum(each.idle for each in submitters)), float(
                sum(each.running for each in submitters)
            )
        return total(each.weighted_idle for each in submitters), total(
            each.weighted_running for each in submitters
        )

    @cached_property
    def weighted_demand(self) -> bool:
        """Whether jobs are wanted by their weight, not by their number."""
        return self.truth("NEGOTIATOR_USE_WEIGHTED_DEMAND", True)

    @cached_property
    def usage(self) -> Mapping[str, float]:
        """What each group itself uses: as published, else what its claimed slots weigh."""
        usage: dict[str, float] = {}
        for customer, weight in self.supply.charged.items():
            group = assigned_group(self.tree, customer).group
            usage[group] = usage.get(group, 0.0) + weight
        for group in (each.name for each in self.tree.groups):
            published = self.published.usage(group)
            if published is not None:
                usage[group] = float(published)
        return usage

    def used_by(self, submitter: str) -> Number:
        """Return what a submitter uses: as published, else what its claimed slots weigh."""
        published = self.published.usage(submitter)
        if published is None:
            return self.supply.charged.get(submitter, 0)
        return published

    @cached_property
    def inputs(self) -> Inputs:
        """What the next cycle starts from."""
        requested = {
            name: total(each.requested for each in found) for name, found in self._by_group.items()
        }
        weight = float(self.supply.pool_weight)
        return Inputs(
            self.tree, weight, requested, self.usage, frozenset(self._by_group), self.settings
        )

    def requested(self, group: str) -> float:
        """Return the weight of the running and idle jobs of ``group`` itself.

        The sum is the negotiator's.
        """
        return self.inputs.requested.get(group, 0.0)

    def claimant(self, submitter: Submitter) -> Claimant:
        """Return a submitter as its group's turn finds it."""
        name, used = submitter.name, float(self.used_by(submitter.name))
        ceiling = self.ceiling(name)
        return Claimant(name, self.priority(name), used, ceiling, self.floor(name) or None)

    def ceiling(self, submitter: str) -> int | None:
        """Return the ceiling of a submitter; None where it has none, as with -1."""
        ceiling = self._account(submitter, "Ceiling")
        return None if ceiling is not None and ceiling < 0 else ceiling

    def floor(self, submitter: str) -> int:
        """Return the floor of a submitter; 0 where it has none."""
        return max(0, self._account(submitter, "Floor") or 0)

    def _account(self, submitter: str, name: str) -> int | None:
        record = self.published.account(submitter)
        number = None if record is None else record.number(name)
        return None if number is None else int(number)

    def priority(self, submitter: str) -> float:
        """Return the effective priority of a submitter when the next cycle begins, less is better.

        Until then it follows what the submitter has used since the last cycle (UpdatePriorities).
        """
        factor = self.factor(submitter)
        record = self.published.account(submitter)
        if record is None or not (known := record.number("Priority")):
            return BEST_PRIORITY * factor
        if not self._seconds_since_cycle:
            return float(known)
        kept = math.pow(0.5, self._seconds_since_cycle / self.halflife)
        used = record.number("WeightedResourcesUsed") or 0
        real = max(BEST_PRIORITY, known / factor * kept + used * (1 - kept))
        return round(real, DECIMALS) * factor

    def factor(self, submitter: str) -> float:
        """Return the priority factor of a submitter.

        It is that of its account, otherwise that of a new account.
        """
        record = self.published.account(submitter)
        if record is not None:
            known = record.number("PriorityFactor")
            if known:
                return float(known)
        group = assigned_group(self.tree, submitter).group
        return new_factor(self._reader, submitter, group)

    @cached_property
    def halflife(self) -> float:
        """Half-life of priorities, in seconds: the time in which the distance to usage halves."""
        return self._reader.number("PRIORITY_HALFLIFE", _HALFLIFE, 1e-6, math.inf)

    @cached_property
    def _seconds_since_cycle(self) -> float:
        """How long before the capture the last cycle began; 0 where nobody says."""
        names = ("", self.published.negotiator)
        begun = [
            each.number(_LAST_CYCLE)
            for each in self._pool.negotiators
            if each.name in names or not names[1]
        ]
        now = self.published.moment
        if now is None or len(begun) != 1 or not begun[0]:
            return 0.0
        return max(0.0, now - begun[0])

    def shares(self, group: str) -> tuple[SubmitterShare, ...]:
        """Return the first-spin share of each submitter of ``group`` with idle jobs."""
        limit = math.inf
        if self.grouped:
            limit = self.limits.get(group, 0.0)
        if not math.isinf(limit):
            limit = float(truncated(limit))
        pie = Pie(
            self.inputs.pool_weight,
            limit,
            self.inputs.usage.get(group, 0.0),
            self.settings.consider_preemption,
            self.truth("NEGOTIATOR_IGNORE_USER_PRIORITIES", False),
        )
        return shares((self.claimant(each) for each in self.waiting(group)), pie)

    def _attainable(self, group: str) -> float:
        """Return what ``group`` itself would use without a limit.

        This is what it requests within its submitters' ceilings.
        """
        ceilings = ((self.claimant(each).ceiling, each.requested) for each in self.of(group))
        return sum(
            wanted if ceiling is None else min(wanted, float(ceiling))
            for ceiling, wanted in ceilings
        )

    # What they get
    # ----------------------------------------------------------------------------------------------

    @cached_property
    def computed(self) -> CycleQuotas:
        """The next cycle, if nothing were matched in it."""
        return compute_quotas(replace(self.inputs, settings=self._bounded(_MAX_PASSES)))

    @cached_property
    def _quotas(self) -> Mapping[str, GroupQuota]:
        return {group.name: group for group in self.computed.groups}

    def quota(self, group: str) -> GroupQuota:
        """Return what ``group`` is promised."""
        return self._quotas[group]

    @cached_property
    def marks(self) -> Mapping[str, tuple[Mark, ...]]:
        """Where the negotiator published other than it should have computed, by group.

        It may have counted a pool of another weight than that of the captured slots: then quotas
        are of that one.
        """
        weight = self.published.pool_weight
        if weight is None or not self.grouped:
            return {}
        reckoned = promised(replace(self.inputs, pool_weight=weight))
        return self.published.marks(reckoned)

    @cached_property
    def _allocations(self) -> Mapping[str, GroupRound]:
        if not self.computed.rounds:
            return {}
        return {group.name: group for group in self.computed.rounds[0].groups}

    def allocated(self, group: str) -> float:
        """Return what ``group`` is allocated in the first round; 0 where there are no groups."""
        found = self._allocations.get(group)
        return 0.0 if found is None else found.allocated

    @cached_property
    def limits(self) -> Mapping[str, float]:
        """Limit of each group in the last pass of the first round if nothing is matched before.

        Groups that get no turn are not among them. With a round robin, what a group that accepts
        no surplus is given in one turn counts twice in the next: it comes half way in each
        round.
        """
        return {limit.group: limit.limit for limit in self.last_limits}

    @cached_property
    def last_limits(self) -> tuple[GroupLimit, ...]:
        """The same with what each would be if no group above it held it, in the order of turns."""
        return _last_limits(self.inputs)

    @cached_property
    def filled(self) -> Mapping[str, float]:
        """Usage of each group if the pool is emptied and each in its order takes its limit."""
        return self._filled(self._bounded(_MAX_FILLING_PASSES))

    @cached_property
    def filled_at_once(self) -> Mapping[str, float]:
        """The same if every group's first turn let it go all of its way."""
        return self._filled(replace(self._bounded(_MAX_FILLING_PASSES), round_robin_rate=math.inf))

    def _filled(self, settings: Settings) -> Mapping[str, float]:
        used: dict[str, float] = {}

        def take(group: str, limit: int) -> Turn:
            wanted = self._attainable(group)
            left = self.inputs.pool_weight - sum(used.values()) + used.get(group, 0.0)
            used[group] = max(used.get(group, 0.0), min(float(limit), wanted, left))
            return Turn({group: used[group]}, through=used[group] >= wanted)

        compute_quotas(replace(self.inputs, usage={}, settings=settings), take)
        return used

    def can_take(self, group: str) -> float:
        """Return what ``group`` and those below it would come to use in such a pool."""
        return sum(self.filled.get(each, 0.0) for each in self.subtree(group))

    def refusing(self) -> Iterator[tuple[Group, float]]:
        """Yield each group with subgroups that accepts no surplus, and the limit of its subtree."""
        for group in self.groups:
            if group.children and not group.accept_surplus:
                yield (
                    group,
                    group.config_quota if group.static else self.quota(group.name).subtree_quota,
                )

    def best_limit(self, group: str) -> int:
        """Return the limit of ``group`` in an empty pool without other demand."""
        # Nobody takes anything, so the order of groups changes no limit: it is not computed.
        alone = replace(
            self.inputs,
            settings=replace(self.inputs.settings, sort_expr="0"),
            usage={},
            requested={group: self.requested(group)},
            with_submitters=frozenset({group}),
        )
        return next(
            (truncated(limit.limit) for limit in _last_limits(alone) if limit.group == group), 0
        )

    def _bounded(self, passes: int) -> Settings:
        """Return the settings with only the rounds that matter and limited passes."""
        promised = sum(group.config_quota for group in self.tree.groups if group.static)
        rate = max(
            self.settings.round_robin_rate, self.inputs.pool_weight / passes, promised / passes
        )
        rounds = min(self.settings.max_rounds, _MAX_ROUNDS)
        return replace(self.settings, round_robin_rate=rate, max_rounds=rounds)


def _last_limits(inputs: Inputs) -> tuple[GroupLimit, ...]:
    whole = replace(
        inputs, settings=replace(inputs.settings, round_robin_rate=math.inf, max_rounds=1)
    )
    rounds = compute_quotas(whole).rounds
    if not rounds:
        return ()
    return rounds[0].limits
