"""What a layout would do, before anything is written: claims, and what every job costs and is given.

Three amounts of weight belong to each job: the match cost, charged for the seconds until the dynamic slot's ad
arrives; the standing charge, that ad's own weight, charged for the life of the claim; and the schedd's idle weight,
which is the demand it reports. A sound policy makes them equal; the plan shows them and their gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from htcq.capacity.layout import Slot
from htcq.capacity.minimum import proposed_charges
from htcq.capacity.model import limiting
from htcq.capacity.shape import Shape
from htcq.policy.carve import carve
from htcq.policy.charge import Charges, job_ad
from htcq.policy.consumption import NEGOTIATOR, Number
from htcq.units import CPUS, DISK, GPUS, MEMORY, show_amount


@dataclass(frozen=True)
class JobPlan:
    """What one job does to an empty slot; amounts in HTCondor's units, weights in slot weight."""

    shape: Mapping[str, Number]
    consumption: Mapping[str, Number]
    carved: Mapping[str, int]
    fits: int
    match_cost: Number
    standing_charge: Number
    schedd_weight: int
    problems: tuple[str, ...] = ()

    @property
    def gap(self) -> tuple[Number, Number]:
        """How far the standing charge and the schedd's weight are from the match cost."""
        return self.standing_charge - self.match_cost, self.schedd_weight - self.match_cost


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
    """W and the claims per asset of an empty slot, and its jobs."""

    slot: Slot
    weight: Number
    claims: Mapping[str, int]
    limiting: str
    jobs: tuple[JobPlan, ...] = ()
    together: Together | None = field(default=None)


def plan_slot(slot: Slot, shapes: Sequence[Shape], version: str = "") -> SlotPlan:
    """Return the plan of one slot for jobs of ``shapes``; ``version`` is the startd's, empty for the newest."""
    charges = slot.charges()
    quanta = slot.counted.quanta(slot.total, slot.total)
    weight = charges.weight(charges.pslot(slot.total))
    return SlotPlan(
        slot=slot,
        weight=0 if weight is None else weight,
        claims=quanta,
        limiting=limiting(quanta, slot.counted.weight(slot.total, slot.total)),
        jobs=tuple(plan_job(slot, charges, shape, version) for shape in shapes),
        together=_together(slot, charges, shapes, version),
    )


def plan_job(slot: Slot, charges: Charges, shape: Shape, version: str) -> JobPlan:
    """Return what jobs of ``shape`` do to the empty slot, one and as many as fit."""
    asked = shape.full()
    problems: list[str] = []
    taken = _consumption(charges, slot.total, asked, version)
    first = carve(charges, slot.total, asked, version)
    cost = _match_cost(charges, slot.total, taken) if not first.refusal else 0
    standing = _weight_of(charges, first.amounts) if first.amounts else 0
    demand = charges.schedd_weight(job_ad(asked))
    if first.refusal:
        problems.append(f"can never match: {_why_never(slot, asked, taken) or first.refusal}")
    else:
        problems += _problems(slot, asked, taken, first.amounts, cost)
    if demand < 1:
        problems.append(f"the schedd reports a demand of {demand}: a group with only such jobs starves")
    return JobPlan(
        shape=asked,
        consumption=taken,
        carved=first.amounts,
        fits=0 if first.refusal else _fits(charges, slot.total, asked, version),
        match_cost=cost,
        standing_charge=standing,
        schedd_weight=demand,
        problems=tuple(problems),
    )


def _consumption(
    charges: Charges, left: Mapping[str, int], asked: Mapping[str, Number], version: str
) -> dict[str, Number]:
    if charges.policy.splitting == NEGOTIATOR:
        taken = charges.consumed(charges.pslot(left), job_ad(asked))
        return {asset: 0 if amount is None else amount for asset, amount in taken.items()}
    return dict(carve(charges, left, asked, version).amounts)


def _match_cost(charges: Charges, left: Mapping[str, Number], taken: Mapping[str, Number]) -> Number:
    """W(R) - W(R'); with scheduler splitting the whole slot, which is what the negotiator hands over."""
    if charges.policy.splitting != NEGOTIATOR:
        return charges.weight(charges.pslot(left)) or 0
    return charges.cost(left, taken) or 0


def _weight_of(charges: Charges, amounts: Mapping[str, int]) -> Number:
    return charges.weight(charges.dslot(amounts)) or 0


def _fits(charges: Charges, total: Mapping[str, int], asked: Mapping[str, Number], version: str) -> int:
    left: Mapping[str, Number] = total
    running = 0
    while True:
        carved = carve(charges, left, asked, version, running)
        if carved.refusal or _closed(charges, running):
            return running
        left, running = carved.left, running + 1


def _closed(charges: Charges, running: int) -> bool:
    """With scheduler splitting a fixed number of claims is counted by the startd itself."""
    policy = charges.policy
    return bool(policy.start) and running >= policy.num_claims


def _problems(
    slot: Slot, asked: Mapping[str, Number], taken: Mapping[str, Number], carved: Mapping[str, int], cost: Number
) -> list[str]:
    problems = []
    shares = slot.policy.cpu_shares
    for asset, amount in asked.items():
        wanted = amount * shares if asset == CPUS else amount
        if carved.get(asset, 0) < wanted:
            problems.append(
                f"is given {show_amount(asset, carved.get(asset, 0))} of {asset}, not the {show_amount(asset, wanted)} "
                "that it asks for"
            )
    problems += [
        f"consumes {show_amount(asset, taken.get(asset, 0))} of {asset}, but the startd hands out "
        f"{show_amount(asset, carved[asset])}: the slot runs dry behind the negotiator's back"
        for asset in (CPUS, MEMORY)
        if taken.get(asset, 0) < carved[asset]
    ]
    if cost <= 0:
        problems.append(f"costs {cost:g} to match: quotas and fair share do not see it")
    return problems


def _together(slot: Slot, charges: Charges, shapes: Sequence[Shape], version: str) -> Together:
    left: Mapping[str, Number] = slot.total
    running, cost, standing, placed = [], 0.0, 0.0, 0
    for shape in shapes:
        asked, count = shape.full(), 0
        while count < shape.count and not _closed(charges, placed):
            carved = carve(charges, left, asked, version, placed)
            if carved.refusal:
                break
            before, after = charges.weight(charges.pslot(left)), charges.weight(charges.pslot(carved.left, placed + 1))
            cost += (before or 0) - (after or 0)
            standing += _weight_of(charges, carved.amounts)
            left, count, placed = carved.left, count + 1, placed + 1
        running.append(count)
    demand = sum(charges.schedd_weight(job_ad(shape.full())) * shape.count for shape in shapes)
    weight = charges.weight(charges.pslot(left, placed)) or 0
    charges.pslot(slot.total)
    return Together(tuple(running), _plain(cost), _plain(standing), weight, demand)


def _plain(number: float) -> Number:
    return int(number) if float(number).is_integer() else number


def _why_never(slot: Slot, asked: Mapping[str, Number], taken: Mapping[str, Number]) -> str:
    shares = slot.policy.cpu_shares
    for asset, have in slot.total.items():
        wanted = asked.get(asset, 0) * (shares if asset == CPUS else 1)
        needed = max(taken.get(asset, 0), wanted)
        if wanted > have:
            return f"asks for {show_amount(asset, wanted)} of {asset}, the slot has {show_amount(asset, have)}"
        if needed > have:
            return f"asks for {show_amount(asset, wanted)} of {asset}, more than one claim may take"
    return ""


def typical_shapes(total: Mapping[str, int], cpu_shares: int = 1) -> tuple[Shape, ...]:
    """Return the jobs that show most about a node: small, even, hungry for memory, wide, whole, with a GPU."""
    cores = max(1, total[CPUS] // cpu_shares)
    memory = proposed_charges(total, cores)[MEMORY]
    disk = max(1, min(total[DISK] // cores, 1024 * 1024))
    shapes = [
        {CPUS: 1, MEMORY: min(128, total[MEMORY]), DISK: disk},
        {CPUS: 1, MEMORY: max(1, memory), DISK: disk},
        {CPUS: 1, MEMORY: max(1, min(4 * memory, total[MEMORY])), DISK: disk},
        {CPUS: max(1, cores // 2), MEMORY: max(1, memory * (cores // 2 or 1)), DISK: disk},
        {CPUS: cores, MEMORY: total[MEMORY], DISK: disk},
    ]
    if total.get(GPUS):
        shapes.append({CPUS: 1, MEMORY: max(1, memory), DISK: disk, GPUS: 1})
    unique = {tuple(shape.items()): shape for shape in shapes}
    return tuple(Shape(shape) for shape in unique.values())
