"""Slots of a planned policy as ads, with what a claim takes and costs there.

HTCondor's own library evaluates them.

The slot's ad is made from the policy and the amounts; the claim of a job there is computed as for
any slot (htcq.policy.claim). Amounts are in HTCondor's units: MB, KiB, counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from htcq.classads import UNDEFINED, Ad, Expr, Value, as_number
from htcq.policy.carved import Amounts, first_that_fits
from htcq.policy.claim import Startd, accounted, deduct, match_cost, request_of, ways
from htcq.policy.consumption import NEGOTIATOR, Number, Policy
from htcq.policy.defaults import version_tuple
from htcq.units import CPUS, DISK, attribute

#: The number of ads of dynamic slots that are kept: claims of one shape get equal ones.
_MAX_KEPT = 64


@dataclass(frozen=True)
class Carved:
    """Amounts of a dynamic slot and the rest of the partitionable one, or the startd's refusal.

    ``consumed`` is what the policy takes; an old startd adds some disk to it.
    """

    amounts: dict[str, int]
    left: dict[str, Number]
    refusal: str = ""
    consumed: Amounts = field(default_factory=dict)


class Charges:
    """One policy, parsed, on slots whose amounts at birth are ``total``.

    ``machine`` is what the whole machine has (Total<asset> in its ads), ``total`` what the slot got
    of it, ``type_id`` the number of its slot type. ``facts`` are other attributes of its ad, such
    as DiskQuantum.

    Raises:
        PolicyError: an expression of the policy does not parse.
    """

    def __init__(
        self,
        policy: Policy,
        total: Amounts,
        machine: Amounts | None = None,
        type_id: int = 1,
        facts: Mapping[str, int | float | str] | None = None,
    ) -> None:
        self.policy = policy
        self._facts = dict(facts or {})
        self._type_id = type_id
        self.total = dict(total)
        self.machine = dict(machine or total)
        self.consumption = _parsed(policy, policy.consumption)
        self.modify = _parsed(policy, policy.modify)
        self.weight_expr = Expr(policy.expanded(policy.weight))
        self.schedd_expr = Expr(policy.schedd_weight)
        self._dynamic: dict[tuple[tuple[str, Number], ...], Ad] = {}
        self._pslot = self._ad(total, total)
        self._pslot["PartitionableSlot"] = True
        self._pslot["SlotType"] = "Partitionable"
        self._pslot["NumDynamicSlots"] = 0

    def _ad(self, amounts: Amounts, total: Amounts) -> Ad:
        ad = Ad({**self._facts, "SlotWeight": self.weight_expr, "SlotTypeID": self._type_id})
        for asset in self.total:
            name = attribute(asset)
            whole, of_machine = total[asset], self.machine[asset]
            # The startd publishes these two totals as reals; integer arithmetic must not use them.
            if asset == DISK:
                whole = float(whole)
            if asset == CPUS:
                of_machine = float(of_machine)
            ad[name] = amounts[asset]
            ad[f"TotalSlot{name}"] = whole
            ad[f"Total{name}"] = of_machine
        for asset, expression in self.consumption.items():
            ad[f"Consumption{attribute(asset)}"] = expression
        return ad

    @property
    def assets(self) -> Sequence[str]:
        """The assets that the slot hands out."""
        if self.supports_policy:
            return tuple(self.consumption)
        return tuple(self.total)

    @property
    def supports_policy(self) -> bool:
        """Whether it is matched by consumption policy."""
        return self.policy.splitting == NEGOTIATOR

    def ad(self, amounts: Amounts) -> Ad:
        """Return the partitionable slot's ad with ``amounts`` left.

        It is one ad, changed in place at each call.
        """
        for asset, amount in amounts.items():
            self._pslot[attribute(asset)] = amount
        return self._pslot

    def pslot(self, left: Amounts, dynamic_slots: int = 0) -> Ad:
        """Return the same ad with that number of dynamic slots."""
        self._pslot["NumDynamicSlots"] = dynamic_slots
        return self.ad(left)

    def dynamic_ad(self, amounts: Amounts) -> Ad:
        """Return the ad of a dynamic slot with ``amounts``.

        Its TotalSlot* are its own (seen in 23.9 and 25.14).
        """
        key = tuple(amounts.items())
        found = self._dynamic.get(key)
        if found is None:
            found = self._ad(amounts, amounts)
            found["DynamicSlot"] = True
            found["PartitionableSlot"] = False
            found["SlotType"] = "Dynamic"
            if len(self._dynamic) == _MAX_KEPT:
                self._dynamic.clear()
            self._dynamic[key] = found
        return found

    def weight(self, slot: Ad) -> Number | None:
        """Return SlotWeight of ``slot``.

        None where it is no number, on which the negotiator exits.
        """
        return as_number(self.weight_expr.evaluate(slot))

    def schedd_weight(self, job: Ad) -> int:
        """Return what one idle ``job`` adds to WeightedIdleJobs: its weight, truncated."""
        weight = as_number(self.schedd_expr.evaluate(job))
        if weight is None:
            weight = as_number(Expr("RequestCpus").evaluate(job)) or 0
        return int(weight)

    def consumed(self, slot: Ad, job: Ad) -> dict[str, Number | None]:
        """Return what ``job`` takes of each asset of ``slot``.

        None where the expression yields no number.

        Requests that the job does not make are undefined here, as they are to the slot's
        WithinResourceLimits.
        """
        return {
            asset: as_number(expr.evaluate(slot, job)) for asset, expr in self.consumption.items()
        }

    def cost(self, left: Amounts, taken: Amounts) -> Number | None:
        """Return the match cost W(R) - W(R'); None where a weight is no number before or after."""
        cost = match_cost(lambda amounts: self.weight(self.pslot(amounts)), left, taken)
        self.pslot(left)
        return cost

    def charge(self, left: Amounts, taken: Amounts) -> Number:
        """Return what the negotiator charges for ``taken`` of a slot with ``left``.

        With scheduler splitting it is the whole slot, which is what the negotiator hands over. 0
        where a weight is no number.
        """
        if self.supports_policy:
            return self.cost(left, taken) or 0
        return self.weight(self.pslot(left)) or 0

    def standing(self, amounts: Amounts) -> Number:
        """Return what the accountant charges while a claim with ``amounts`` lives."""
        weight = self.weight(self.dynamic_ad(amounts))
        return accounted(UNDEFINED if weight is None else weight)

    def taken(self, left: Amounts, shape: Amounts, version: str) -> dict[str, Number]:
        """Return what a claim of ``shape`` takes of a slot with ``left``; no number counts as 0.

        That is the consumption by policy, or with scheduler splitting what the startd carves.
        """
        if not self.supports_policy:
            return dict(carve(self, left, shape, version).amounts)
        taken = self.consumed(self.pslot(left), job_ad(shape))
        return {asset: amount or 0 for asset, amount in taken.items()}

    def startd(self, version: str) -> Startd:
        """Return the startd that has the slot; an empty version is the newest."""
        return Startd(self.modify, version_tuple(version))


def _parsed(policy: Policy, texts: Mapping[str, str]) -> dict[str, Expr]:
    return {asset: Expr(policy.expanded(text)) for asset, text in texts.items()}


class Asking:
    """A job that asks for ``shape`` only.

    Assets that ``shape`` does not name have no Request attribute.
    """

    def __init__(self, shape: Amounts) -> None:
        self._asked: dict[str, Value] = {
            request_of(asset): amount for asset, amount in shape.items()
        }
        self._ad = job_ad(shape)
        self._changed: set[str] = set()

    def ad(self, changed: Mapping[str, Value] | None = None) -> Ad:
        """Return its ad with some attributes changed (one ad, changed in place at each call)."""
        new = changed or {}
        now = {**self._asked, **new}
        for name in self._changed - now.keys():
            del self._ad[name]
        for name in self._changed | new.keys():
            if name in now:
                value = now[name]
                assert isinstance(value, (int, float, str))
                self._ad[name] = value
        self._changed = set(new)
        return self._ad


def job_ad(shape: Amounts) -> Ad:
    """Return the ad of a job that asks for ``shape`` only.

    Assets that ``shape`` does not name have no Request attribute.
    """
    return Ad({request_of(asset): amount for asset, amount in shape.items()})


def carve(
    charges: Charges, left: Amounts, shape: Amounts, version: str = "", running: int = 0
) -> Carved:
    """Return what the startd carves for a job of ``shape`` from a slot that has ``left``."""
    charges.pslot(left, running)
    why = _undefined(charges, left, shape)
    if why:
        return Carved({}, dict(left), why)
    startd, machine_disk = charges.startd(version), charges.machine[DISK]
    way = first_that_fits(ways(charges, Asking(shape), left, startd, machine_disk), left)
    if way.refusal:
        return Carved({}, dict(left), way.refusal)
    amounts = {asset: int(amount) for asset, amount in way.got.items()}
    return Carved(amounts, deduct(left, way.bag), "", way.consumed)


def _undefined(charges: Charges, left: Amounts, shape: Amounts) -> str:
    """Return which asset that the job does not name makes the slot's limits undefined.

    Follows consumptionLimitsExpression; empty where there is none.
    """
    if not charges.supports_policy or shape.keys() >= charges.consumption.keys():
        return ""
    slot, job = charges.ad(left), job_ad(shape)
    for asset, expression in charges.consumption.items():
        if asset not in shape and as_number(expression.evaluate(slot, job)) is None:
            return f"{asset}: its consumption is undefined"
    return ""
