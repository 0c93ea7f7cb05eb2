"""One negotiation cycle of a captured pool.

Follows negotiationTime of src/condor_negotiator.V6/matchmaker.cpp and
hgq_negotiate_with_all_groups of GroupEntry.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from htcq import columns
from htcq.classads import parsed
from htcq.htcondor.defaults import expanded_default
from htcq.pool.job import OWN
from htcq.pool.pool import Pool
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.shared_attributes import frames_of
from htcq.pool.weights import Weights
from htcq.poolquota.closings import silent_slots
from htcq.poolquota.negotiator_flaws import first_fatal
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.published import Published
from htcq.poolquota.supply import SLOTS, WEIGHT
from htcq.quota import condor
from htcq.quota.group_tree import ROOT
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import Accounts, ConcurrencyLimits
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.clock import at_moment
from htcq.simulate.cycle.collector_order import CollectorTables
from htcq.simulate.cycle.dynamic_slots import DynamicSlots
from htcq.simulate.cycle.group_negotiation import GroupNegotiation, Rules
from htcq.simulate.cycle.job_table import DECIDES, Ranking, TableContext
from htcq.simulate.cycle.listing import CrashError
from htcq.simulate.cycle.occupants import Occupants
from htcq.simulate.cycle.offers import Offers
from htcq.simulate.cycle.other_slots import OtherSlots
from htcq.simulate.cycle.preemption import Preemption, preemption_texts
from htcq.simulate.cycle.schedd_negotiation import ScheddNegotiations
from htcq.simulate.cycle.search import Search
from htcq.simulate.cycle.submitter_queues import SubmitterQueues, words_of
from htcq.simulate.cycle.submitting import NAMES as SUBMITTER_NAMES
from htcq.simulate.cycle.submitting import Submitting
from htcq.simulate.cycle.time_limits import expired_limits
from htcq.simulate.cycle.trace import Crash, GroupTurn, GroupUse, SubmitterUse, Trace

if TYPE_CHECKING:
    from htcq.columns.engine import Engine

_PRE_RANK, _POST_RANK = "NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK"
#: What a turn may come to that has no limit (INT_MAX).
_NO_LIMIT = float(2**31 - 1)


def run_cycle(pool: Pool, order: Sequence[str] = (), skip_bad_slots: bool = False) -> Trace:
    """Return what the negotiator would do in one cycle over ``pool``.

    ``order`` are submitters in the order of their turns, for those that are equal to HTCondor. A
    slot that would end the negotiator ends the cycle, unless such slots are to be skipped.

    Raises:
        PolicyError: GROUP_SORT_EXPR is no expression.
    """
    return Cycle(pool, order, skip_bad_slots).run()


def _job_ranks(knobs: Knobs) -> tuple[str, str]:
    """Return the expressions that order a job's slots before and after its own Rank."""
    return (
        knobs.text(_PRE_RANK) or expanded_default(_PRE_RANK),
        knobs.text(_POST_RANK) or expanded_default(_POST_RANK),
    )


class CarriedOver:
    """What a cycle leaves to the next one over a later state of the same pool.

    All of it is found again where it is missing, and no outcome depends on it, but for what only
    daemons remember: ``turns``, the number of the cycle in which each group last had a slot of the
    remainders, or requested none, and the ``tables`` of the collector. With ``before`` that alone
    is carried over.
    """

    def __init__(self, before: CarriedOver | None = None) -> None:
        self.engine: Engine = columns.new_engine()
        self.weights = Weights()
        self.quotas: PoolQuotas | None = None
        self.askers: SubmitterQueues | None = None
        self.startds: Startds | None = None
        self.context: TableContext | None = None
        self.offers: Offers | None = None
        self.tables: CollectorTables = CollectorTables() if before is None else before.tables
        self.turns: dict[str, float] = {} if before is None else before.turns
        self.silent: frozenset[str] | None = None if before is None else before.silent
        self.cycles: int = 0 if before is None else before.cycles

    def had_turn(self, groups: Iterable[str]) -> None:
        """Note that these ``groups`` had a turn in the cycle that ends now."""
        self.cycles += 1
        self.turns.update(dict.fromkeys(groups, float(self.cycles)))

    def silent_in(self, pool: Pool) -> frozenset[str]:
        """Return the slots whose machines sent nothing any more when the first cycle began.

        Nobody hears of the others again as simulated time goes by.
        """
        if self.silent is None:
            self.silent = silent_slots(pool)
        return self.silent

    def startds_of(self, quotas: PoolQuotas) -> Startds:
        """Return the startds of a cycle with these quotas: those of before where they serve it."""
        startds, weighted = self.startds, quotas.supply.weighted
        if startds is None or not startds.serves(quotas.pool.execute, weighted):
            others = OtherSlots(quotas.pool)
            startds = self.startds = Startds(quotas.pool.execute, weighted, others)
        startds.begin(quotas.pool.slots or ())
        return startds


class Cycle:
    """One cycle over ``pool``, to be run once.

    What is ``carried`` over from the cycle before, which is over by then, is used again for slots
    and jobs that are still the same objects.
    """

    def __init__(
        self,
        pool: Pool,
        order: Sequence[str] = (),
        skip_bad_slots: bool = False,
        carried: CarriedOver | None = None,
    ) -> None:
        self.moment = Published(pool, pool.negotiator).moment
        given, pool = pool, at_moment(pool, self.moment)
        #: Whether any expression looks at the clock.
        self.looks_at_clock = pool is not given
        self._carried = carried = carried or CarriedOver()
        self.quotas = carried.quotas = quotas = PoolQuotas(
            pool, carried.weights, pool.negotiator, carried.quotas
        )
        self._knobs = knobs = Knobs(quotas.knobs)
        ranks = _job_ranks(knobs)
        startds = carried.startds_of(quotas)
        preempting = {*_words(*preemption_texts(knobs))}
        of_daemons = startds.words(quotas.supply.slots) | preempting
        evaluated = {*DECIDES, *of_daemons, *_words(*ranks, quotas.supply.central_text)}
        of_negotiator = {*preempting, *_words(knobs.text("NEGOTIATOR_JOB_CONSTRAINT"), *ranks)}
        self.askers = carried.askers = SubmitterQueues(
            pool, quotas, order, evaluated, carried.askers, of_negotiator, carried.tables
        )
        self.accounts = Accounts(quotas)
        self._before = dict(self.accounts.groups), dict(self.accounts.submitters)
        #: The turns of groups so far, by group.
        self.turns: dict[str, GroupTurn] = {}
        #: The group on the way up, or the group itself, that made a group's limit lower.
        self.held_by: Mapping[str, str] = {}
        #: What ended the negotiator; None: nothing so far.
        self.crash: Crash | None = None
        #: Whether it matters which group last had a slot of the remainders, and nobody knows.
        self._guesses_turns = False
        frames = frames_of(quotas.supply.slots) | frames_of(quotas.supply.hidden)
        matching = {*self.askers.words, *words_of(frames), *_words(*ranks)}
        asked = matching | preempting
        submitting = Submitting(quotas, self.accounts, asked, self.askers.significant)
        self.context = context = self._context(carried, evaluated, asked, ranks)
        preemption = Preemption(knobs, Occupants(quotas, self.accounts, preempting))
        written = Occupants(quotas, self.accounts, matching, preemption.is_on)
        self.offers = carried.offers = Offers(
            *(quotas.supply, context, quotas.knobs, written),
            *(carried.offers, pool.in_order, carried.tables),
        )
        dynamic = DynamicSlots(self.offers, quotas.supply.every, preemption, knobs)
        self.search = Search(self.offers, context, knobs, preemption, dynamic, skip_bad_slots)
        self.limits = in_use = ConcurrencyLimits(knobs, quotas.supply.slots)
        self.talks = ScheddNegotiations(
            *(self.search, self.accounts, startds, in_use, submitting),
            ends_early=not preemption.is_on and not quotas.supply.weighted,
            depth_first=knobs.boolean("NEGOTIATOR_DEPTH_FIRST", False),
            silent=carried.silent_in(pool),
        )
        #: What submitters share: where weights are off the number of slots, not that of cpus.
        self.weight = self._weight()
        self._rules = self._rules_of(knobs, preemption.is_on)

    def _rules_of(self, knobs: Knobs, preemption: bool) -> Rules:
        ignores = knobs.boolean("NEGOTIATOR_IGNORE_USER_PRIORITIES", False)
        least, no_time = float(self.quotas.supply.min_weight), bool(expired_limits(knobs))
        return Rules(self.weight, least, preemption, ignores, no_time)

    def _context(
        self, carried: CarriedOver, evaluated: set[str], asked: set[str], ranks: tuple[str, str]
    ) -> TableContext:
        """Return what all tables share: that of the cycle before where it has all words."""
        names = frozenset(name for frame in self.askers.frames for name in frame.texts)
        names |= {each.lower() for each in OWN} | SUBMITTER_NAMES
        links = ReferenceGraph(self.askers.words | evaluated)
        ranking, looked_at = Ranking(*ranks, names, links), {*asked, *DECIDES}
        context = carried.context
        frames = len(frames_of(self.quotas.supply.slots)) + len(self.askers.frames)
        if context is None or not context.serves(links, looked_at, ranking, frames):
            context = TableContext(carried.engine, links, looked_at, ranking)
            carried.context = context
        return context

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
        fatal = first_fatal(self.quotas.problems, self.quotas.grouped)
        try:
            if fatal is not None:
                raise CrashError(Crash("", "", fatal.message))
            limits = self._negotiate()
        except CrashError as error:
            self.crash = error.crash
        self.search.forget()
        return self._trace(self.crash, limits)

    def _negotiate(self) -> dict[str, float]:
        """Return the limit of each group's first turn."""
        if not self.quotas.grouped:
            self._turn(None, _NO_LIMIT, ROOT)
            return {}
        carried = self._carried
        inputs = replace(
            self.quotas.inputs, usage=dict(self.accounts.groups), turns=dict(carried.turns)
        )
        quotas = condor.compute_quotas(inputs, self._group_turn)
        self._guesses_turns = not carried.turns and any(
            sharing.remainders and not sharing.enough
            for round_ in quotas.rounds
            for sharing in round_.sharings
        )
        carried.had_turn(quotas.had_turn)
        self.held_by = {each.group: each.held_by for one in quotas.rounds for each in one.limits}
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
        idle = self.askers.wanted
        standing: dict[str, float] = {}
        for match in self.talks.matches:
            standing[match.submitter] = standing.get(match.submitter, 0.0) + match.standing
            if match.by and not match.refusal and not match.dynamic_slots:
                standing[match.preempts] = standing.get(match.preempts, 0.0) - match.cost
        together = {name for match in self.talks.matches for name in match.dynamic_slots}
        for slot in self.quotas.supply.every if together else ():
            if slot.name in together:
                weight = float(self.quotas.supply.weight(slot) or 0)
                standing[slot.customer] = standing.get(slot.customer, 0.0) - weight
        for name in dict.fromkeys(
            [*(each.name for each in self.quotas.submitters), *self.accounts.submitters]
        ):
            before, after = self._before[1].get(name, 0.0), self.accounts.usage(name)
            group, later = self.accounts.group_of(name), before + standing.get(name, 0.0)
            yield SubmitterUse(name, group, idle.get(name, 0), matches[name], before, after, later)

    def _unmodelled(self) -> Iterator[str]:
        if self._guesses_turns:
            yield (
                "which group last had a slot made of fractions (NEGOTIATOR_USE_SLOT_WEIGHTS is "
                "off) no ad tells: the one of the greatest quota comes first"
            )
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


def _words(*texts: str | None) -> Iterator[str]:
    """Yield every word of expressions of the negotiator's configuration."""
    for expression in map(parsed, texts):
        yield from expression.words() if expression is not None else ()
