"""Which slot a request gets, or why it gets none.

Follows matchmakingAlgorithm and matchmakingProtocol of src/condor_negotiator.V6/matchmaker.cpp,
HTCondor 25.14, but for preemption: a claimed slot that would be taken from its job is passed
over, and that is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from htcq.classads import Expr, holds, named, parsed
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.cached_expressions import PairExpression
from htcq.simulate.cycle.matchlist import Entry, MatchList
from htcq.simulate.cycle.offer_groups import CrashError, OfferGroup
from htcq.simulate.cycle.offers import Offer, Offers
from htcq.simulate.cycle.queues import Request, Session
from htcq.simulate.cycle.ranks import Ranker
from htcq.simulate.cycle.trace import Crash

NO_MATCH, OVER_LIMIT, NO_PREEMPTION = (
    "no match found",
    "submitter limit exceeded",
    "PREEMPTION_REQUIREMENTS == False",
)
#: Why a claim is not preempted, besides.
PREEMPTION_OFF = "NEGOTIATOR_CONSIDER_PREEMPTION is off"
OWN_CLAIM = "it is a claim of the same submitter"
WORSE_RANK = "Rank of the slot is lower for this job than for the running one"
_PREFERRED, _AS_GOOD = "MY.Rank > MY.CurrentRank", "MY.Rank >= MY.CurrentRank"
_WORSE = "MY.Rank < MY.CurrentRank"


class Allowance(NamedTuple):
    """What a submitter may still be given: ``used`` of ``limit``.

    Only claimed slots that prefer its jobs if so.
    """

    used: float
    limit: float
    only_preferred: bool = False

    def permits(self, cost: float) -> bool:
        """Tell whether a match may be made.

        Beyond the limit only once, as the first (SubmitterLimitPermits).
        """
        return self.used + cost <= self.limit or (self.used <= 0 < self.limit)


@dataclass
class Found:
    """The slots that one request may have, and what kept others from it."""

    list: MatchList[Offer]
    over_concurrency: bool = False
    over_limit: int = 0
    refused: int = 0


class Search:
    """Search for slots.

    The list made for a request is kept while the same is requested.
    """

    def __init__(
        self,
        offers: Offers,
        ranker: Ranker,
        knobs: Knobs,
        asked: Callable[[Expr], PairExpression],
        skip_bad: bool = False,
    ) -> None:
        self._offers, self._ranker, self._skip_bad = offers, ranker, skip_bad
        self._caching = knobs.boolean("NEGOTIATOR_MATCHLIST_CACHING", True)
        self._preemption = knobs.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        requirements = parsed(knobs.text("PREEMPTION_REQUIREMENTS"))
        self._requirements = None if requirements is None else asked(requirements)
        self._preferred, self._as_good, self._worse = (
            asked(Expr(_PREFERRED)),
            asked(Expr(_AS_GOOD)),
            asked(Expr(_WORSE)),
        )
        self._found: Found | None = None
        self._for: tuple[object, ...] = ()
        #: Whether the submitter's limit had a part in it when slots were last looked for, or a list
        #: came to its end.
        self.limited = False
        self.skipped: list[Crash] = []
        #: Slots that the negotiator might have taken from their jobs, by why.
        self.preempting: dict[str, set[str]] = {}

    def slots_left(self) -> bool:
        """Tell whether any slot can still be offered."""
        return bool(self._offers)

    def forget(self) -> None:
        """Make a new list for the next request."""
        self._found = None

    def find(
        self,
        request: Request,
        job: str,
        submitter: str,
        session: Session,
        allowance: Allowance,
        permits: Callable[[Offer], bool] | None = None,
    ) -> Offer | None:
        """Return the best slot for ``request`` of ``submitter`` in this ``session``.

        It is None where there is none.

        ``permits`` tells whether concurrency limits that depend on the slot leave room for a job
        there.

        Raises:
            CrashError: a slot makes the negotiator crash.
        """
        key = (id(request), submitter, session, allowance.only_preferred)
        fresh = self._found is None or not self._caching or key != self._for
        if fresh:
            self._found, self._for = (
                self._listed(request, job, submitter, session, allowance, permits),
                key,
            )
            self.limited = self._found.over_limit > 0
        assert self._found is not None
        while True:
            offer = self._found.list.pop()
            if offer is None:
                self.limited = self._found.over_limit > 0
            if offer is None or fresh:
                return offer
            if permits is not None and not permits(offer):
                continue
            if allowance.permits(offer.state.cost(request) or 0.0):
                return offer
            self._found.over_limit += 1

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

    def suits(self, offer: Offer, request: Request) -> bool:
        """Tell whether a schedd uses a match for another job like ``request``.

        It knows of no consumption policies.
        """
        return not self._prefers(self._worse, offer, request) and offer.state.suits(request)

    def matched(self, offer: Offer, request: Request) -> float:
        """Take from ``offer`` what ``request`` consumes and return what that costs."""
        cost, after = offer.state.cost(request) or 0.0, offer.state.after(request)
        offer.claims -= 1
        if after is None:
            self._offers.remove(offer)
            return cost
        self._offers.change(offer, after)
        if (
            self._caching
            and self._found is not None
            and self._cost(after, request, offer.name, "") is not None
        ):
            self._found.list.give_back(self._ranker.of(offer, request), offer)
        return cost

    def without_claims(self, offer: Offer) -> None:
        """Offer a slot no more that has no claim left to give."""
        self._offers.remove(offer)

    def _listed(
        self,
        request: Request,
        job: str,
        submitter: str,
        session: Session,
        allowance: Allowance,
        permits: Callable[[Offer], bool] | None,
    ) -> Found:
        entries: list[Entry[Offer]] = []
        found = Found(MatchList(entries))
        for state, offers in self._offers.states(session.access.name):
            cost = self._cost(state, request, next(iter(offers)).name, job, offers)
            if cost is None:
                continue
            if state.held and self._preemption:
                self._note(offers, request, submitter, allowance, found)
            elif allowance.only_preferred:
                continue
            elif allowance.permits(cost):
                entries += self._ranker.entries(state, offers, request)
            else:
                found.over_limit += len(offers)
        kept = entries if permits is None else [entry for entry in entries if permits(entry[-1])]
        found.over_concurrency = len(kept) < len(entries)
        found.list = MatchList(kept)
        return found

    def _cost(
        self,
        state: OfferGroup,
        request: Request,
        slot: str,
        job: str,
        offers: Collection[Offer] = (),
    ) -> float | None:
        try:
            return state.cost(request)
        except CrashError as error:
            error.crash = Crash(slot, job, str(error))
            if not self._skip_bad:
                raise
            self.skipped += [Crash(offer.name, job, str(error)) for offer in offers]
            for offer in tuple(offers):
                self._offers.remove(offer)
            return None

    def _note(
        self,
        offers: Iterable[Offer],
        request: Request,
        submitter: str,
        allowance: Allowance,
        found: Found,
    ) -> None:
        """Count and note claimed slots, which are not taken from their jobs here."""
        for offer in offers:
            if self._prefers(self._preferred, offer, request):
                self.preempting.setdefault("their Rank is higher for a waiting job", set()).add(
                    offer.name
                )
            elif allowance.only_preferred or offer.customer == submitter:
                continue
            elif self._requirements is not None and not self._prefers(
                self._requirements, offer, request
            ):
                found.refused += 1
            elif self._prefers(self._as_good, offer, request):
                self.preempting.setdefault(
                    "PREEMPTION_REQUIREMENTS holds for a waiting job", set()
                ).add(offer.name)

    def preemption_refused(self, offer: Offer, request: Request, submitter: str) -> str:
        """Return why the claim of ``offer`` is not preempted for ``request``.

        It is empty where it may be.
        """
        if not self._preemption:
            return PREEMPTION_OFF
        if self._prefers(self._preferred, offer, request):
            return ""
        if offer.customer == submitter:
            return OWN_CLAIM
        if self._requirements is not None and not self._prefers(self._requirements, offer, request):
            return NO_PREEMPTION
        return "" if self._prefers(self._as_good, offer, request) else WORSE_RANK

    def _prefers(self, condition: PairExpression, offer: Offer, request: Request) -> bool:
        return holds(condition.of(offer.seen, offer.state.amounts, request))


def limits_of(request: Request, offer: Offer | None = None) -> str:
    """Return the concurrency limits of a request.

    Those that depend on the slot only where one is given.
    """
    frame = request.frame
    if "ConcurrencyLimits" not in frame:
        return ""
    value = frame.value("ConcurrencyLimits")
    if not isinstance(value, str) and offer is not None:
        value = named("ConcurrencyLimits").evaluate(request.first.ad(), offer.ad())
    return value if isinstance(value, str) else ""


def limits_vary(request: Request) -> bool:
    """Tell whether the concurrency limits of a request depend on the slot."""
    return "ConcurrencyLimits" in request.frame and not isinstance(
        request.frame.value("ConcurrencyLimits"), str
    )
