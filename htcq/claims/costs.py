"""The match-cost audit: what each autocluster costs on each slot class, at the match and later.

The negotiator charges the match cost for one cycle; from then on the accountant charges
SlotWeight of the claimed slot's own ad (Accountant.cpp:AddMatch and CheckMatches, HTCondor
25.14). Weights are in the unit that the slots' own expressions have, amounts in MB, KiB and
counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from htcq.claims.claim import Claim, Claims
from htcq.claims.matching import Mismatch
from htcq.claims.startds import StartdTable
from htcq.classads import as_number
from htcq.policy.claim import accounted
from htcq.pool.autocluster import Autocluster
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.weights import Weights

#: Sums of weights closer than this are equal: reals lose a little.
_CLOSE = 1e-6


@dataclass(frozen=True)
class Charge:
    """One autocluster on one kind of slot.

    ``match_cost`` is what the negotiator charges, ``standing_charge`` what the accountant
    charges for the claim that results, ``held`` what it holds now for each of the ``claims``
    that jobs of the class have there. None: no number, or nothing of the kind.
    """

    kind: SlotClass
    jobs: Autocluster
    wall: Mismatch
    asset: str
    consumption: Mapping[str, Number | None]
    match_cost: Number | None
    standing_charge: Number | None
    claims: int
    held: Number | None

    @property
    def gap(self) -> Number | None:
        """The standing charge minus the match cost.

        Below 0 accounting leaks, above 0 it overcharges.
        """
        if self.match_cost is None or self.standing_charge is None:
            return None
        return self.standing_charge - self.match_cost


@dataclass(frozen=True)
class Conservation:
    """Whether the slots of one class weigh what is left plus what is charged.

    ``broken`` counts the slots where it is not; ``worst`` is the largest gap of one slot, with
    its sign.
    """

    kind: SlotClass
    full: Number
    left: Number
    charged: Number
    broken: int
    worst: Number
    examples: tuple[str, ...]

    @property
    def gap(self) -> Number:
        """Return what is left plus what is charged, minus the weight of the full slots."""
        return self.left + self.charged - self.full


@dataclass(frozen=True)
class Share:
    """One weight expression: how many slots have it, and how much of the pool's weight."""

    expression: str
    slots: int
    weight: Number
    share: float


@dataclass(frozen=True)
class Customer:
    """One submitter: its published usage, and the sum of the weights of its claimed slots."""

    name: str
    published: Number | None
    claimed: Number


@dataclass(frozen=True)
class Costs:
    """The whole match-cost audit of a pool."""

    kinds: tuple[SlotClass, ...]
    classes: tuple[Autocluster, ...]
    charges: tuple[Charge, ...]
    conservation: tuple[Conservation, ...]
    shares: tuple[Share, ...]
    customers: tuple[Customer, ...]


def costs(
    pool: Pool, kinds: Sequence[SlotClass], classes: Sequence[Autocluster], weights: Weights
) -> Costs:
    """Return the match-cost audit of ``pool`` for autoclusters; ``kinds`` are all its slots."""
    offered = tuple(kind for kind in kinds if kind.type != DYNAMIC)
    held = _held(pool, offered, weights)
    claims = Claims(StartdTable(pool.execute))
    return Costs(
        kinds=offered,
        classes=tuple(classes),
        charges=tuple(
            _charge(claims.of(kind, jobs), held.get((id(kind), id(jobs.frame)), ()))
            for kind in offered
            for jobs in classes
        ),
        conservation=tuple(_conservation(offered, pool.slots or (), weights)),
        shares=weight_shares(pool.slots or (), weights),
        customers=_customers(pool, weights),
    )


def _charge(claim: Claim, held: Sequence[Number]) -> Charge:
    matches = claim.matched is Mismatch.NONE
    return Charge(
        kind=claim.kind,
        jobs=claim.jobs,
        wall=claim.matched,
        asset=claim.lack,
        consumption=claim.taken if claim.kind.supports_policy else claim.got,
        match_cost=claim.cost if matches else None,
        standing_charge=claim.standing if matches and not claim.refusal else None,
        claims=len(held),
        held=sum(held) / len(held) if held else None,
    )


def _held(
    pool: Pool, kinds: Iterable[SlotClass], weights: Weights
) -> dict[tuple[int, int], list[Number]]:
    """Return the weights of claimed slots by slot class of the parent and frame of the job."""
    parents = {slot.name: kind for kind in kinds for slot in kind.slots}
    running = {job.remote_host: job.frame for job in pool.jobs or () if job.running}
    found: dict[tuple[int, int], list[Number]] = {}
    for slot in pool.slots or ():
        if not slot.claimed:
            continue
        frame = running.get(slot.name)
        if frame is None:
            continue
        kind = parents.get(slot.parent)
        if kind is not None:
            found.setdefault((id(kind), id(frame)), []).append(accounted(weights.of(slot)))
    return found


def _conservation(
    kinds: Iterable[SlotClass], slots: Iterable[Slot], weights: Weights
) -> Iterable[Conservation]:
    charged: dict[str, Number] = {}
    for slot in slots:
        if slot.type == DYNAMIC:
            parent = slot.parent
            charged[parent] = charged.get(parent, 0) + accounted(weights.of(slot))
    for kind in kinds:
        if kind.type == PARTITIONABLE:
            yield _conserved(kind, charged, weights)


def _conserved(kind: SlotClass, charged: Mapping[str, Number], weights: Weights) -> Conservation:
    gaps: list[tuple[Number, str]] = []
    full = left = taken = 0.0
    known: dict[object, Number] = {}
    for slot in kind.slots:
        birth = (slot.total_slot_disk_kb, slot.total_disk_kb, id(slot.frame))
        if birth not in known:
            known[birth] = accounted(SlotClass((slot,)).full_weight)
        whole, rest = known[birth], accounted(weights.of(slot))
        gone = charged.get(str(slot.name), 0)
        full, left, taken = full + whole, left + rest, taken + gone
        if abs(rest + gone - whole) > _CLOSE:
            gaps.append((rest + gone - whole, str(slot.name)))
    gaps.sort(key=lambda gap: -abs(gap[0]))
    return Conservation(
        kind,
        tidy(full),
        tidy(left),
        tidy(taken),
        len(gaps),
        gaps[0][0] if gaps else 0,
        tuple(name for _, name in gaps[:3]),
    )


def tidy(number: Number) -> Number:
    """Return ``number`` as a whole one where it is."""
    whole = as_number(number)
    if whole is None:
        return number
    return whole


def weight_shares(slots: Iterable[Slot], weights: Weights) -> tuple[Share, ...]:
    """Return the weight expressions of the pool, the one with most weight first."""
    sums: dict[str, list[Number]] = {}
    for slot in slots:
        one = sums.setdefault(slot.frame.text("SlotWeight"), [0, 0])
        one[0] += 1
        one[1] += accounted(weights.of(slot))
    total = sum(weight for _, weight in sums.values())
    shares = [
        Share(text, int(count), tidy(weight), weight / total if total else 0.0)
        for text, (count, weight) in sums.items()
    ]
    return tuple(sorted(shares, key=lambda share: (-share.weight, share.expression)))


def _customers(pool: Pool, weights: Weights) -> tuple[Customer, ...]:
    claimed: dict[str, Number] = {}
    for slot in pool.slots or ():
        if slot.claimed and slot.customer:
            claimed[slot.customer] = claimed.get(slot.customer, 0) + accounted(weights.of(slot))
    published = {
        record.name: record.number("WeightedResourcesUsed")
        for record in pool.accounting
        if record.value("IsAccountingGroup") is not True
    }
    names = sorted({*claimed, *(name for name, used in published.items() if used)})
    return tuple(Customer(name, published.get(name), tidy(claimed.get(name, 0))) for name in names)
