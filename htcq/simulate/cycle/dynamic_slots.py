"""Dynamic slots that a request preempts together, for what their partitionable slot has then.

Follows pslotMultiMatch of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 23.9 to 25.14, which
ALLOW_PSLOT_PREEMPTION switches on. (It asks for WantPslotPreemption besides, which schedds write
into every request: no job can refuse.) Of dynamic slots of one CurrentRank the first by number
comes first, as std::sort leaves them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor
from typing import Any, NamedTuple

from htcq.classads import as_number, holds, named
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.candidates import NOT_PREEMPTED
from htcq.simulate.cycle.occupants import SEVERAL
from htcq.simulate.cycle.offers import Offers
from htcq.simulate.cycle.preemption import PRIORITY, RANK, Preemptible, Preemption
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.slot_table import Offer, SlotTable
from htcq.simulate.slots import Slots
from htcq.std_sort import std_sorted

Array = Any


class Parent(NamedTuple):
    """A partitionable slot, and its dynamic slots in the order of their CurrentRank."""

    offer: Offer
    children: Sequence[tuple[float, Offer]]


class DynamicSlots:
    """The dynamic slots of a cycle's partitionable slots."""

    def __init__(self, offers: Offers, every: Sequence[Slot], preemption: Preemption, knobs: Knobs):
        self._offers, self._preemption = offers, preemption
        self.is_on = preemption.is_on and knobs.boolean("ALLOW_PSLOT_PREEMPTION", False)
        self._slots = Slots()
        #: Dynamic slots that were in a list once: the negotiator has given their claims away.
        self._given: set[str] = set()
        self._parents: list[Parent] = []
        if self.is_on:
            self._parents = list(self._parents_among(every))

    def _parents_among(self, every: Sequence[Slot]) -> Iterator[Parent]:
        offers = {offer.name: offer for offer in self._offers.at_first}
        children: dict[str, list[tuple[int, str]]] = {}
        for slot in every:
            if slot.type == DYNAMIC and slot.number:
                children.setdefault(slot.parent, []).append((slot.number, str(slot.name)))
        for name, numbered in children.items():
            offer = offers.get(name)
            if offer is None or offer.slot.type != PARTITIONABLE:
                continue
            names = [child for _, child in sorted(numbered)]
            if as_number(offer.slot.dynamic_slots) != len(names):
                continue
            found = [offers[child] for child in names if child in offers]
            ranked = [
                (float(as_number(child.slot.current_rank) or 0), child)
                for child in found
                if child.slot.state != "Preempting"
                and (as_number(child.slot.retirement_seconds) or 0) <= 0
            ]
            yield Parent(offer, std_sorted(ranked, key=lambda each: each[0]))

    def offered(
        self,
        request: Request,
        schedd: str,
        submitter: str,
        only_preferred: bool,
        fits: Mapping[SlotTable, Array],
    ) -> Iterator[tuple[SlotTable, Preemptible]]:
        """Yield partitionable slots as they are when some of their dynamic slots are preempted.

        ``fits`` tells where a job of the request fits as it is.
        """
        found: dict[Offer, float] = {}
        for parent in self._parents:
            offer = parent.offer
            if offer not in self._offers or offer.claimer not in ("", schedd):
                continue
            fitting = fits.get(offer.in_table)
            if fitting is not None and fitting[offer.row]:
                continue
            self._offer(parent, request, submitter, only_preferred, found)
        for table in self._offers.tables_of(found):
            states = [found[table.offer(row)] for row in range(table.rows)]
            by_rank, by_priority = (
                table.arrays.truths_of([each == state for each in states])
                for state in (RANK, PRIORITY)
            )
            yield table, Preemptible(by_rank, by_priority)

    def _offer(
        self,
        parent: Parent,
        request: Request,
        submitter: str,
        only_preferred: bool,
        found: dict[Offer, float],
    ) -> None:
        """Add the slot of ``parent`` with its dynamic slots preempted to ``found``, by its state.

        They are preempted one after the other until a job fits.
        """
        offer, state = parent.offer, NOT_PREEMPTED
        rank = as_number(named("MY.Rank").evaluate(offer.ad(), request.ad())) or 0
        children = [each for each in parent.children if each[1].name not in self._given]
        amounts: dict[str, Number] = dict(offer.amounts)
        preempted: list[Offer] = []
        for current, child in children:
            if current > rank:
                return
            if current == rank:
                if only_preferred or not self._by_priority(child, request, submitter):
                    continue
                state = PRIORITY
            elif state != PRIORITY:
                state = RANK
            preempted.append(child)
            for asset, more in child.slot.left().items():
                if more is not None and asset in amounts and asset not in offer.missing:
                    amounts[asset] = floor(amounts[asset]) + more
            slot = self._slots.left(offer.slot, amounts)
            if not _agree(slot, request):
                continue
            self._given.update(each.name for each in preempted)
            merged = self._offers.offer(offer.index, slot._replace(remote_user=SEVERAL))
            merged.origin, merged.added, merged.customer = offer, offer.added, ""
            merged.preempts = [each.slot for each in preempted]
            found[merged] = state
            return

    def _by_priority(self, child: Offer, request: Request, submitter: str) -> bool:
        """Return whether PREEMPTION_REQUIREMENTS lets a submitter have a dynamic slot."""
        return child.occupant != submitter and self._preemption.allows(child, request)


def _agree(slot: Slot, request: Request) -> bool:
    """Return whether both Requirements hold: a consumption policy is not looked at."""
    requirements = named("Requirements")
    if not holds(requirements.evaluate(request.ad(), slot.ad())):
        return False
    return holds(requirements.evaluate(slot.ad(), request.ad()))
