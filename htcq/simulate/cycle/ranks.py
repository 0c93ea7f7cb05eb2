"""How much a match is wanted: the negotiator's two ranks and the job's own.

Follows calculateRanks and EvalNegotiatorMatchRank of src/condor_negotiator.V6/matchmaker.cpp,
HTCondor 25.14. More is better.
"""

from __future__ import annotations

from collections.abc import Iterable

from htcq.classads import as_number, literal, named, parsed
from htcq.pool.shared_attributes import SharedAttributes
from htcq.quota.cpp_float import as_float
from htcq.simulate.cycle.cached_expressions import CachedExpression, PairExpression, ReferenceGraph
from htcq.simulate.cycle.conditions import asset_named
from htcq.simulate.cycle.matchlist import Entry, Ranks
from htcq.simulate.cycle.offer_groups import OfferGroup
from htcq.simulate.cycle.offers import Offer
from htcq.simulate.cycle.queues import Request
from htcq.units import BUILT_IN_ASSETS

#: What a rank of the negotiator is that yields no number, and what a job's is.
_WORST, _NO_RANK = -1.7976931348623157e308, 0.0


class Ranker:
    """All three ranks of a match.

    ``pre`` and ``post`` are expressions in the ad of a slot, with a job as target.
    """

    def __init__(
        self, pre: str, post: str, names_of_jobs: frozenset[str], links: ReferenceGraph
    ) -> None:
        before, after = parsed(pre), parsed(post)
        self._pre = None if before is None else PairExpression(before, links, names_of_jobs)
        self._post = None if after is None else PairExpression(after, links, names_of_jobs)
        self._job = PairExpression(named("Rank"), links, names_of_jobs, in_job=True)
        self._numbers: dict[tuple[CachedExpression, tuple[object, ...]], float] = {}
        self._owns: dict[tuple[object, ...], int] = {}
        #: By frame of jobs: the Rank that they all have, or the asset that it is, or nothing.
        self._known: dict[int, float | str] = {}

    def of(self, offer: Offer, request: Request) -> Ranks:
        """Return the ranks of ``offer`` for ``request``, in the order in which they count."""
        pre, post = self._negotiators(offer, request)
        return (pre, self._jobs(offer.state, request), post)

    def entries(
        self, state: OfferGroup, offers: Iterable[Offer], request: Request
    ) -> list[Entry[Offer]]:
        """Return what stands for ``offers``, all of ``state``, in a list for ``request``."""
        for offer in offers:
            if offer.ranked_in is not state:
                self._negotiators(offer, request)
        # Slots of one state are equal to all expressions of jobs.
        rank = -self._jobs(state, request)
        return [(-offer.ranks[0], rank, -offer.ranks[1], offer.index, offer) for offer in offers]

    def _negotiators(self, offer: Offer, request: Request) -> tuple[float, float]:
        """Return the negotiator's ranks, cached with the slot while its state stays."""
        state = offer.state
        if offer.ranked_in is state:
            return offer.ranks
        if self._by_job(offer.seen.frame):
            offer.ranks = self._both(offer, request)
            return offer.ranks
        if offer.kept is None:
            offer.kept = (
                self._own(self._pre, offer, request),
                self._own(self._post, offer, request),
            )
        offer.ranks = (
            self._kept(self._pre, offer, 0, request),
            self._kept(self._post, offer, 1, request),
        )
        offer.ranked_in = state
        return offer.ranks

    def _both(self, offer: Offer, request: Request) -> tuple[float, float]:
        return (
            self._evaluated(self._pre, offer, request),
            self._evaluated(self._post, offer, request),
        )

    def _own(self, rank: PairExpression | None, offer: Offer, request: Request) -> int | float:
        """Return a rank that is constant in the cycle, or a number for the slot's part."""
        look = None if rank is None else rank.look(offer.seen, request)
        if look is None or not look.of_amounts:
            return self._evaluated(rank, offer, request)
        own = look.own(offer.seen)
        return self._owns.setdefault(own, len(self._owns))

    def _kept(
        self, rank: PairExpression | None, offer: Offer, place: int, request: Request
    ) -> float:
        """Return a rank of ``offer``, evaluated once for all slots of its state that are alike."""
        kept = offer.kept[place] if offer.kept is not None else 0
        if isinstance(kept, float):
            return kept
        known = offer.state.ranks[place]
        found = known.get(kept)
        if found is None:
            found = known[kept] = self._evaluated(rank, offer, request)
        return found

    def _by_job(self, frame: SharedAttributes) -> bool:
        return any(rank.by_job(frame) for rank in (self._pre, self._post) if rank is not None)

    def _evaluated(self, rank: PairExpression | None, offer: Offer, request: Request) -> float:
        if rank is None:
            return _WORST
        look = rank.look(offer.seen, request)
        key = (look, look.seen(offer.seen, offer.state.amounts))
        found = self._numbers.get(key)
        if found is None:
            value = as_number(look.of(offer.seen, offer.state.amounts))
            found = self._numbers[key] = _WORST if value is None else as_float(value)
        return found

    def _jobs(self, state: OfferGroup, request: Request) -> float:
        """Return the job's own Rank of slots in ``state``."""
        known = self._known.get(id(request.frame))
        if known is None:
            known = self._known[id(request.frame)] = self._simple(request)
        if isinstance(known, float):
            return known
        if known in state.amounts:
            return float(state.amounts[known])
        value = as_number(self._job.of(state.slot, state.amounts, request))
        return _NO_RANK if value is None else float(value)

    def _simple(self, request: Request) -> float | str:
        """Return the job's Rank where it is a number, or the asset that it is.

        It is empty where it is anything else.
        """
        text = request.frame.text("Rank")
        if literal(text or "0") is not None:
            return float(as_number(request.frame.value("Rank")) or _NO_RANK)
        return asset_named(text, BUILT_IN_ASSETS, request)
