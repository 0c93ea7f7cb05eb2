"""What becomes of the matches of a cycle.

The dynamic slots that the startds carve, their refusals, and the charge.

What a startd does with one request is htcq.policy.claim; here it is done once for all slots that
look alike. The negotiator charges the match; when the dynamic slot's own ad arrives, SlotWeight
of that counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.classads import Value
from htcq.policy.carved import Way
from htcq.policy.claim import Startd, accounted, ways, whole
from htcq.policy.defaults import ABSOLUTE_DISK
from htcq.pool.autocluster import Autocluster
from htcq.pool.configuration import Configuration
from htcq.pool.slot import PARTITIONABLE, PLACES, Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.startds import StartdTable, machine_disk_kb
from htcq.simulate.cycle.cached_expressions import ReferenceGraph
from htcq.simulate.cycle.offers import Offer
from htcq.simulate.cycle.queues import Request

#: What is evaluated in the ad of a dynamic slot besides its consumption.
_OF_DYNAMIC_SLOT = ("slotweight", "withinresourcelimits")


@dataclass(frozen=True)
class Claim:
    """Outcome of one match: the slot of the job and its charged weight, or the refusal."""

    amounts: Mapping[str, Number]
    charge: Number
    refusal: str = ""


@dataclass(frozen=True)
class _Carving:
    """One way in which the startd serves a request, and what that makes where it has enough."""

    way: Way
    claim: Claim


@dataclass(frozen=True)
class _InputsSeen:
    """What of a slot matters to the startd for one request.

    How much is left of some assets, some own attributes.
    """

    assets: tuple[str, ...]
    places: tuple[int, ...]


class _StartdView:
    """A slot at its startd: its rest, the startd, and what each view sees."""

    __slots__ = ("left", "seen", "startd")

    def __init__(self, left: Mapping[str, Number], startd: Startd) -> None:
        self.left, self.startd = dict(left), startd
        self.seen: dict[int, int] = {}


class Startds:
    """The execution points' side: ``configurations`` by machine, for what they make of requests.

    Without slot weights (``weighted``) every claim is charged 1.
    """

    def __init__(self, configurations: Mapping[str, Configuration], weighted: bool) -> None:
        self._table, self._weighted = StartdTable(configurations), weighted
        self._links = ReferenceGraph()
        self._sites: dict[Offer, _StartdView] = {}
        #: All that is equal once, so that it can be known by its number.
        self._numbers: dict[tuple[object, ...], int] = {}
        self._sights: dict[tuple[object, ...], _InputsSeen] = {}
        self._known: dict[tuple[object, ...], tuple[_Carving, ...]] = {}
        self._kinds: dict[int, SlotClass] = {}
        self._shares: dict[tuple[object, ...], Mapping[str, Number] | None] = {}

    def claim(self, offer: Offer, request: Request) -> Claim:
        """Return what ``request`` gets of a slot that is unchanged since its ad."""
        kind, site = offer.state.kind, self._sites.get(offer)
        if site is None:
            site = self._sites[offer] = _StartdView(offer.at_first, self._table.of(offer.slot))
        left, sight = site.left, self._sight(offer.seen, request, site.startd)
        seen = site.seen.get(id(sight))
        if seen is None:
            own = [offer.slot[place] for place in sight.places]
            seen = self._numbers.setdefault((*own, *map(type, own)), len(self._numbers))
            site.seen[id(sight)] = seen
        key = (id(sight), kind.supports_policy, seen, *[left[asset] for asset in sight.assets])
        carvings = self._known.get(key)
        if carvings is None:
            # The slot itself, not one like it: disk of old startds is a share of its own machine's.
            own_disk = machine_disk_kb(offer.slot)
            carvings = self._known[key] = self._carvings(
                offer.seen, kind, request, left, site.startd, own_disk
            )
        short = ""
        for carving in carvings:
            short = carving.way.short(left)
            if not short:
                return self._carved(carving, left)
        return Claim({}, 0, short)

    def _carved(self, carving: _Carving, left: dict[str, Number]) -> Claim:
        """Return what comes of it, and take that of what is ``left``."""
        refusal = carving.way.refused(left)
        if refusal:
            return Claim({}, 0, refusal)
        for asset, amount in carving.way.bag.items():
            left[asset] = whole(left.get(asset, 0) - amount)
        return carving.claim

    def share(
        self, slot: Slot, request: Request, left: Mapping[str, Number]
    ) -> Mapping[str, Number] | None:
        """Return what ``request`` gets of a partitionable ``slot`` that has so much left.

        It is None where that is short.
        """
        key = (id(slot.frame), id(request), *left.items())
        if key not in self._shares:
            kind = self._kinds.setdefault(id(slot.frame), SlotClass((slot,)))
            carvings = self._carvings(
                slot, kind, request, left, self._table.of(slot), machine_disk_kb(slot)
            )
            fitting = (each for each in carvings if not each.way.short(left))
            first = next(fitting, None)
            self._shares[key] = (
                None if first is None or first.way.refused(left) else first.claim.amounts
            )
        return self._shares[key]

    def words(self, slots: Iterable[Slot]) -> set[str]:
        """Return every word that startds of ``slots`` evaluate outside their ads."""
        return self._table.words(slots)

    def _sight(self, slot: Slot, request: Request, startd: Startd) -> _InputsSeen:
        key = (id(slot.frame), id(request), id(startd))
        found = self._sights.get(key)
        if found is None:
            words = {word for each in startd.modify.values() for word in each.words()}
            words |= {f"consumption{asset}" for asset in slot.assets}
            of_left = self._links.reached(words, slot.frame, request.frame)
            names = of_left | self._links.reached(_OF_DYNAMIC_SLOT, slot.frame, request.frame)
            # A dynamic slot weighs what it got itself, whatever is left of its parent.
            of_left = of_left if slot.type == PARTITIONABLE else names
            places = {PLACES[name] for name in names - set(slot.assets) if name in PLACES}
            if startd.version < ABSOLUTE_DISK:
                places.add(PLACES["totaldisk"])
            assets = tuple(asset for asset in slot.assets if asset in of_left)
            found = self._sights[key] = _InputsSeen(assets, tuple(sorted(places)))
        return found

    def _carvings(
        self,
        slot: Slot,
        kind: SlotClass,
        request: Request,
        left: Mapping[str, Number],
        startd: Startd,
        machine_disk_kb: int,
    ) -> tuple[_Carving, ...]:
        """Return what the startd tries, in turn."""
        if slot.type != PARTITIONABLE:
            return (_Carving(Way(), Claim({}, self._charge(kind.weight(left)))),)
        jobs = Autocluster(request.frame, request.first, Counter(), Counter())
        tried = ways(kind, jobs, left, startd, machine_disk_kb)
        return tuple(_Carving(way, self._claim(kind, way)) for way in tried)

    def _claim(self, kind: SlotClass, way: Way) -> Claim:
        if way.impossible or way.refusal:
            return Claim({}, 0)
        return Claim(way.got, self._charge(kind.standing_weight(way.got)))

    def _charge(self, weight: Value) -> Number:
        return accounted(weight) if self._weighted else 1
