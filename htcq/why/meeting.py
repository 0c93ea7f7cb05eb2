"""One request and the slots that it meets.

What suits it, what is too small, and which clauses are false.

Follows matchmakingAlgorithm of src/condor_negotiator.V6/matchmaker.cpp and cp_sufficient_assets
of src/condor_utils/consumption_policy.cpp, HTCondor 25.14. What all slots of a frame ask is
worked out once, most often by the cycle already; reading it clause by clause is dearer.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import cached_property

from htcq.classads import as_number
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Number
from htcq.simulate.cycle.cached_expressions import ReferenceGraph, job_ad
from htcq.simulate.cycle.offer_groups import OfferGroup
from htcq.simulate.cycle.queues import Request
from htcq.why.clauses import Clauses, Failure, Shortage
from htcq.why.crowd import Crowd, When, at_first, unused

_RESOURCE_LIMITS, _REQUEST = "withinresourcelimits", "request"


class Meeting:
    """The jobs of ``request`` of one ``submitter`` at one ``schedd``, and slots."""

    def __init__(
        self, request: Request, submitter: str, schedd: str, links: ReferenceGraph
    ) -> None:
        self.request, self.submitter, self.schedd = request, submitter, schedd
        self._links = links
        self._suits: dict[OfferGroup, bool] = {}
        self._clauses: dict[tuple[object, ...], Clauses] = {}
        self._limits: dict[int, frozenset[str]] = {}

    def fits(self, state: OfferGroup) -> bool:
        """Tell whether a slot in ``state`` would be matched.

        Raises:
            CrashError: the slot would make the negotiator crash.
        """
        return state.cost(self.request) is not None

    def suits(self, state: OfferGroup) -> bool:
        """Tell whether both Requirements hold and there is enough.

        For states that are asked for once.
        """
        found = self._suits.get(state)
        if found is None:
            found = self._suits[state] = state.agrees(self.request)
        return found

    def suiting(self, crowd: Crowd) -> Iterator[Crowd]:
        """Yield the parts of ``crowd`` all of whose slots would suit it unused, or none of them."""
        for part in self._as_much_taken(crowd, unused):
            yield from part.parts(unused, part.one.unused.conditions(self.request))

    def falling_short(self, crowd: Crowd) -> Iterator[Crowd]:
        """Yield the parts of ``crowd`` whose slots lack the same assets when the cycle begins."""
        for part in self._as_much_taken(crowd, at_first):
            wanted = self._wanted(part.one.first)
            yield from part.compared(
                at_first, [(asset, operator.lt, amount) for asset, amount in wanted]
            )

    def failing(self, crowd: Crowd) -> Iterator[Crowd]:
        """Yield the parts of ``crowd`` on whose slots, unused, the same clauses are false."""
        for part in self._as_much_taken(crowd, unused):
            yield from part.parts(unused, self._clauses_of(part.one.unused))

    def _as_much_taken(self, crowd: Crowd, when: When) -> list[Crowd]:
        if when(crowd.one).takes_the_same(self.request):
            return [crowd]
        return crowd.by(lambda alike: when(alike).taken(self.request))

    def short(self, state: OfferGroup) -> tuple[Shortage, ...]:
        """Return the assets that are too small for the request, or for its consumption."""
        return tuple(
            [each for each in self._wanted(state) if each.amount > state.amounts[each.asset]]
        )

    def _wanted(self, state: OfferGroup) -> list[Shortage]:
        """Return the amounts without which a slot is too small."""
        if state.kind.supports_policy:
            taken = zip(state.amounts, state.taken(self.request))
            return [Shortage(asset, amount) for asset, amount in taken if amount is not None]
        limited = self._limited(state.slot.frame)
        asked = self.asked.items()
        return [
            Shortage(asset, amount)
            for asset, amount in asked
            if asset in state.amounts and asset in limited
        ]

    @cached_property
    def asked(self) -> dict[str, Number]:
        """What the request asks of each asset, as far as it is a number whatever the slot."""
        ad, asked = job_ad(self.request), {}
        for name in self.request.frame.texts:
            if not name.startswith(_REQUEST):
                continue
            amount = as_number(ad.value(name))
            if amount is not None:
                asked[name[len(_REQUEST) :]] = amount
        return asked

    def _limited(self, frame: SharedAttributes) -> frozenset[str]:
        """Return the assets of which slots of ``frame`` refuse requests that are too large."""
        found = self._limits.get(id(frame))
        if found is None:
            limits, words = frame.expression(_RESOURCE_LIMITS), set[str]()
            if limits is not None:
                words.update(limits.words())
            found = frozenset(asset for asset in self.asked if f"{_REQUEST}{asset}" in words)
            self._limits[id(frame)] = found
        return found

    def failure(self, state: OfferGroup) -> Failure | str:
        """Return the false clauses in ``state``, or the fault of its consumption policy."""
        found = self._clauses_of(state)
        return found.flaw or found.failure(state.slot, state.amounts)

    def _clauses_of(self, state: OfferGroup) -> Clauses:
        taken = state.taken(self.request)
        key = (id(state.slot.frame), taken)
        found = self._clauses.get(key)
        if found is None:
            consumed = dict(zip(state.slot.assets, taken))
            found = self._clauses[key] = Clauses(state.slot, self.request, consumed, self._links)
        return found
