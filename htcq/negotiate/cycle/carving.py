"""What becomes of the matches of a cycle: the dynamic slots that the startds carve, their refusals, and the charge.

Follows src/condor_startd.V6/Resource.cpp:create_dslot, command.cpp:activate_claim and Accountant.cpp:GetSlotWeight,
HTCondor 25.14. The negotiator charges the match; when the dynamic slot's own ad arrives, SlotWeight of that counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from htcq.classads import Value, as_number, parsed
from htcq.negotiate.cycle.offers import Offer
from htcq.negotiate.cycle.queues import Request
from htcq.negotiate.cycle.state import whole
from htcq.pool.configuration import Configuration
from htcq.pool.jobclass import JobClass
from htcq.pool.kind import Kind, accounted, handed_out, requested
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.units import CPUS, DISK, MEMORY, attribute

#: What startds make of requests unless told otherwise (param_info.in).
_MODIFY: Mapping[str, str] = {
    CPUS: "quantize(RequestCpus,{1})",
    MEMORY: "quantize(RequestMemory,{128})",
    DISK: "quantize(RequestDisk,{1024})",
}


@dataclass(frozen=True)
class Claim:
    """What came of one match: the slot that its job got, the weight that is charged for it, or why it got none."""

    amounts: Mapping[str, Number]
    charge: Number
    refusal: str = ""


class Startds:
    """The execute nodes' side: ``configurations`` by machine, for what they make of requests.

    Without slot weights (``weighted``) every claim is charged 1.
    """

    def __init__(self, configurations: Mapping[str, Configuration], weighted: bool = True) -> None:
        self._configurations, self._weighted = configurations, weighted
        self._left: dict[str, dict[str, Number]] = {}
        self._known: dict[tuple[object, ...], Claim] = {}

    def claim(self, offer: Offer, request: Request) -> Claim:
        """Return what ``request`` gets of a slot that the startd has given nothing of since its ad."""
        kind = offer.state.kind
        left = self._left.setdefault(offer.name, dict(offer.at_first))
        key = (id(kind), id(request), *left.values())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._carved(offer.slot, kind, request, left)
        for asset, amount in found.amounts.items():
            left[asset] = whole(left.get(asset, 0) - amount)
        return found

    def _carved(self, slot: Slot, kind: Kind, request: Request, left: Mapping[str, Number]) -> Claim:
        if slot.type != PARTITIONABLE:
            return Claim({}, self._charge(kind.weight(left)))
        jobs = JobClass(request.frame, request.first, Counter(), Counter())
        modified = self._modified(slot, kind, jobs, left)
        if not kind.supports_policy:
            asked = requested(jobs.ad(modified), kind.assets)
            plain: dict[str, Number] = {asset: int(amount or 0) for asset, amount in asked.items()}
            return Claim(plain, self._charge(kind.standing_weight(plain)))
        taken = kind.consumed(jobs.ad(modified), left)
        for asset, amount in taken.items():
            if amount is None or amount < 0:
                return Claim({}, 0, f"{asset}: its consumption is no amount")
            if amount > left[asset]:
                return Claim({}, 0, f"{asset}: {amount:g} needed, {left[asset]:g} left")
        given = handed_out({asset: amount for asset, amount in taken.items() if amount is not None})
        for asset, amount in taken.items():
            if amount is not None and given[asset] < amount:
                return Claim({}, 0, f"{asset}: {amount:g} is consumed, but the startd hands out whole units")
        return Claim(given, self._charge(kind.standing_weight(given)))

    def _charge(self, weight: Value) -> Number:
        return accounted(weight) if self._weighted else 1

    def _modified(self, slot: Slot, kind: Kind, jobs: JobClass, left: Mapping[str, Number]) -> dict[str, Value]:
        """Return the requests that the startd changes before it does anything else."""
        configuration = self._configurations.get(str(slot.machine))
        type_id = as_number(slot.frame.value("SlotTypeID"))
        changed: dict[str, Value] = {}
        for asset, text in _MODIFY.items():
            name = f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}"
            if configuration is not None:
                own = configuration.value(f"SLOT_TYPE_{type_id}_{name}")
                text = own or configuration.value(name) or text
            expression = parsed(text)
            value = None if expression is None else as_number(expression.evaluate(jobs.ad(), kind.ad(left)))
            if value is not None:
                changed[f"Request{attribute(asset)}"] = int(value)
        return changed
