"""The slots of a cycle, as they are handed out.

Follows obtainAdsFromCollector, trimStartdAds and matchmakingProtocol of
src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from htcq.classads import UNDEFINED, as_number
from htcq.policy.claim import supports
from htcq.pool.slot import PARTITIONABLE, Slot
from htcq.poolquota.supply import Supply
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.collector_order import CollectorOrder, CollectorTables
from htcq.simulate.cycle.job_table import TableContext
from htcq.simulate.cycle.no_claim import why_no_claim
from htcq.simulate.cycle.occupants import Occupants
from htcq.simulate.cycle.rows import TableKind, Weighing
from htcq.simulate.cycle.slot_table import ONE_CLAIM, Offer, SlotTable

#: How often a slot can be matched whose claims are not sent.
_NO_END = 2**31


class Offers:
    """All slots that a match could be made with, in tables of those with equal expressions.

    The tables of the cycle ``before`` are taken over if they share ``context``: only slots that
    are other objects than then are looked at. With ``in_order`` the slots of the first one stand
    as the collector handed them out; ``tables`` are the collector's.
    """

    def __init__(
        self,
        supply: Supply,
        context: TableContext,
        knobs: Mapping[str, str],
        occupants: Occupants | None = None,
        before: Offers | None = None,
        in_order: bool = False,
        tables: CollectorTables | None = None,
    ) -> None:
        self._supply, self._context, self._knobs = supply, context, knobs
        self._occupants = occupants
        tables = tables or CollectorTables()
        if tables.slots is None:
            tables.slots = CollectorOrder(_names(supply.every), in_order)
        self._order: CollectorOrder = tables.slots
        reader = Knobs(knobs)
        self._preemption = reader.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        self._early = reader.boolean("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", False)
        self._working = reader.boolean("MATCH_WORKING_CM_SLOTS", False)
        self._own: Weighing
        self._central: Weighing
        self._kinds: dict[int, bool] = {}
        self._tables: dict[TableKind, SlotTable] = {}
        self._known: dict[int, Offer] = {}
        self._refused: dict[int, Slot] = {}
        #: Every slot that was offered when the cycle began, and those that no job is offered.
        self.at_first: Sequence[Offer] = ()
        self._written = 0
        self.withheld: list[Slot] = []
        if before is not None and before._context is context and before._knobs == knobs:
            self._own, self._central, self._kinds = before._own, before._central, before._kinds
            self._tables = before._tables
            self._begin(before._known, before._refused)
        else:
            self._own, self._central = (
                Weighing(text, supply.weighted) for text in ("", supply.central_text)
            )
            self._begin({}, {})

    def _begin(self, known: Mapping[int, Offer], refused: Mapping[int, Slot]) -> None:
        """Begin with what is ``known`` of slots; ``refused`` are those that were not offered."""
        come: dict[SlotTable, list[Offer]] = {}
        renewed: dict[SlotTable, list[Offer]] = {}
        slots, every = self._supply.slots, self._supply.every
        present = list(map(id, slots))
        places = self._order.places(_names(every))
        if len(slots) < len(every):
            place_of = dict(zip(map(id, every), places))
            places = [place_of[key] for key in present]
        for slot, key, index in zip(slots, present, places):
            offer = known.get(key)
            if offer is None:
                if key in refused or not self._is_offered(slot):
                    self._refused[key] = slot
                    self.withheld.append(slot)
                    continue
                offer = self.offer(index, slot)
                self._renews(offer)
                come.setdefault(self._table_of(offer), []).append(offer)
            elif self._renews(offer):
                renewed.setdefault(offer.in_table, []).append(offer)
            offer.index = index
            self._known[key] = offer
        self.at_first = list(self._known.values())
        gone: dict[SlotTable, list[Offer]] = {}
        for key in known.keys() - present:
            gone.setdefault(known[key].in_table, []).append(known[key])
        for kind, table in tuple(self._tables.items()):
            table.begin(gone.get(table, ()), come.get(table, ()), renewed.get(table, ()))
            if not table.count:
                del self._tables[kind]
            elif come or gone:
                table.number()

    def _renews(self, offer: Offer) -> bool:
        """Write what the negotiator adds to a claimed slot; return whether that is new."""
        if not offer.occupant or self._occupants is None:
            return False
        added = self._occupants.added(offer.slot, offer.occupant)
        is_new = added is not offer.added and added != offer.added
        offer.added = added
        return is_new

    def renew(self) -> None:
        """Write what matches have changed of what the negotiator adds to claimed slots."""
        occupants = self._occupants
        if occupants is None or self._written == occupants.changes:
            return
        self._written = occupants.changes
        for table in self.tables:
            rows = [row for row in table.holders.rows.tolist() if self._renews(table.offer(row))]
            if rows:
                table.renew(rows)

    @property
    def tables(self) -> Collection[SlotTable]:
        """The tables of the slots."""
        return self._tables.values()

    def _table_of(self, offer: Offer) -> SlotTable:
        kind = self._kind(offer)
        if kind.policy:
            claims = as_number(offer.slot.frame.value("NumClaims"))
            offer.all_claims = ONE_CLAIM if claims is None else int(claims)
            if why_no_claim(offer.slot):
                offer.all_claims = _NO_END
            offer.begin()
        if kind not in self._tables:
            self._tables[kind] = SlotTable(self._context, kind)
        return self._tables[kind]

    def offer(self, index: int, slot: Slot) -> Offer:
        """Return ``slot`` as it would be offered; ``index`` is its place among all."""
        return Offer(index, slot, slot._replace(frame=self._context.links.like(slot.frame)))

    def apart(self, slots: Iterable[Slot]) -> Sequence[SlotTable]:
        """Return tables of ``slots`` that are not offered, whose places follow all others."""
        offers = []
        for index, slot in enumerate(slots, len(self._supply.slots)):
            offer = self.offer(index, slot)
            self._renews(offer)
            offers.append(offer)
        return self.tables_of(offers)

    def tables_of(self, offers: Iterable[Offer]) -> Sequence[SlotTable]:
        """Return tables of slots that are not offered."""
        come: dict[TableKind, list[Offer]] = {}
        for offer in offers:
            come.setdefault(self._kind(offer), []).append(offer)
        tables = []
        for kind, alike in come.items():
            table = SlotTable(self._context, kind)
            table.begin((), alike)
            table.number()
            tables.append(table)
        return tables

    def weighing(self, slot: Slot) -> Weighing:
        """Return how the negotiator weighs ``slot``."""
        return self._central if self._supply.weighs_centrally(slot) else self._own

    def _kind(self, offer: Offer) -> TableKind:
        frame = offer.seen.frame
        policy = self._kinds.get(id(frame))
        if policy is None:
            policy = self._kinds[id(frame)] = supports(offer.seen.ad(dict(offer.at_first)))
        schema = self._context.shared(frame)[0]
        assets = tuple(offer.at_first)
        return TableKind(schema, assets, policy, self.weighing(offer.slot), offer.missing)

    def _is_offered(self, slot: Slot) -> bool:
        if slot.type == PARTITIONABLE:
            wanted = slot.frame.value("WantMatching") is not False
            works = slot.frame.value("WorkingCM") is UNDEFINED or self._working
            return slot.state != "Claimed" or (wanted and works)
        if not self._preemption:
            return not slot.claimed
        return self._early or (as_number(slot.retirement_seconds) or 0) <= 0

    def remove(self, offer: Offer) -> None:
        """Offer this slot no more."""
        offer.in_table.remove(offer.row)

    def __bool__(self) -> bool:
        return any(table.count for table in self.tables)

    def __contains__(self, offer: Offer) -> bool:
        """Return whether ``offer`` can still be matched."""
        return bool(offer.in_table.alive[offer.row])


def _names(slots: Iterable[Slot]) -> list[str]:
    return [str(slot.name) for slot in slots]
