"""Plan of a layout before anything is written: claims, and each job's costs and amounts.

Three amounts of weight belong to each job: the match cost, charged for the seconds until the
dynamic slot's ad arrives; the standing charge, that ad's own weight, charged for the life of the
claim; and the schedd's idle weight, which is the demand it reports. A sound policy makes them
equal; the plan shows them and their gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.capacity.fill import (
    Fill,
    fill_alone,
    fill_in_order,
    fill_mixed,
    fill_once,
    missing_asset,
    plain,
)
from htcq.capacity.layout import Slot
from htcq.capacity.model import limiting
from htcq.capacity.shape import Shape
from htcq.claims.planned import Carved, Charges, carve, job_ad
from htcq.policy.consumption import Number
from htcq.units import CPUS, MEMORY, show_amount


@dataclass(frozen=True)
class JobPlan:
    """What one job does to an empty slot; amounts in HTCondor's units, weights in slot weight.

    ``fill`` is the slot full of such jobs.
    """

    shape: Mapping[str, Number]
    consumption: Mapping[str, Number]
    carved: Mapping[str, int]
    match_cost: Number
    standing_charge: Number
    schedd_weight: int
    fill: Fill
    problems: tuple[str, ...] = ()

    @property
    def fits(self) -> int:
        """How many such jobs run side by side."""
        return self.fill.running[0]

    @property
    def gap(self) -> tuple[Number, Number]:
        """Differences of the standing charge and the schedd's weight to the match cost."""
        standing = self.standing_charge - self.match_cost
        demand = self.schedd_weight - self.match_cost
        return plain(standing), plain(demand)


@dataclass(frozen=True)
class Together:
    """What happens when all the given jobs come at once, in their order."""

    running: tuple[int, ...]
    match_cost: Number
    standing_charge: Number
    weight_left: Number
    demand: int


@dataclass(frozen=True)
class SlotPlan:
    """W and the claims per asset of an empty slot, and its jobs.

    ``mix`` is the slot full of all the jobs, each by its count; ``in_order`` and ``in_reverse``
    are the slot full of jobs that come in the order given and in the opposite one. Where the
    model counts no claims ``claims`` has what each asset weighs, and nothing limits.
    """

    slot: Slot
    weight: Number
    claims: Mapping[str, Number]
    limiting: str
    jobs: tuple[JobPlan, ...]
    together: Together
    mix: Fill
    in_order: Fill
    in_reverse: Fill

    @property
    def fills(self) -> tuple[Fill, ...]:
        """The slot filled in every way of the plan."""
        return (*(job.fill for job in self.jobs), self.mix, self.in_order, self.in_reverse)

    @property
    def counts_claims(self) -> bool:
        """Whether W is a number of claims; the linear model weighs instead."""
        return not self.slot.additive


def plan_slot(slot: Slot, shapes: Sequence[Shape], version: str = "") -> SlotPlan:
    """Return the plan of one slot for jobs of ``shapes``.

    ``version`` is the startd's, empty for the newest.
    """
    charges = slot.charges()
    quanta = slot.counted.quanta(slot.total, slot.total)
    weight = charges.weight(charges.pslot(slot.total))
    return SlotPlan(
        slot=slot,
        weight=0 if weight is None else plain(weight),
        claims=quanta,
        limiting=limiting(quanta, slot.counted.weight(slot.total, slot.total)),
        jobs=tuple(plan_job(slot, charges, shape, version) for shape in shapes),
        together=_together(charges, shapes, version),
        mix=fill_mixed(charges, shapes, version),
        in_order=fill_in_order(charges, shapes, version),
        in_reverse=fill_in_order(charges, shapes[::-1], version),
    )


def plan_job(slot: Slot, charges: Charges, shape: Shape, version: str) -> JobPlan:
    """Return what jobs of ``shape`` do to the empty slot, one and as many as fit."""
    asked = shape.full()
    taken = charges.taken(slot.total, asked, version)
    first = carve(charges, slot.total, asked, version)
    unknown = missing_asset(charges, asked)
    if unknown:
        untouched: dict[str, Number] = {**slot.total}
        amount = show_amount(unknown, asked[unknown])
        first = Carved({}, untouched, f"asks for {amount} of {unknown}, the slot has none")
    cost: Number = 0
    standing: Number = 0
    if first.refusal:
        problems = [f"can never match: {_why_never(slot, asked, taken) or first.refusal}"]
    else:
        cost = charges.charge(slot.total, taken)
        problems = _problems(slot, asked, taken, first.amounts, cost)
    if first.amounts:
        standing = charges.standing(first.amounts)
    demand = charges.schedd_weight(job_ad(asked))
    if demand < 1:
        problems.append(
            f"the schedd reports a demand of {demand}: a group with only such jobs starves"
        )
    return JobPlan(
        shape=asked,
        consumption=taken,
        carved=first.amounts,
        match_cost=plain(cost),
        standing_charge=plain(standing),
        schedd_weight=demand,
        fill=fill_alone(charges, shape, version),
        problems=tuple(problems),
    )


def _problems(
    slot: Slot,
    asked: Mapping[str, Number],
    taken: Mapping[str, Number],
    carved: Mapping[str, int],
    cost: Number,
) -> list[str]:
    problems = []
    for asset, wanted in _in_shares(slot, asked).items():
        given = carved.get(asset, 0)
        if given < wanted:
            problems.append(
                f"is given {show_amount(asset, given)} of {asset}, not the "
                f"{show_amount(asset, wanted)} that it asks for"
            )
    for asset in (CPUS, MEMORY):
        consumed = taken.get(asset, 0)
        if consumed < carved[asset]:
            problems.append(
                f"consumes {show_amount(asset, consumed)} of {asset}, but the startd hands out "
                f"{show_amount(asset, carved[asset])}: the slot runs dry behind the negotiator's "
                "back"
            )
    if cost <= 0:
        problems.append(f"costs {cost:g} to match: quotas and fair share do not see it")
    return problems


def _in_shares(slot: Slot, asked: Mapping[str, Number]) -> dict[str, Number]:
    """Return a request with cpus in shares."""
    wanted = dict(asked)
    if CPUS in wanted:
        wanted[CPUS] *= slot.policy.cpu_shares
    return wanted


def _together(charges: Charges, shapes: Sequence[Shape], version: str) -> Together:
    fill = fill_once(charges, shapes, version)
    demand = sum(charges.schedd_weight(job_ad(shape.full())) * shape.count for shape in shapes)
    return Together(fill.running, fill.match_cost, fill.standing_charge, fill.weight_left, demand)


def _why_never(slot: Slot, asked: Mapping[str, Number], taken: Mapping[str, Number]) -> str:
    requested = _in_shares(slot, asked)
    for asset, have in slot.total.items():
        wanted = requested.get(asset, 0)
        if wanted > have:
            return (
                f"asks for {show_amount(asset, wanted)} of {asset}, the slot has "
                f"{show_amount(asset, have)}"
            )
        if taken.get(asset, 0) > have:
            return f"asks for {show_amount(asset, wanted)} of {asset}, more than one claim may take"
    return ""
