"""The slots of a simulated cycle, those that are alike counted and kept once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from htcq.pool.slot import DYNAMIC, Slot
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.offer_groups import OfferGroup
from htcq.simulate.cycle.offers import Offer


@dataclass(frozen=True, eq=False)
class Alike:
    """Slots that differ in nothing that a job asks; ``offer`` stands for all ``count`` of them.

    ``unused`` is their state with no job on them; ``last`` that at the end of the cycle, None
    where they are taken. ``withheld`` ones are offered to no job, ``drained`` ones have no claim
    left to give.
    """

    offer: Offer
    unused: OfferGroup
    last: OfferGroup | None
    withheld: bool
    drained: bool
    count: int

    @cached_property
    def first(self) -> OfferGroup:
        """Their state when the cycle began."""
        return self.offer.first_state

    @property
    def is_machine(self) -> bool:
        """Whether a job could have all of them; dynamic slots are parts of others."""
        return self.offer.slot.type != DYNAMIC


def alike_slots(cycle: Cycle) -> Iterator[Alike]:
    """Yield the slots of ``cycle``, which has run, as far as its negotiator sees them."""
    offered = ((offer, False) for offer in cycle.offers.at_first)
    withheld = ((_as_offer(cycle, slot), True) for slot in cycle.offers.withheld)
    yield from _counted(cycle, (*offered, *withheld))


def hidden_slots(cycle: Cycle) -> Iterator[Alike]:
    """Yield the slots that NEGOTIATOR_SLOT_CONSTRAINT hides."""
    yield from _counted(
        cycle, ((_as_offer(cycle, slot), True) for slot in cycle.quotas.supply.hidden)
    )


def _as_offer(cycle: Cycle, slot: Slot) -> Offer:
    return cycle.offers.offer(len(cycle.quotas.supply.slots), slot)


def _counted(cycle: Cycle, offers: Iterable[tuple[Offer, bool]]) -> Iterator[Alike]:
    count = Counter[tuple[object, ...]]()
    found: dict[tuple[object, ...], tuple[Offer, OfferGroup, OfferGroup | None, bool, bool]] = {}
    for offer, is_withheld in offers:
        unused = _unused(offer)
        drained = offer.claims <= 0 and offer.state.kind.supports_policy
        last, customer = None, ""
        if drained or offer in cycle.offers:
            last = offer.state
        if offer.first_state.held:
            customer = offer.customer
        key = (offer.first_state, unused, last, is_withheld, offer.claimer, customer, drained)
        count[key] += 1
        found.setdefault(key, (offer, unused, last, is_withheld, drained))
    for alike, values in found.items():
        yield Alike(*values, count=count[alike])


def _unused(offer: Offer) -> OfferGroup:
    """Return the state of a slot with all that it had at birth."""
    first = offer.first_state
    total = {asset: amount or 0 for asset, amount in offer.slot.total().items()}
    if total == first.amounts:
        return first
    return first.states.state(first, total)
