"""The slots of a cycle, as they are handed out.

Follows obtainAdsFromCollector, trimStartdAds and matchmakingProtocol of
src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from htcq.classads import UNDEFINED, Ad, as_number
from htcq.pool.slot import PARTITIONABLE, Slot
from htcq.poolquota.supply import Supply
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.offer_groups import OfferGroup, OfferGroups, Weighing

#: A slot of a startd that says nothing else has one claim to give.
_ONE_CLAIM = 1


class Offer:
    """One slot; ``claims`` is how many matches it can still take, ``index`` its place among all.

    ``at_first`` is what it had when the cycle began. ``seen`` is the slot as all expressions of
    the cycle see it.
    """

    __slots__ = (
        "at_first",
        "claimer",
        "claims",
        "first_state",
        "index",
        "kept",
        "name",
        "ranked_in",
        "ranks",
        "seen",
        "slot",
        "state",
    )

    def __init__(self, index: int, slot: Slot, state: OfferGroup) -> None:
        self.index, self.slot, self.state, self.at_first = index, slot, state, state.amounts
        self.first_state = state
        self.seen = slot._replace(frame=state.slot.frame)
        claims = as_number(slot.frame.value("NumClaims")) if state.kind.supports_policy else None
        self.claims = _ONE_CLAIM if claims is None else int(claims)
        self.name = str(slot.name)
        #: The only schedd whose jobs may have this claimed partitionable slot; empty where any may
        #: have it.
        schedd = slot.remote_schedd
        self.claimer = schedd if isinstance(schedd, str) and slot.type == PARTITIONABLE else ""
        #: The negotiator's ranks, and in which state they are so.
        self.ranks = (0.0, 0.0)
        self.ranked_in: OfferGroup | None = None
        #: The parts of them that stay as they are for the whole cycle; None: not looked at yet.
        self.kept: tuple[int | float, int | float] | None = None

    @property
    def customer(self) -> str:
        """Who has it claimed; empty where nobody has."""
        return self.slot.customer

    def ad(self) -> Ad:
        """Return its ad with what it has left.

        Valid until the next call for a slot of the same frame.
        """
        return self.slot.ad(dict(self.state.amounts))


class Offers:
    """All slots that a match could be made with, by state."""

    def __init__(self, supply: Supply, states: OfferGroups, knobs: Mapping[str, str]) -> None:
        reader = Knobs(knobs)
        self._preemption = reader.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        self._early = reader.boolean("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", False)
        self._working = reader.boolean("MATCH_WORKING_CM_SLOTS", False)
        self._own, self._central = (
            Weighing(states.links, text, supply.weighted) for text in ("", supply.central_text)
        )
        self._supply, self._states = supply, states
        self._by_state: dict[OfferGroup, dict[Offer, None]] = {}
        #: Every slot that was offered when the cycle began, and those that no job is offered.
        self.at_first: list[Offer] = []
        self.withheld: list[Slot] = []
        self._claimers = False
        for index, slot in enumerate(supply.slots):
            if not self._kept(slot):
                self.withheld.append(slot)
                continue
            offer = self.offer(index, slot)
            self._claimers = self._claimers or bool(offer.claimer)
            self.at_first.append(offer)
            self.add(offer)

    def offer(self, index: int, slot: Slot) -> Offer:
        """Return ``slot`` as it would be offered; ``index`` is its place among all."""
        weighing = self._central if self._supply.weighs_centrally(slot) else self._own
        return Offer(index, slot, self._states.first(slot, weighing))

    def _kept(self, slot: Slot) -> bool:
        if slot.type == PARTITIONABLE:
            wanted = slot.frame.value("WantMatching") is not False
            works = slot.frame.value("WorkingCM") is UNDEFINED or self._working
            return slot.state != "Claimed" or (wanted and works)
        if not self._preemption:
            return not slot.claimed
        return self._early or (as_number(slot.retirement_seconds) or 0) <= 0

    def add(self, offer: Offer) -> None:
        """Put ``offer`` in its state."""
        self._by_state.setdefault(offer.state, {})[offer] = None

    def remove(self, offer: Offer) -> None:
        """Offer this slot no more."""
        members = self._by_state[offer.state]
        del members[offer]
        if not members:
            del self._by_state[offer.state]

    def change(self, offer: Offer, state: OfferGroup) -> None:
        """Let ``offer`` come into another state."""
        self.remove(offer)
        offer.state = state
        self.add(offer)

    def __bool__(self) -> bool:
        return bool(self._by_state)

    def __contains__(self, offer: Offer) -> bool:
        """Tell whether ``offer`` can still be matched."""
        return offer in self._by_state.get(offer.state, {})

    def states(self, schedd: str) -> list[tuple[OfferGroup, Collection[Offer]]]:
        """Return every state with the slots that are in it and may go to jobs of ``schedd``."""
        if not self._claimers:
            return [(state, members.keys()) for state, members in self._by_state.items()]
        kept = (
            (state, [each for each in members if each.claimer in ("", schedd)])
            for state, members in self._by_state.items()
        )
        return [(state, members) for state, members in kept if members]
