"""What becomes of the matches of a cycle.

The dynamic slots that the startds carve, their refusals, and the charge.

What a startd does with one request is htcq.claims.dynamic; here it is done once for all slots that
look alike. The negotiator charges the match; when the dynamic slot's own ad arrives, SlotWeight
of that counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from htcq.claims.claim import weight_of
from htcq.claims.dynamic import Conditions, asked_ways
from htcq.claims.startds import StartdTable, machine_disk_kb
from htcq.classads import Expr, Value, named
from htcq.htcondor.releases import ABSOLUTE_DISK
from htcq.policy.carved import Way
from htcq.policy.claim import Startd, accounted, whole
from htcq.pool.configuration import Configuration
from htcq.pool.job import PLACES as JOB_PLACES
from htcq.pool.job import SCHEDD
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, PLACES, Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.simulate.cycle.dynamic_requirements import (
    DYNAMIC_SLOTS,
    NOTHING_BEFORE,
    AskedBefore,
    ClaimingJob,
    asked_again,
    with_count,
)
from htcq.simulate.cycle.other_slots import OtherSlots
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.required_gpus import REQUIRED, lacks_gpus
from htcq.simulate.cycle.slot_table import Offer
from htcq.simulate.cycle.startd_rank import StartdRanks
from htcq.simulate.cycle.startd_view import StartdView

#: Outcomes that are kept from cycle to cycle.
_MAX_KNOWN = 50_000
_RANKED_LOWER = "the startd ranks it lower than the running job"


def _all() -> tuple[Expr, ...]:
    """Return the Requirements of a slot, all of them."""
    # Rules are listed and explained where there is no library that reads an expression.
    return (named("Requirements"),)


@dataclass(frozen=True)
class CarvedClaim:
    """Outcome of one match: the slot of the job and its charged weight, or the refusal."""

    amounts: Mapping[str, Number]
    charge: Number
    refusal: str = ""


@dataclass(frozen=True)
class _Carving:
    """One way in which the startd serves a request, and what that makes where it has enough."""

    way: Way
    claim: CarvedClaim


class _Carvings:
    """What the startd tries, in turn; the second only where the first is short."""

    def __init__(self, carvings: Iterator[_Carving]) -> None:
        self._known: list[_Carving] = []
        self._rest = carvings

    def at(self, place: int) -> _Carving | None:
        """Return one of them; None behind the last."""
        while len(self._known) <= place:
            carving = next(self._rest, None)
            if carving is None:
                return None
            self._known.append(carving)
        return self._known[place]


@dataclass(frozen=True)
class _InputsSeen:
    """What of a slot matters to the startd for one request.

    How much is left of some assets, some own attributes. ``of_schedd``: whose schedd asks matters.
    """

    of_schedd: bool
    assets: tuple[str, ...]
    places: tuple[int, ...]
    conditions: Conditions


@dataclass(frozen=True)
class _InputsReached:
    """The attributes of a job that a startd may come upon: names, and places of a job's own.

    ``number`` is the same where all that it may come upon in the ad of the slot is equal.
    """

    number: int
    of_job: tuple[str, ...]
    places_of_job: tuple[int, ...]
    seen: _InputsSeen


class Startds:
    """The execution points' side: ``configurations`` by machine, for what they make of requests.

    Without slot weights (``weighted``) every claim is charged 1. ``others`` is what each startd
    knows of its other slots, where it is asked for claims one after another.
    """

    def __init__(
        self,
        configurations: Mapping[str, Configuration],
        weighted: bool,
        others: OtherSlots | None = None,
    ) -> None:
        self._configurations, self._weighted, self._others = configurations, weighted, others
        self._ranks = StartdRanks(configurations)
        self._sites: dict[Offer, StartdView] = {}
        self._clear()

    def _clear(self) -> None:
        self._table, self._links = StartdTable(self._configurations), ReferenceGraph()
        #: All that is equal once, so that it can be known by its number.
        self._numbers: dict[tuple[object, ...], int] = {}
        self._sights: dict[tuple[object, ...], tuple[tuple[object, ...], _InputsSeen]] = {}
        self._reaches: dict[tuple[object, ...], _InputsReached] = {}
        self._alike: dict[tuple[object, ...], _InputsSeen] = {}
        self._known: dict[tuple[object, ...], _Carvings] = {}
        self._kinds: dict[int, SlotClass] = {}
        self._before = AskedBefore(self._links)
        self._shares: dict[tuple[object, ...], tuple[Mapping[str, Number] | None, object]] = {}
        self._gpus: dict[tuple[int, int], tuple[str, object]] = {}

    @property
    def _size(self) -> int:
        return len(self._known) + len(self._shares) + len(self._sights) + len(self._gpus)

    def serves(self, configurations: Mapping[str, Configuration], weighted: bool) -> bool:
        """Return whether it knows what startds do that are configured so."""
        return self._configurations is configurations and self._weighted == weighted

    def begin(self, slots: Sequence[Slot] = ()) -> None:
        """Begin a cycle over ``slots`` with nothing claimed."""
        self._sites.clear()
        if self._others is not None:
            self._others.begin(slots)
        if self._size > _MAX_KNOWN:
            self._clear()

    def claim(self, offer: Offer, request: Request, schedd: str, whole_ad: bool) -> CarvedClaim:
        """Return what ``request`` of a schedd gets of a slot that is unchanged since its ad.

        ``whole_ad``: the negotiator has seen the same ads of slot and job as the startd.
        """
        if offer.occupant and not offer.preempts and self._ranks.refuses(offer.slot, request.first):
            return CarvedClaim({}, 0, _RANKED_LOWER)
        site = self._sites.get(offer.origin)
        if site is None:
            left_at_first = with_count(offer.origin.at_first, offer.slot)
            site = StartdView(left_at_first, self._table.of(offer.slot))
            self._sites[offer.origin] = site
            if self._others is not None:
                self._others.viewed(offer.slot, site)
        # The startd has what these free before it looks at the request (command.cpp).
        late = [site.take_back(slot) for slot in offer.preempts]
        refusal = self._others.refuses(offer.slot, request, site.left) if self._others else ""
        if not offer.supports_policy:
            refusal = refusal or self._lacks_gpus(offer.slot, request)
        claim = CarvedClaim({}, 0, refusal)
        if not refusal:
            claim = self._asked(site, offer, request, schedd, whole_ad)
        for freed in late:
            site.add(freed)
        if self._others is not None and not claim.refusal:
            self._others.claimed(offer.slot, request, claim.amounts)
        return claim

    def _lacks_gpus(self, slot: Slot, request: Request) -> str:
        """Return why no dynamic slot of a slot has GPUs as the job requires, once for like ones."""
        if REQUIRED not in request.frame:
            return ""
        key = (id(slot.frame), id(request))
        if key not in self._gpus:
            # What is known by its id must live.
            self._gpus[key] = (lacks_gpus(slot, request), (slot.frame, request))
        return self._gpus[key][0]

    def _asked(
        self, site: StartdView, offer: Offer, request: Request, schedd: str, whole_ad: bool
    ) -> CarvedClaim:
        left, sight = site.left, self._sight(offer.seen, request, site.startd, whole_ad)
        seen = 0
        if sight.places:
            seen = self._seen(site, offer.slot, sight)
        asking = schedd if sight.of_schedd else ""
        lefts = [left.get(asset) for asset in sight.assets]
        key = (id(sight), offer.supports_policy, seen, asking, *lefts)
        carvings = self._known.get(key)
        if carvings is None:
            # The slot itself, not one like it: disk of old startds is a share of its own machine's.
            own_disk = machine_disk_kb(offer.slot)
            tried = self._carvings(
                offer.seen, SlotClass((offer.seen,)), request, schedd, dict(left), site.startd,
                own_disk, sight.conditions,
            )  # fmt: skip
            carvings = self._known[key] = _Carvings(tried)
        short, place = "", 0
        carving = carvings.at(0)
        while carving is not None:
            short = carving.way.short(left)
            if not short:
                return self._carved(carving, left)
            place += 1
            carving = carvings.at(place)
        return CarvedClaim({}, 0, short)

    def _seen(self, site: StartdView, slot: Slot, sight: _InputsSeen) -> int:
        """Return a number that is the same for slots of which the same is seen."""
        seen = site.seen.get(id(sight))
        if seen is None:
            own = [slot[place] for place in sight.places]
            seen = self._numbered((*own, *map(type, own)))
            site.seen[id(sight)] = seen
        return seen

    def _numbered(self, things: tuple[object, ...]) -> int:
        """Return a number that is the same for equal things, never 0."""
        return self._numbers.setdefault(things, len(self._numbers) + 1)

    def _carved(self, carving: _Carving, left: dict[str, Number]) -> CarvedClaim:
        """Return what comes of it, and take that of what is ``left``."""
        refusal = carving.way.refused(left)
        if refusal:
            return CarvedClaim({}, 0, refusal)
        for asset, amount in carving.way.bag.items():
            left[asset] = whole(left.get(asset, 0) - amount)
        if DYNAMIC_SLOTS in left:
            left[DYNAMIC_SLOTS] += 1
        return carving.claim

    def share(
        self, slot: Slot, request: Request, schedd: str, left: Mapping[str, Number]
    ) -> Mapping[str, Number] | None:
        """Return what ``request`` of a schedd gets of a partitionable ``slot`` with so much left.

        It is None where that is short.
        """
        startd = self._table.of(slot)
        before = self._before.of(slot, request.frame, startd)
        if DYNAMIC_SLOTS in before.reached:
            left = with_count(left, slot)
        key = (id(slot.frame), id(request), schedd, *left.items())
        if key not in self._shares:
            kind = self._kinds.setdefault(id(slot.frame), SlotClass((slot,)))
            conditions = Conditions(_all(), before.conditions)
            carvings = self._carvings(
                slot, kind, request, schedd, left, startd, machine_disk_kb(slot), conditions
            )
            fitting = (each for each in carvings if not each.way.short(left))
            first = next(fitting, None)
            amounts = None
            if first is not None and not first.way.refused(left):
                amounts = first.claim.amounts
            # What is known by its id must live.
            self._shares[key] = (amounts, (slot.frame, request))
        return self._shares[key][0]

    def words(self, slots: Iterable[Slot]) -> set[str]:
        """Return every word that startds of ``slots`` evaluate outside their ads."""
        return self._table.words(slots)

    def _sight(self, slot: Slot, request: Request, startd: Startd, whole_ad: bool) -> _InputsSeen:
        key = (id(slot.frame), id(request), id(startd), whole_ad)
        found = self._sights.get(key)
        if found is None:
            # What is known by its id must live.
            of = (slot.frame, request, startd)
            found = self._sights[key] = (of, self._seen_of(slot, request, startd, whole_ad))
        return found[1]

    def _seen_of(self, slot: Slot, request: Request, startd: Startd, whole_ad: bool) -> _InputsSeen:
        """Return what of a slot matters, the same for all slots and requests that are equal then.

        They are equal in all texts and values that the startd may come upon.
        """
        graph = self._links.graph(request.frame)
        whose = (id(slot.frame), slot.type, slot.assets, id(graph), id(startd), whole_ad)
        reach = self._reaches.get(whose)
        if reach is None:
            reach = self._reaches[whose] = self._reach(slot, request.frame, startd, whole_ad)
        of_job = [request.frame.text(name) for name in reach.of_job]
        own = [request.first[place] for place in reach.places_of_job]
        key = (reach.number, *of_job, *own, *map(type, own))
        found = self._alike.get(key)
        if found is None:
            # An object of its own: others are known by it.
            found = self._alike[key] = replace(reach.seen)
        return found

    def _reach(
        self, slot: Slot, job: SharedAttributes, startd: Startd, whole_ad: bool
    ) -> _InputsReached:
        """Return what the startd may come upon in the ads of a slot and of a job with ``job``."""
        words = {word for each in startd.modify.values() for word in each.words()}
        words |= {f"consumption{asset}" for asset in slot.assets}
        of_left = self._links.reached(sorted(words), slot.frame, job)
        requirements = _all()
        if whole_ad:
            requirements = asked_again(slot.frame, job, slot.assets, self._links)
        evaluated = {word for each in requirements for word in each.words()} | {"slotweight"}
        names = of_left | self._links.reached(sorted(evaluated), slot.frame, job)
        before = NOTHING_BEFORE
        if slot.type == PARTITIONABLE:
            before = self._before.of(slot, job, startd)
        # A dynamic slot weighs what it got itself, whatever is left of its parent.
        of_left = of_left.union(before.reached) if slot.type == PARTITIONABLE else names
        names = names.union(before.reached)
        places = {PLACES[name] for name in names - set(slot.assets) if name in PLACES}
        if not ABSOLUTE_DISK.holds(startd.version):
            places.add(PLACES["totaldisk"])
        requests = {
            each for asset in slot.assets for each in (f"request{asset}", f"_condor_request{asset}")
        }
        of_job = tuple(sorted(names | requests))
        of_slot = [(name, slot.frame.text(name)) for name in sorted(names)]
        asked = (*map(id, requirements), -1, *map(id, before.conditions))
        number = self._numbered((id(startd), slot.type, slot.assets, *asked, of_job, *of_slot))
        assets = tuple(each for each in (*slot.assets, DYNAMIC_SLOTS) if each in of_left)
        return _InputsReached(
            number,
            of_job,
            tuple(place for name, place in JOB_PLACES.items() if name in names),
            _InputsSeen(
                SCHEDD.lower() in names,
                assets,
                tuple(sorted(places)),
                Conditions(requirements, before.conditions),
            ),
        )

    def _carvings(
        self,
        slot: Slot,
        kind: SlotClass,
        request: Request,
        schedd: str,
        left: Mapping[str, Number],
        startd: Startd,
        machine_disk_kb: int,
        conditions: Conditions,
    ) -> Iterator[_Carving]:
        """Yield what the startd tries, in turn."""
        if slot.type != PARTITIONABLE:
            yield _Carving(Way(), CarvedClaim({}, self._charge(kind.weight(left))))
            return
        jobs = ClaimingJob(request, schedd)
        for way in asked_ways(kind, jobs, left, startd, machine_disk_kb, conditions):
            yield _Carving(way, self._claim(kind, way))

    def _claim(self, kind: SlotClass, way: Way) -> CarvedClaim:
        if way.impossible or way.refusal:
            return CarvedClaim({}, 0)
        return CarvedClaim(way.got, self._charge(weight_of(kind, way.got)))

    def _charge(self, weight: Value) -> Number:
        return accounted(weight) if self._weighted else 1
