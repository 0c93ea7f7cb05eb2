"""Slots that are equal to every expression of a cycle, and their states after matches.

Follows matchmakingAlgorithm and SubmitterLimitPermits of src/condor_negotiator.V6/matchmaker.cpp
and src/condor_utils/consumption_policy.cpp, HTCondor 25.14. Whatever is asked of one such slot
is asked once for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from htcq.classads import Expr, as_number, named, parsed
from htcq.policy.claim import accounted, deduct, match_cost
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PLACES, Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.simulate.cycle.cached_expressions import Amounts, CachedExpression, ReferenceGraph
from htcq.simulate.cycle.conditions import Conditions
from htcq.simulate.cycle.fits import Fitting, Taken
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.trace import Crash
from htcq.units import attribute

#: What of a slot decides about matches and costs, besides what jobs name.
DECIDES = (
    "requirements", "rank", "currentrank", "withinresourcelimits", "slotweight", "machineresources",
    "partitionableslot", "dynamicslot", "slottype", "wantclaiming",
)  # fmt: skip


class CrashError(Exception):
    """The negotiator ends here, with these words; ``crash`` has the slot and the job as well."""

    crash: Crash | None = None


class OfferGroup:
    """Slots of one kind with equal amounts left, all claimed (``held``) or none.

    ``slot`` stands for all of them.
    """

    __slots__ = (
        "_after",
        "_after_for",
        "_cost",
        "_fittings",
        "_for",
        "_policy",
        "_suited",
        "_suited_for",
        "amounts",
        "held",
        "kind",
        "ranks",
        "slot",
        "states",
        "weight",
    )

    def __init__(
        self, states: OfferGroups, kind: SlotClass, amounts: Mapping[str, Number], weight: Weighing
    ) -> None:
        self.states, self.kind, self.amounts, self.weight = states, kind, amounts, weight
        self.slot = kind.first
        self.held = bool(self.slot.customer)
        self._policy = kind.supports_policy
        self._fittings = states.fittings(kind, weight)
        #: Answers for the request that was asked for last: the same is asked of all slots of a
        #: state in turn.
        self._for: Request | None = None
        self._after_for: Request | None = None
        self._suited_for: Request | None = None
        self._cost: float | None = None
        self._after: OfferGroup | None = None
        self._suited = False
        #: The negotiator's ranks of its slots, by what of them decides about that besides the
        #: amounts.
        self.ranks: tuple[dict[int, float], dict[int, float]] = ({}, {})

    def cost(self, request: Request) -> float | None:
        """Return what a match with ``request`` would cost; None where it does not fit.

        Raises:
            CrashError: an asset or a weight is no number.
        """
        if self._for is not request:
            self._cost = self._costs(request)
            self._for = request
        return self._cost

    def _costs(self, request: Request) -> float | None:
        if self._policy and self.kind.missing_assets:
            raise CrashError(f"Missing {attribute(self.kind.missing_assets[0])} asset")
        fitting = self._fitting(request)
        taken = fitting.taken(self.slot, self.amounts)
        if not fitting.fits(self.slot, self.amounts, taken):
            return None
        if not self._policy:
            return self.weight.accounted(self)
        # The weight before and after depends on what the weight looks at, and on what is taken.
        key = (self.weight.look(self.slot).seen(self.slot, self.amounts), taken)
        if key not in fitting.costs:
            sure = dict(zip(self.amounts, taken))
            fitting.costs[key] = match_cost(
                lambda left: self.weight.of(self.slot, left), self.amounts, sure
            )
        cost = fitting.costs[key]
        if cost is None:
            raise CrashError("Failed to evaluate SlotWeight")
        return cost

    def _fitting(self, request: Request) -> Fitting:
        found = self._fittings.get(id(request))
        if found is None:
            found = self._fittings[id(request)] = Fitting(
                self.slot, request, self._policy, self.states.links
            )
        return found

    def after(self, request: Request) -> OfferGroup | None:
        """Return the state of a slot that was matched with ``request``.

        It is None where the whole slot is taken.
        """
        if self._policy and self._after_for is not request:
            taken = self._fitting(request).taken(self.slot, self.amounts)
            self._after, self._after_for = self.states.state(self, self._without(taken)), request
        return self._after

    def agrees(self, request: Request) -> bool:
        """Tell whether both Requirements hold where ``request`` takes what it takes.

        Costs are not looked at.
        """
        fitting = self._fitting(request)
        return fitting.fits(self.slot, self.amounts, fitting.taken(self.slot, self.amounts))

    def conditions(self, request: Request) -> Conditions:
        """Return what must hold on both sides.

        The same for all slots of the frame of which as much is taken.
        """
        fitting = self._fitting(request)
        return fitting.conditions(self.slot, fitting.taken(self.slot, self.amounts))

    def takes_the_same(self, request: Request) -> bool:
        """Tell whether ``request`` takes the same of all slots of the frame."""
        return self._fitting(request).takes_the_same

    def taken(self, request: Request) -> Taken:
        """Return what ``request`` takes of each asset.

        Nothing where the slot has no consumption policy.
        """
        return self._fitting(request).taken(self.slot, self.amounts)

    def suits(self, request: Request) -> bool:
        """Tell whether both Requirements hold, whatever the slot's policy consumes.

        All that a schedd looks at.
        """
        if self._suited_for is not request:
            self._suited = self.states.plain_fitting(self.slot, request).fits(
                self.slot, self.amounts, ()
            )
            self._suited_for = request
        return self._suited

    def _without(self, taken: Taken) -> dict[str, Number]:
        return deduct(self.amounts, dict(zip(self.amounts, taken)))


class Weighing:
    """How the negotiator weighs a slot.

    By its own SlotWeight or by the central manager's ``text``.
    """

    def __init__(self, links: ReferenceGraph, text: str = "", weighted: bool = True) -> None:
        # A text that is no expression is no number on any slot.
        self._expression = (parsed(text) or Expr("error")) if text else named("SlotWeight")
        self._links, self._weighted = links, weighted
        self._looks: dict[int, CachedExpression] = {}

    def of(self, slot: Slot, amounts: Amounts) -> Number | None:
        """Return the weight of ``slot`` with ``amounts`` left; None where it is no number."""
        return as_number(self.look(slot).of(slot, amounts))

    def look(self, slot: Slot) -> CachedExpression:
        """Return how the weight of slots like ``slot`` is found."""
        look = self._looks.get(id(slot.frame))
        if look is None:
            names = self._links.reached(self._expression.words(), slot.frame)
            look = self._looks[id(slot.frame)] = CachedExpression(
                self._expression, names, slot.assets
            )
        return look

    def accounted(self, state: OfferGroup) -> Number:
        """Return what the accountant charges for the whole slot.

        1 where weights are off, or it is none to speak of.
        """
        weight = self.of(state.slot, state.amounts) if self._weighted else None
        return 1 if weight is None else accounted(weight)


class OfferGroups:
    """All states of a cycle; ``names`` are all words that expressions of slots and jobs contain."""

    def __init__(self, names: Iterable[str], links: ReferenceGraph) -> None:
        self._names = tuple(names)
        self.links = links
        self._fittings: dict[tuple[int, bool, int], dict[int, Fitting]] = {}
        self._plain: dict[tuple[int, int], Fitting] = {}
        self._places: dict[int, tuple[int, ...]] = {}
        self._kinds: dict[tuple[object, ...], SlotClass] = {}
        self._states: dict[tuple[object, ...], OfferGroup] = {}
        self._frames: dict[int, SharedAttributes] = {}

    def fittings(self, kind: SlotClass, weighing: Weighing) -> dict[int, Fitting]:
        """Return by request id what slots of ``kind`` give, and the costs by this weight."""
        return self._fittings.setdefault(
            (id(kind.first.frame), kind.supports_policy, id(weighing)), {}
        )

    def plain_fitting(self, slot: Slot, request: Request) -> Fitting:
        """Return what ``request`` takes of slots like ``slot`` without consumption policy."""
        key = (id(slot.frame), id(request))
        found = self._plain.get(key)
        if found is None:
            found = self._plain[key] = Fitting(slot, request, False, self.links)
        return found

    def first(self, slot: Slot, weighing: Weighing) -> OfferGroup:
        """Return the state of ``slot`` before the cycle."""
        slot = slot._replace(frame=self._like(slot.frame))
        kind = self._kind(slot, weighing)
        amounts = {
            asset: amount if amount is not None else 0 for asset, amount in slot.left().items()
        }
        return self._interned(kind, amounts, weighing)

    def _like(self, frame: SharedAttributes) -> SharedAttributes:
        if id(frame) not in self._frames:
            self._frames[id(frame)] = self.links.like(frame)
        return self._frames[id(frame)]

    def state(self, before: OfferGroup, left: Mapping[str, Number]) -> OfferGroup:
        """Return the state of a slot in ``before`` when it has ``left``."""
        return self._interned(before.kind, left, before.weight)

    def _interned(
        self, kind: SlotClass, amounts: Mapping[str, Number], weighing: Weighing
    ) -> OfferGroup:
        key = (id(kind), *amounts.values())
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = OfferGroup(self, kind, dict(amounts), weighing)
        return found

    def _kind(self, slot: Slot, weighing: Weighing) -> SlotClass:
        frame = slot.frame
        looked_at = self._places.get(id(frame))
        if looked_at is None:
            consumption = [name for name in frame.texts if name.startswith("consumption")]
            amounts = {PLACES.get(attribute(asset).lower()) for asset in slot.assets}
            words = self.links.reached((*self._names, *DECIDES, *consumption), frame)
            found = {PLACES[word] for word in words if word in PLACES and word not in frame.texts}
            looked_at = self._places[id(frame)] = tuple(sorted(found - amounts))
        values = [slot[place] for place in looked_at]
        missing = tuple(asset for asset, amount in slot.left().items() if amount is None)
        key = (id(frame), id(weighing), bool(slot.customer), missing, *values, *map(type, values))
        known = self._kinds.get(key)
        if known is None:
            known = self._kinds[key] = SlotClass((slot,))
        return known
