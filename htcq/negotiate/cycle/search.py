"""Which slot a request gets, or why it gets none.

Follows matchmakingAlgorithm and matchmakingProtocol of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14, but for
preemption: a claimed slot that would be taken from its job is passed over, and that is noted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from htcq.classads import Expr, holds, named, parsed
from htcq.negotiate.cycle.matchlist import MatchList, Ranks
from htcq.negotiate.cycle.offers import Offer, Offers
from htcq.negotiate.cycle.queues import Request
from htcq.negotiate.cycle.ranks import Ranker
from htcq.negotiate.cycle.state import CrashError, State
from htcq.negotiate.cycle.trace import Crash
from htcq.quota.knobs import Knobs

NO_MATCH, OVER_LIMIT, NO_PREEMPTION = "no match found", "submitter limit exceeded", "PREEMPTION_REQUIREMENTS == False"
_PREFERRED, _AS_GOOD = Expr("MY.Rank > MY.CurrentRank"), Expr("MY.Rank >= MY.CurrentRank")


@dataclass(frozen=True)
class Allowance:
    """What a submitter may still be given: ``used`` of ``limit``; only claimed slots that prefer its jobs if so."""

    used: float
    limit: float
    only_preferred: bool = False

    def permits(self, cost: float) -> bool:
        """Tell whether a match may be made: beyond the limit only once, as the first (SubmitterLimitPermits)."""
        return self.used + cost <= self.limit or (self.used <= 0 < self.limit)


@dataclass
class Found:
    """The slots that one request may have, and what kept others from it."""

    list: MatchList[Offer]
    over_limit: int = 0
    refused: int = 0
    ceded: dict[str, None] = field(default_factory=dict)


class Search:
    """Looks for slots; keeps the list that it made for a request as long as the same is asked for."""

    def __init__(self, offers: Offers, ranker: Ranker, knobs: Knobs, skip_bad: bool = False) -> None:
        self._offers, self._ranker, self._skip_bad = offers, ranker, skip_bad
        self._caching = knobs.boolean("NEGOTIATOR_MATCHLIST_CACHING", True)
        self._preemption = knobs.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        self._requirements = parsed(knobs.text("PREEMPTION_REQUIREMENTS"))
        self._found: Found | None = None
        self._for: tuple[object, ...] = ()
        self.skipped: list[Crash] = []
        #: Slots that the negotiator might have taken from their jobs, by why.
        self.preempting: dict[str, set[str]] = {}

    def slots_left(self) -> bool:
        """Tell whether any slot can still be offered."""
        return bool(self._offers)

    def forget(self) -> None:
        """Make a new list for the next request."""
        self._found = None

    def find(self, request: Request, job: str, submitter: str, whose: object, allowance: Allowance) -> Offer | None:
        """Return the best slot for ``request`` of ``submitter``, ``whose`` talk this is; None where there is none.

        Raises:
            CrashError: a slot ends the negotiator.
        """
        key = (id(request), submitter, whose, allowance.only_preferred)
        fresh = self._found is None or not self._caching or key != self._for
        if fresh:
            self._found, self._for = self._listed(request, job, submitter, allowance), key
        assert self._found is not None
        while True:
            offer = self._found.list.pop()
            if offer is None or fresh or allowance.permits(offer.state.outcome(request).cost):
                return offer
            self._found.over_limit += 1

    def reason(self) -> tuple[str, bool]:
        """Return why nothing was found, and whether the submitter's limit had a part in it."""
        assert self._found is not None
        limited = self._found.over_limit > 0
        if self._found.refused:
            return NO_PREEMPTION, limited
        return (OVER_LIMIT if limited else NO_MATCH), limited

    def matched(self, offer: Offer, request: Request) -> float:
        """Take from ``offer`` what ``request`` consumes and return what that costs."""
        outcome = offer.state.outcome(request)
        offer.claims -= 1
        if outcome.after is None:
            self._offers.remove(offer)
            return outcome.cost
        self._offers.change(offer, outcome.after)
        if self._caching and self._found is not None and self._fits(offer.state, request, offer.name, ""):
            self._found.list.give_back(self._ranker.of(offer, request), offer)
        return outcome.cost

    def without_claims(self, offer: Offer) -> None:
        """Offer a slot no more that has no claim left to give."""
        self._offers.remove(offer)

    def _listed(self, request: Request, job: str, submitter: str, allowance: Allowance) -> Found:
        parts: list[list[tuple[Ranks, int, Offer]]] = []
        found = Found(MatchList(parts))
        for state, offers in self._offers.states():
            if not self._fits(state, request, next(iter(offers)).name, job, offers):
                continue
            free = self._free(offers, request, submitter, allowance, found)
            if not free or allowance.only_preferred:
                continue
            if allowance.permits(state.outcome(request).cost):
                entries = [(self._ranker.of(offer, request), offer.index, offer) for offer in free]
                entries.sort(key=_best_first)
                parts.append(entries)
            else:
                found.over_limit += len(free)
        found.list = MatchList(parts)
        return found

    def _fits(self, state: State, request: Request, slot: str, job: str, offers: Iterable[Offer] = ()) -> bool:
        try:
            return state.outcome(request).fits
        except CrashError as error:
            error.crash = Crash(slot, job, str(error))
            if not self._skip_bad:
                raise
            self.skipped += [Crash(offer.name, job, str(error)) for offer in offers]
            for offer in offers:
                self._offers.remove(offer)
            return False

    def _free(
        self, offers: Iterable[Offer], request: Request, submitter: str, allowance: Allowance, found: Found
    ) -> list[Offer]:
        """Return those of ``offers`` that nobody has claimed, and count and note the others."""
        free = []
        for offer in offers:
            customer = offer.customer if self._preemption else ""
            if not customer:
                free.append(offer)
            elif self._prefers(_PREFERRED, offer, request):
                self.preempting.setdefault("their Rank is higher for a waiting job", set()).add(offer.name)
            elif allowance.only_preferred or customer == submitter:
                continue
            elif self._requirements is not None and not self._prefers(self._requirements, offer, request):
                found.refused += 1
            elif self._prefers(_AS_GOOD, offer, request):
                self.preempting.setdefault("PREEMPTION_REQUIREMENTS holds for a waiting job", set()).add(offer.name)
        return free

    def _prefers(self, condition: Expr, offer: Offer, request: Request) -> bool:
        return holds(condition.evaluate(offer.ad(), request.first.ad()))


def _best_first(entry: tuple[Ranks, int, Offer]) -> tuple[float, float, float, int]:
    (pre, rank, post), index, _ = entry
    return (-pre, -rank, -post, index)


def limits_of(request: Request, offer: Offer | None = None) -> str:
    """Return the concurrency limits of a request; those that depend on the slot only where one is given."""
    frame = request.frame
    if "ConcurrencyLimits" not in frame:
        return ""
    value = frame.value("ConcurrencyLimits")
    if not isinstance(value, str) and offer is not None:
        value = named("ConcurrencyLimits").evaluate(request.first.ad(), offer.ad())
    return value if isinstance(value, str) else ""
