"""What becomes of the matches of a cycle: the dynamic slots that the startds carve, their refusals, and the charge.

Follows src/condor_startd.V6/Resource.cpp:create_dslot, command.cpp:activate_claim and Accountant.cpp:GetSlotWeight,
HTCondor 25.14. The negotiator charges the match; when the dynamic slot's own ad arrives, SlotWeight of that counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.classads import Value, as_number, parsed
from htcq.negotiate.cycle.looks import Links
from htcq.negotiate.cycle.offers import Offer
from htcq.negotiate.cycle.queues import Request
from htcq.negotiate.cycle.state import whole
from htcq.pool.configuration import Configuration
from htcq.pool.jobclass import JobClass
from htcq.pool.kind import Kind, accounted, handed_out, requested
from htcq.pool.slot import PARTITIONABLE, PLACES, Number, Slot
from htcq.units import CPUS, DISK, MEMORY, attribute

#: What startds make of requests unless told otherwise (param_info.in).
_MODIFY: Mapping[str, str] = {
    CPUS: "quantize(RequestCpus,{1})",
    MEMORY: "quantize(RequestMemory,{128})",
    DISK: "quantize(RequestDisk,{1024})",
}


#: Expressions by asset.
_Texts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Claim:
    """What came of one match: the slot that its job got, the weight that is charged for it, or why it got none."""

    amounts: Mapping[str, Number]
    charge: Number
    refusal: str = ""


@dataclass(frozen=True)
class _Carving:
    """What is taken of a slot, by the startd's own reckoning, and what that makes where there is enough of it."""

    taken: Mapping[str, Number]
    claim: Claim


@dataclass(frozen=True)
class _Sight:
    """What of a slot matters to the startd for one request: how much is left of some assets, some own attributes."""

    assets: tuple[str, ...]
    places: tuple[int, ...]


class _Site:
    """A slot at its startd: what is left of it, how requests are changed there, and what of it each sight sees."""

    __slots__ = ("left", "seen", "texts")

    def __init__(self, left: Mapping[str, Number], texts: _Texts) -> None:
        self.left, self.texts = dict(left), texts
        self.seen: dict[int, int] = {}


class Startds:
    """The execute nodes' side: ``configurations`` by machine, for what they make of requests.

    Without slot weights (``weighted``) every claim is charged 1.
    """

    def __init__(self, configurations: Mapping[str, Configuration], weighted: bool) -> None:
        self._configurations, self._weighted = configurations, weighted
        self._links = Links()
        self._sites: dict[Offer, _Site] = {}
        self._texts: dict[tuple[object, Value], _Texts] = {}
        #: All that is equal once, so that it can be known by its identity or number.
        self._same: dict[_Texts, _Texts] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._sights: dict[tuple[object, ...], _Sight] = {}
        self._known: dict[tuple[object, ...], tuple[_Carving, ...]] = {}
        self._kinds: dict[int, Kind] = {}
        self._shares: dict[tuple[object, ...], Mapping[str, Number] | None] = {}

    def claim(self, offer: Offer, request: Request) -> Claim:
        """Return what ``request`` gets of a slot that the startd has given nothing of since its ad."""
        kind, site = offer.state.kind, self._sites.get(offer)
        if site is None:
            site = self._sites[offer] = _Site(offer.at_first, self._modifications(offer.slot))
        left, sight = site.left, self._sight(offer.seen, request, site.texts)
        seen = site.seen.get(id(sight))
        if seen is None:
            own = [offer.slot[place] for place in sight.places]
            seen = self._numbers.setdefault((*own, *map(type, own)), len(self._numbers))
            site.seen[id(sight)] = seen
        key = (id(sight), kind.supports_policy, seen, *[left[asset] for asset in sight.assets])
        ways = self._known.get(key)
        if ways is None:
            ways = self._known[key] = self._ways(offer.seen, kind, request, left, site.texts)
        short = ""
        for carving in ways:
            short = _short(carving.taken, left)
            if not short:
                for asset, amount in carving.claim.amounts.items():
                    left[asset] = whole(left.get(asset, 0) - amount)
                return carving.claim
        return Claim({}, 0, short)

    def share(self, slot: Slot, request: Request, left: Mapping[str, Number]) -> Mapping[str, Number] | None:
        """Return what ``request`` gets of a partitionable ``slot`` that has so much left; None where that is short."""
        key = (id(slot.frame), id(request), *left.items())
        if key not in self._shares:
            kind = self._kinds.setdefault(id(slot.frame), Kind((slot,)))
            ways = self._ways(slot, kind, request, left, self._modifications(slot))
            found = (carving.claim.amounts for carving in ways if not _short(carving.taken, left))
            self._shares[key] = next(found, None)
        return self._shares[key]

    def words(self, slots: Iterable[Slot]) -> set[str]:
        """Return every word of the expressions that the startds of ``slots`` evaluate besides those in the ads."""
        texts = {text for slot in slots for _, text in self._modifications(slot)}
        expressions = [parsed(text) for text in texts]
        return {word for each in expressions if each is not None for word in each.words()}

    def _sight(self, slot: Slot, request: Request, texts: _Texts) -> _Sight:
        key = (id(slot.frame), id(request), id(texts))
        found = self._sights.get(key)
        if found is None:
            expressions = [parsed(text) for _, text in texts]
            words = {word for each in expressions if each is not None for word in each.words()}
            words |= {f"consumption{asset}" for asset in slot.assets}
            of_left = self._links.reached(words, slot.frame, request.frame)
            names = of_left | self._links.reached(["slotweight"], slot.frame)
            # A dynamic slot weighs what it got itself, whatever is left of its parent.
            of_left = of_left if slot.type == PARTITIONABLE else names
            places = {PLACES[name] for name in names - set(slot.assets) if name in PLACES}
            assets = tuple(asset for asset in slot.assets if asset in of_left)
            found = self._sights[key] = _Sight(assets, tuple(sorted(places)))
        return found

    def _ways(
        self, slot: Slot, kind: Kind, request: Request, left: Mapping[str, Number], texts: _Texts
    ) -> tuple[_Carving, ...]:
        """Return what the startd tries: the request as it changes it, and then, where it is short of that, as it came.

        A site may forbid the second (MUST_MODIFY_REQUEST_EXPRS), which is not looked at here.
        """
        if slot.type != PARTITIONABLE:
            return (_Carving({}, Claim({}, self._charge(kind.weight(left)))),)
        jobs = JobClass(request.frame, request.first, Counter(), Counter())
        modified = self._modified(kind, jobs, left, texts)
        same = all(changed == request.frame.value(name) for name, changed in modified.items())
        return tuple(self._carved(kind, jobs, each, left) for each in ([modified] if same else [modified, {}]))

    def _carved(
        self, kind: Kind, jobs: JobClass, modified: Mapping[str, Value], left: Mapping[str, Number]
    ) -> _Carving:
        if not kind.supports_policy:
            asked = requested(jobs.ad(modified), kind.assets)
            plain: dict[str, Number] = {asset: int(amount or 0) for asset, amount in asked.items()}
            return _Carving(plain, Claim(plain, self._charge(kind.standing_weight(plain))))
        taken: dict[str, Number] = {}
        for asset, amount in kind.consumed(jobs.ad(modified), left).items():
            if amount is None or amount < 0:
                return _Carving({}, Claim({}, 0, f"{asset}: its consumption is no amount"))
            taken[asset] = amount
        given = handed_out(taken)
        for asset, amount in taken.items():
            if given[asset] < amount:
                refusal = f"{asset}: {amount:g} is consumed, but the startd hands out whole units"
                return _Carving(taken, Claim({}, 0, refusal))
        return _Carving(taken, Claim(given, self._charge(kind.standing_weight(given))))

    def _charge(self, weight: Value) -> Number:
        return accounted(weight) if self._weighted else 1

    def _modifications(self, slot: Slot) -> _Texts:
        """Return the expressions by which the startd changes requests."""
        key = (id(slot.frame), slot.machine if self._configurations else "")
        if key not in self._texts:
            configuration = self._configurations.get(str(slot.machine))
            type_id = as_number(slot.frame.value("SlotTypeID"))
            texts = []
            for asset, text in _MODIFY.items():
                name = f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}"
                if configuration is not None:
                    own = configuration.value(f"SLOT_TYPE_{type_id}_{name}")
                    text = own or configuration.value(name) or text
                texts.append((asset, text))
            self._texts[key] = self._same.setdefault(tuple(texts), tuple(texts))
        return self._texts[key]

    def _modified(self, kind: Kind, jobs: JobClass, left: Mapping[str, Number], texts: _Texts) -> dict[str, Value]:
        """Return the requests that the startd changes before it does anything else."""
        changed: dict[str, Value] = {}
        for asset, text in texts:
            expression = parsed(text)
            value = None if expression is None else as_number(expression.evaluate(jobs.ad(), kind.ad(left)))
            if value is not None:
                changed[f"Request{attribute(asset)}"] = int(value)
        return changed


def _short(taken: Mapping[str, Number], left: Mapping[str, Number]) -> str:
    """Return what a slot is short of; empty where it has everything that is taken."""
    for asset, amount in taken.items():
        if amount > left[asset]:
            return f"{asset}: {amount:g} needed, {left[asset]:g} left"
    return ""
