"""Which slot a request gets, or why it gets none.

Follows matchmakingAlgorithm and matchmakingProtocol of src/condor_negotiator.V6/matchmaker.cpp,
HTCondor 25.14. Which claimed slots a request may take is in :mod:`htcq.simulate.cycle.preemption`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from htcq.classads import named
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.candidates import (
    NOT_PREEMPTED,
    SlotCandidate,
    SlotCandidates,
    still_fits,
)
from htcq.simulate.cycle.dynamic_slots import DynamicSlots
from htcq.simulate.cycle.job_table import JobTable, TableContext
from htcq.simulate.cycle.listing import Allowance, Asker, CrashError, FittingSlots, Listing
from htcq.simulate.cycle.matchlist import MatchList, Ranks
from htcq.simulate.cycle.offers import Offers
from htcq.simulate.cycle.preemption import NO_PREEMPTION, Preemptible, Preemption
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.rows import WORST, SlotAnswer
from htcq.simulate.cycle.slot_table import Offer, SlotTable
from htcq.simulate.cycle.trace import Crash
from htcq.std_sort import std_order
from htcq.units import attribute

Array = Any

NO_MATCH, OVER_LIMIT = "no match found", "submitter limit exceeded"
_NO_WEIGHT = "Failed to evaluate SlotWeight"
_WORSE = "MY.Rank < MY.CurrentRank"


class Search:
    """Search for slots.

    The list made for a request is kept while the same is requested.
    """

    def __init__(
        self,
        offers: Offers,
        context: TableContext,
        knobs: Knobs,
        preemption: Preemption,
        dynamic: DynamicSlots,
        skip_bad: bool = False,
    ) -> None:
        self._offers, self._context, self._skip_bad = offers, context, skip_bad
        self._dynamic = dynamic
        self._arrays = context.engine.arrays
        #: Without a list for the next match the negotiator keeps the first of the best, unsorted.
        self._caching = knobs.boolean("NEGOTIATOR_MATCHLIST_CACHING", True)
        self.preemption = preemption
        self._found: Listing | None = None
        self._for: tuple[object, ...] = ()
        #: The slot that was found last, as it is to the last request.
        self._current: SlotCandidate | None = None
        #: Whether the submitter's limit had a part in it when slots were last looked for, or a list
        #: came to its end.
        self.limited = False
        self.skipped: list[Crash] = []

    def slots_left(self) -> bool:
        """Return whether any slot can still be offered."""
        return bool(self._offers)

    def forget(self) -> None:
        """Make a new list for the next request."""
        if self._found is not None:
            self._found.candidates.end()
        self._found = None

    def find(
        self,
        request: Request,
        job: str,
        asker: Asker,
        allowance: Allowance,
        limits: SlotLimits | None = None,
    ) -> SlotCandidate | None:
        """Return the best slot for ``request`` of ``asker``.

        It is None where there is none.

        ``limits`` are concurrency limits that depend on the slot.

        Raises:
            CrashError: a slot makes the negotiator crash.
        """
        key = (*asker, allowance.only_preferred)
        found = self._found
        fresh = found is None or not self._caching or key != self._for
        if not fresh and self.preemption.looks_again:
            assert found is not None
            fresh = not self.preemption.is_valid(found.list.peek(), request)
        if fresh:
            self.forget()
            self._offers.renew()
            self._for = key
            found = self._found = self._listed(request, job, asker, allowance, limits)
            self.limited = found.over_limit > 0
        assert found is not None
        while True:
            candidate = found.list.pop()
            if candidate is None:
                self.limited = found.over_limit > 0
                return None
            if not fresh and limits is not None and not limits.permit(candidate.offer):
                continue
            if fresh or allowance.permits(candidate):
                self._current = candidate
                return candidate
            found.over_limit += 1

    def reason(self) -> str:
        """Return why nothing was found.

        That of concurrency limits is empty. They count only if they had a part in it when the
        list was made.
        """
        assert self._found is not None
        if self._found.over_concurrency:
            return ""
        if self._found.refused:
            return NO_PREEMPTION
        return OVER_LIMIT if self.limited else NO_MATCH

    def suits(self, request: Request) -> bool:
        """Return whether a schedd uses the slot that was found last for a job like ``request``.

        It knows of no consumption policies.
        """
        candidate = self._current
        assert candidate is not None
        return candidate.level.suit(self._context.job(request), named(_WORSE))[candidate.place]

    def matched(self, job: str, request: Request) -> float:
        """Take what the last ``request`` consumes from the slot that was found; return the cost.

        Raises:
            CrashError: the slot makes the negotiator crash when it is looked at again.
        """
        candidate = self._current
        assert candidate is not None
        assert self._found is not None
        level, place, offer = candidate.level, candidate.place, candidate.offer
        offer.origin.claims -= 1
        cost = level.costs[place] or 0
        if level.takes_all:
            self._offers.remove(offer.origin)
            return cost
        candidate.take(self._context.job(request))
        level, place = candidate.level, candidate.place
        if not self._caching:
            return cost
        if level.crashes and level.crashes[place]:
            self._crash([offer], job, _NO_WEIGHT)
            return cost
        # Whether it still fits is looked at when it is needed again.
        ranks = level.ranks[place]
        if self._found.preempting:
            ranks = (*ranks, NOT_PREEMPTED, WORST)
        candidate.state = NOT_PREEMPTED
        self._found.list.give_back(ranks, candidate)
        return cost

    def without_claims(self, offer: Offer) -> None:
        """Offer a slot no more that has no claim left to give."""
        self._offers.remove(offer.origin)

    def _listed(
        self,
        request: Request,
        job: str,
        asker: Asker,
        allowance: Allowance,
        limits: SlotLimits | None,
    ) -> Listing:
        asking = self._context.job(request)
        suiting = list(self._fitting(asking, asker.session.access.name, job))
        fitting = [
            self._eligible(slots, answer, fits, asking, asker.submitter, allowance)
            for slots, answer, fits in suiting
        ]
        if self._dynamic.is_on:
            fits_of = {slots: fits for slots, _, fits in suiting}
            fitting += self._with_preempted(request, asker, allowance, fits_of)
        over_limit = sum(each.over_limit for each in fitting)
        refused = sum(each.refused for each in fitting)
        fitting = [each for each in fitting if len(each.places)]
        preempting = any(each.preemptible is not None for each in fitting)
        parts: list[Any] = []
        for table, each in enumerate(fitting):
            slots = each.slots
            pre, post = slots.ranks(asking)
            ranks = [pre, slots.whole().job_rank(asking), post]
            if preempting:
                ranks += self.preemption.ranks(slots, each.preemptible, asking)
            parts.append(self._arrays.ranked(table, each.places, ranks, slots.items))
        best = self._arrays.best_first(parts, not self._caching) if parts else None
        tables = [(each.slots, each.answer) for each in fitting]
        candidates = SlotCandidates(asking, tables, best)
        counts = preempting, over_limit, refused
        if limits is None:
            return Listing(candidates, MatchList(candidates.more, still_fits), False, *counts)
        kept = _permitted(candidates, limits, not self._caching)
        rest: Iterator[tuple[Sequence[Ranks], Sequence[SlotCandidate]]] = iter([kept, ((), ())])
        return Listing(candidates, MatchList(lambda: next(rest), still_fits), limits.over, *counts)

    def _with_preempted(
        self, request: Request, asker: Asker, allowance: Allowance, fits: Mapping[SlotTable, Array]
    ) -> Iterator[FittingSlots]:
        """Yield partitionable slots that a request may have when dynamic slots are preempted."""
        schedd, only_preferred = asker.session.access.name, allowance.only_preferred
        job = self._context.job(request)
        for slots, found in self._dynamic.offered(
            request, schedd, asker.submitter, only_preferred, fits
        ):
            every = self._arrays.truths(slots.rows)
            # A consumption policy has been passed over by now.
            answer = slots.whole().answer(job)._replace(fits=every, by_weight=False)
            yield self._within_limits(slots, answer, ~every, found, allowance)

    def _eligible(
        self,
        slots: SlotTable,
        answer: SlotAnswer,
        fits: Array,
        job: JobTable,
        submitter: str,
        allowance: Allowance,
    ) -> FittingSlots:
        """Return the slots of a table that a request may have.

        No limit holds back a slot that prefers the job.
        """
        free, preemptible = fits, None
        if self.preemption.is_on and slots.holders.any_held:
            free = fits & ~slots.holders.held
            preemptible = self.preemption.preemptible(
                slots, fits & slots.holders.held, job, submitter, allowance.only_preferred
            )
        if allowance.only_preferred:
            free = self._arrays.truths(slots.rows, False)
        return self._within_limits(slots, answer, free, preemptible, allowance)

    def _within_limits(
        self,
        slots: SlotTable,
        answer: SlotAnswer,
        free: Array,
        preemptible: Preemptible | None,
        allowance: Allowance,
    ) -> FittingSlots:
        """Return which ``free`` slots and which ``preemptible`` ones limits permit."""
        refused = 0
        rows, over_limit = self._within(free, answer, allowance.used_unclaimed, allowance.unclaimed)
        if preemptible is not None:
            refused = preemptible.refused
            taken, over = self._within(
                preemptible.by_priority, answer, allowance.used, allowance.limit
            )
            over_limit += over
            preemptible = preemptible._replace(by_priority=taken)
            held = taken | preemptible.by_rank
            rows = rows | held
            if not held.any():
                preemptible = None
        places = self._arrays.rows_in(rows, slots.rows)
        return FittingSlots(slots, answer, places, preemptible, over_limit, refused)

    def _within(
        self, rows: Array, answer: SlotAnswer, used: float, limit: float
    ) -> tuple[Array, int]:
        """Return which of some rows a limit permits, and how many it does not."""
        if not rows.any():
            return rows, 0
        permitted = rows & self._arrays.permitted(answer.cost, used, limit)
        return permitted, int(rows.sum()) - int(permitted.sum())

    def _fitting(
        self, job: JobTable, schedd: str, name: str
    ) -> Iterator[tuple[SlotTable, SlotAnswer, Array]]:
        """Yield the tables with slots where ``job`` fits, with their answers.

        Raises:
            CrashError: a slot makes the negotiator crash.
        """
        found = []
        crashing: list[tuple[Offer, str]] = []
        for slots in self._offers.tables:
            if not slots.count:
                continue
            free = slots.free_for(schedd)
            if self._dynamic.is_on:
                free = free & ~slots.holders.summed_up
            if slots.missing and slots.policy:
                why = f"Missing {attribute(slots.missing[0])} asset"
                crashing += [(slots.offer(row), why) for row in slots.rows_of(free)]
                continue
            answer = slots.answer(job)
            if answer is None:
                continue
            fits = answer.fits & free
            if answer.crashes is not None:
                crashes = slots.rows_of(answer.crashes & free)
                crashing += [(slots.offer(row), _NO_WEIGHT) for row in crashes]
                fits = fits & ~answer.crashes
            if fits.any():
                found.append((slots, answer, fits))
        crashing.sort(key=lambda each: each[0].index)
        for offer, why in crashing:
            self._crash([offer], name, why)
        yield from found

    def end(self, job: str, message: str) -> None:
        """End the negotiator at ``job`` and at no slot, or go on."""
        crash = Crash("", job, message)
        if not self._skip_bad:
            raise CrashError(crash)
        self.skipped.append(crash)

    def _crash(self, offers: Sequence[Offer], job: str, message: str) -> None:
        """End the negotiator, or leave out the slots that would end it."""
        for offer in offers:
            crash = Crash(offer.name, job, message)
            if not self._skip_bad:
                raise CrashError(crash)
            self.skipped.append(crash)
            self._offers.remove(offer)


def _permitted(
    candidates: SlotCandidates, limits: SlotLimits, stable: bool
) -> tuple[Sequence[Ranks], Sequence[SlotCandidate]]:
    """Return those whose concurrency limits leave room, best first."""
    ranks: list[Ranks] = []
    every: list[SlotCandidate] = []
    while (found := candidates.more())[1]:
        ranks += found[0]
        every += found[1]
    # The negotiator asks in the order of the ads, before it sorts.
    in_order = sorted(range(len(every)), key=lambda place: every[place].offer.index)
    permitted = [place for place in in_order if limits.permit(every[place].offer)]
    worst = [tuple(-rank for rank in ranks[place]) for place in permitted]
    kept = [permitted[place] for place in std_order(worst, stable)]
    return [ranks[place] for place in kept], [every[place] for place in kept]


class SlotLimits:
    """The concurrency limits of one request that depend on the slot, asked slot after slot.

    The negotiator remembers the last limits that left no room, and rejects equal ones at once. At
    first it remembers an empty text: limits that are an empty text in a slot are rejected there,
    until others are (matchmaker.cpp:rejectForConcurrencyLimits, HTCondor 23.9 and 25.14).
    """

    def __init__(self, request: Request, leave_room: Callable[[str], bool]) -> None:
        self._request, self._leave_room = request, leave_room
        self._last = ""
        #: Whether some limits left no room.
        self.over = False

    def permit(self, offer: Offer) -> bool:
        """Return whether the limits in a slot leave room for a job."""
        value = named("ConcurrencyLimits").evaluate(self._request.first.ad(), offer.ad())
        if not isinstance(value, str):
            return True
        limits = value.lower()
        if limits == self._last:
            return False
        if self._leave_room(limits):
            return True
        self._last = limits
        self.over = True
        return False


def limits_of(request: Request, offer: Offer | None = None) -> str:
    """Return the concurrency limits of a request.

    Those that depend on the slot only where one is given. There a request without any has those
    of the claim that it preempts (EvalString, 23.9 and 25.14).
    """
    if offer is None or request.limits:
        return request.limits or ""
    if "ConcurrencyLimits" not in request.frame:
        theirs = offer.slot.concurrency_limits
        return theirs if isinstance(theirs, str) else ""
    if request.limits is not None:
        return request.limits
    value = named("ConcurrencyLimits").evaluate(request.first.ad(), offer.ad())
    return value if isinstance(value, str) else ""
