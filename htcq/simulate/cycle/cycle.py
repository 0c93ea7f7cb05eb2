"""One negotiation cycle of a captured pool.

Follows negotiationTime of src/condor_negotiator.V6/matchmaker.cpp and
hgq_negotiate_with_all_groups of GroupEntry.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from htcq.classads import parsed
from htcq.pool.job import OWN
from htcq.pool.pool import Pool
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.published import Published
from htcq.poolquota.supply import SLOTS, WEIGHT
from htcq.quota import condor
from htcq.quota.group_tree import ROOT
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import Accounts, ConcurrencyLimits
from htcq.simulate.cycle.cached_expressions import PairExpression, ReferenceGraph
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.clock import at_moment
from htcq.simulate.cycle.group_negotiation import GroupNegotiation, Rules
from htcq.simulate.cycle.offer_groups import DECIDES, CrashError, OfferGroups
from htcq.simulate.cycle.offers import Offers
from htcq.simulate.cycle.ranks import Ranker
from htcq.simulate.cycle.schedd_negotiation import ScheddNegotiations
from htcq.simulate.cycle.search import Search
from htcq.simulate.cycle.submitter_queues import SubmitterQueues, words_of
from htcq.simulate.cycle.submitting import NAMES as SUBMITTER_NAMES
from htcq.simulate.cycle.submitting import Submitting
from htcq.simulate.cycle.trace import Crash, GroupTurn, GroupUse, SubmitterUse, Trace

#: What the ranks are that nobody configured (param_info.in).
_PRE_RANK = (
    "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory"
)
_POST_RANK = (
    "(RemoteOwner =?= UNDEFINED) * (ifthenElse(isUndefined(KFlops), 1000, Kflops) - SlotID - "
    "1.0e10*(Offline=?=True))"
)
#: What a turn may come to that has no limit (INT_MAX).
_NO_LIMIT = float(2**31 - 1)
#: Knobs that are not followed here; each is off unless it is set.
_NOT_FOLLOWED = (
    "USE_GLOBAL_JOB_PRIOS", "NEGOTIATOR_IGNORE_JOB_RANKS", "ALLOW_PSLOT_PREEMPTION",
    "NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES",
)  # fmt: skip


def run_cycle(pool: Pool, order: Sequence[str] = (), skip_bad_slots: bool = False) -> Trace:
    """Return what the negotiator would do in one cycle over ``pool``.

    ``order`` are submitters in the order of their turns, for those that are equal to HTCondor. A
    slot that would end the negotiator ends the cycle, unless such slots are to be skipped.

    Raises:
        PolicyError: GROUP_SORT_EXPR is no expression.
    """
    return Cycle(pool, order, skip_bad_slots).run()


class Cycle:
    """One cycle over ``pool``, to be run once."""

    def __init__(self, pool: Pool, order: Sequence[str] = (), skip_bad_slots: bool = False) -> None:
        pool = at_moment(pool, Published(pool, pool.negotiator).moment)
        self.quotas = quotas = PoolQuotas(pool, Weights(), pool.negotiator)
        self.askers = SubmitterQueues(pool, quotas, order)
        self.accounts = Accounts(quotas)
        self._knobs = knobs = Knobs(quotas.knobs)
        self._before = dict(self.accounts.groups), dict(self.accounts.submitters)
        #: The turns of groups so far, by group.
        self.turns: dict[str, GroupTurn] = {}
        #: What ended the negotiator; None: nothing so far.
        self.crash: Crash | None = None
        names = frozenset(name for frame in self.askers.frames for name in frame.texts) | {
            each.lower() for each in OWN
        }
        words = self.askers.words
        pre = knobs.text("NEGOTIATOR_PRE_JOB_RANK") or _PRE_RANK
        post = knobs.text("NEGOTIATOR_POST_JOB_RANK") or _POST_RANK
        startds = Startds(pool.execute, quotas.supply.weighted)
        of_slots = words_of({id(slot.frame): slot.frame for slot in quotas.supply.slots}.values())
        asked = words.union(of_slots, self._words(pre, post))
        submitting = Submitting(quotas, self.accounts, asked, self.askers.significant)
        names |= SUBMITTER_NAMES
        self.links = links = ReferenceGraph(
            words.union(DECIDES, startds.words(quotas.supply.slots), self._words(pre, post))
        )
        self.offers = Offers(quotas.supply, OfferGroups(sorted(words), links), quotas.knobs)
        ranker = Ranker(pre, post, names, links)
        self.search = Search(
            self.offers,
            ranker,
            knobs,
            partial(PairExpression, links=links, names_of_jobs=names),
            skip_bad_slots,
        )
        limits = (slot.concurrency_limits for slot in quotas.supply.slots)
        self.limits = in_use = ConcurrencyLimits(
            knobs, (each for each in limits if isinstance(each, str))
        )
        preemption = knobs.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        self.talks = ScheddNegotiations(
            self.search,
            self.accounts,
            startds,
            in_use,
            submitting,
            ends_early=not preemption and not quotas.supply.weighted,
            depth_first=knobs.boolean("NEGOTIATOR_DEPTH_FIRST", False),
        )
        #: What submitters share: where weights are off the number of slots, not that of cpus.
        self.weight = self._weight()
        self._rules = Rules(
            pool_weight=self.weight,
            min_weight=float(quotas.supply.min_weight),
            preemption=preemption,
            ignore_priorities=knobs.boolean("NEGOTIATOR_IGNORE_USER_PRIORITIES", False),
        )

    def _words(self, *ranks: str) -> Iterator[str]:
        """Yield every word of the expressions that the negotiator has from its configuration."""
        texts = (
            *ranks,
            self._knobs.text("PREEMPTION_REQUIREMENTS"),
            self.quotas.supply.central_text,
        )
        for expression in map(parsed, texts):
            yield from expression.words() if expression is not None else ()

    def _weight(self) -> float:
        """Return what submitters share."""
        supply = self.quotas.supply
        return (
            float(supply.pool_weight)
            if supply.weighted
            else float(sum(1 for _ in supply.in_pool()))
        )

    def run(self) -> Trace:
        """Go through the cycle and return what happened.

        Raises:
            PolicyError: GROUP_SORT_EXPR is no expression.
        """
        limits = dict[str, float]()
        try:
            limits = self._negotiate()
        except CrashError as error:
            self.crash = error.crash
        return self._trace(self.crash, limits)

    def _negotiate(self) -> dict[str, float]:
        """Return the limit of each group's first turn."""
        if not self.quotas.grouped:
            self._turn(None, _NO_LIMIT, ROOT)
            return {}
        inputs = replace(self.quotas.inputs, usage=dict(self.accounts.groups))
        quotas = condor.compute_quotas(inputs, self._group_turn)
        return {
            limit.group: limit.limit
            for round_ in reversed(quotas.rounds)
            for limit in round_.limits
        }

    def _group_turn(self, group: str, limit: int) -> condor.Turn:
        before = dict(self.accounts.groups)
        regroups = group == ROOT and self.quotas.tree[ROOT].autoregroup
        self._turn(None if regroups else group, float(limit), group)
        changed = {
            name: used for name, used in self.accounts.groups.items() if used != before[name]
        }
        return condor.Turn(changed, through=not self.askers.by_group[group])

    def _turn(self, group: str | None, limit: float, whose: str) -> None:
        known, before = self.turns.get(whose), self.accounts.groups[whose]
        place = len(self.turns) + 1
        if known is not None:
            place, before = known.place, known.used_before
        self.turns[whose] = GroupTurn(place, limit, before, before)
        GroupNegotiation(
            self.talks, self.accounts, self._rules, group, limit, whose, self.askers.by_group[whose]
        ).take()
        self.turns[whose] = GroupTurn(place, limit, before, self.accounts.groups[whose])

    # After the cycle
    # ----------------------------------------------------------------------------------------------

    def _trace(self, crash: Crash | None, limits: dict[str, float]) -> Trace:
        used = self.accounts.groups
        supply = self.quotas.supply
        return Trace(
            unit=WEIGHT if supply.weighted else SLOTS,
            slots=len(supply.slots),
            pool_weight=float(supply.pool_weight),
            matches=tuple(self.talks.matches),
            rejections=tuple(self.talks.rejections),
            groups=tuple(
                GroupUse(name, limits.get(name), self._before[0][name], used[name]) for name in used
            ),
            submitters=tuple(self._submitters()),
            crash=crash,
            skipped=tuple(self.search.skipped),
            unmodelled=tuple(self._unmodelled()),
        )

    def _submitters(self) -> Iterator[SubmitterUse]:
        matches = Counter(match.submitter for match in self.talks.matches)
        idle = Counter[str]()
        standing: dict[str, float] = {}
        for match in self.talks.matches:
            standing[match.submitter] = standing.get(match.submitter, 0.0) + match.standing
        for job in self.askers.jobs:
            idle[job.submitter] += job.wanted
        for name in dict.fromkeys(
            [*(each.name for each in self.quotas.submitters), *self.accounts.submitters]
        ):
            before, after = self._before[1].get(name, 0.0), self.accounts.usage(name)
            group, later = self.accounts.group_of(name), before + standing.get(name, 0.0)
            yield SubmitterUse(name, group, idle[name], matches[name], before, after, later)

    def _unmodelled(self) -> Iterator[str]:
        for why, slots in self.search.preempting.items():
            yield (
                f"{len(slots)} claimed slots, such as {min(slots)}, might be taken from their "
                f"jobs: {why}"
            )
        for knob in _NOT_FOLLOWED:
            if self._knobs.boolean(knob, False):
                yield f"{knob} is set, which is not followed"
        for name in self.askers.with_projects:
            yield (
                f"{name} keeps records of projects (PERSISTENT_PROJECT_RECORDS), whose limits "
                "are not followed"
            )
        for name, lacking in self.askers.access.unread():
            yield (
                f"START_VANILLA_UNIVERSE of {name} names {lacking}: undefined, as its ad here "
                "lacks it"
            )
        for name in self.askers.unknown:
            yield f"of the idle jobs of {name} none is known: it asks for nothing"
