"""What a claim consumes and what the negotiator charges for it, evaluated with HTCondor's own ClassAd library.

Follows src/condor_utils/consumption_policy.cpp (cp_compute_consumption, cp_sufficient_assets, cp_deduct_assets) and
Accountant::GetSlotWeight, HTCondor 25.14. Amounts are in HTCondor's units: MB, KiB, counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.classads import Ad, Expr, as_number
from htcq.policy.consumption import Number, Policy, request_of
from htcq.units import CPUS, DISK, attribute

Amounts = Mapping[str, Number]


class Charges:
    """One policy, parsed, on slots whose amounts at birth are ``total``.

    ``machine`` is what the whole machine has (Total<asset> in its ads), ``total`` what the slot got of it, ``type_id``
    the number of its slot type.

    Raises:
        PolicyError: an expression of the policy does not parse.
    """

    def __init__(self, policy: Policy, total: Amounts, machine: Amounts | None = None, type_id: int = 1) -> None:
        self.policy = policy
        self._type_id = type_id
        self.total = dict(total)
        self.machine = dict(machine or total)
        self.consumption = {asset: Expr(policy.expanded(text)) for asset, text in policy.consumption.items()}
        self.modify = {asset: Expr(policy.expanded(text)) for asset, text in policy.modify.items()}
        self.weight_expr = Expr(policy.expanded(policy.weight))
        self.schedd_expr = Expr(policy.schedd_weight)
        self._pslot = self._ad(total, total)
        self._pslot["PartitionableSlot"] = True
        self._pslot["SlotType"] = "Partitionable"
        self._pslot["NumDynamicSlots"] = 0

    def _ad(self, amounts: Amounts, total: Amounts) -> Ad:
        ad = Ad({"SlotWeight": self.weight_expr, "SlotTypeID": self._type_id})
        for asset in self.total:
            name = attribute(asset)
            ad[name] = amounts[asset]
            # The startd publishes these totals as reals; arithmetic on integers must not rely on them.
            real = asset == DISK
            ad[f"TotalSlot{name}"] = float(total[asset]) if real else total[asset]
            ad[f"Total{name}"] = float(self.machine[asset]) if asset == CPUS else self.machine[asset]
        for asset, expression in self.consumption.items():
            ad[f"Consumption{attribute(asset)}"] = expression
        return ad

    def pslot(self, left: Amounts, dynamic_slots: int = 0) -> Ad:
        """Return the partitionable slot's ad with ``left`` amounts (one ad, changed in place at each call)."""
        for asset, amount in left.items():
            self._pslot[attribute(asset)] = amount
        self._pslot["NumDynamicSlots"] = dynamic_slots
        return self._pslot

    def dslot(self, amounts: Amounts) -> Ad:
        """Return the ad of a dynamic slot with ``amounts``; its TotalSlot* are its own (seen in 23.9 and 25.14)."""
        ad = self._ad(amounts, amounts)
        ad["DynamicSlot"] = True
        ad["PartitionableSlot"] = False
        ad["SlotType"] = "Dynamic"
        return ad

    def weight(self, slot: Ad) -> Number | None:
        """Return SlotWeight of ``slot``; None where it is no number, on which the negotiator exits."""
        return as_number(self.weight_expr.evaluate(slot))

    def schedd_weight(self, job: Ad) -> int:
        """Return what the schedd adds to WeightedIdleJobs for one idle ``job``: the weight, truncated."""
        weight = as_number(self.schedd_expr.evaluate(job))
        if weight is None:
            weight = as_number(Expr("RequestCpus").evaluate(job)) or 0
        return int(weight)

    def consumed(self, slot: Ad, job: Ad) -> dict[str, Number | None]:
        """Return what ``job`` takes of each asset of ``slot``; None where the expression yields no number."""
        return {asset: as_number(expr.evaluate(slot, job)) for asset, expr in self.consumption.items()}

    def sufficient(self, left: Amounts, taken: Mapping[str, Number | None]) -> bool:
        """Tell whether the negotiator would accept the match: nothing undefined, negative, short or all zero."""
        for asset, amount in taken.items():
            if amount is None or amount < 0 or left[asset] < amount:
                return False
        return any(amount for amount in taken.values())

    def cost(self, left: Amounts, taken: Amounts) -> Number | None:
        """Return the match cost W(R) - W(R'); None where a weight is no number before or after."""
        before = self.weight(self.pslot(left))
        after = self.weight(self.pslot(deduct(left, taken)))
        self.pslot(left)
        return None if before is None or after is None else before - after


def supports(slot: Ad) -> bool:
    """Tell whether HTCondor takes ``slot`` for one with a consumption policy (cp_supports_policy, strict)."""
    resources = Expr("MachineResources").evaluate(slot)
    if Expr("PartitionableSlot").evaluate(slot) is not True or not isinstance(resources, str):
        return False
    assets = resources.replace(",", " ").lower().split()
    return all(f"Consumption{asset}" in slot for asset in assets if asset != "swap")


def deduct(left: Amounts, taken: Amounts) -> dict[str, Number]:
    """Return ``left`` without ``taken``."""
    return {asset: amount - taken.get(asset, 0) for asset, amount in left.items()}


def job_ad(shape: Amounts) -> Ad:
    """Return the ad of a job that asks for ``shape``; assets that it does not name have no Request attribute."""
    return Ad({request_of(asset): amount for asset, amount in shape.items()})


def modified_request(charges: Charges, shape: Amounts, slot: Ad) -> dict[str, Number]:
    """Return ``shape`` as the startd sees it after MODIFY_REQUEST_EXPR_*: results become integers, failures nothing.

    Resource.cpp:create_dslot; only cpus, memory and disk are modified.
    """
    job, result = job_ad(shape), dict(shape)
    for asset, expression in charges.modify.items():
        value = as_number(expression.evaluate(job, slot))
        if value is not None:
            result[asset] = int(value)
    return result
