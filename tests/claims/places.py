"""What every place of htcq that puts a claim together says of one autocluster on one class of unused slots.

They have nothing to do with each other's questions (a price, a rule, a cycle, an elastic quota), and
must say the same of the same claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from htcq.audit.evidence import Evidence
from htcq.audit.rules.quota import demand_in_other_units
from htcq.claims.costs import Charge, costs
from htcq.claims.matching import Mismatch
from htcq.claims.startds import StartdTable
from htcq.elastic.charging import Charging, whole
from htcq.elastic.models import Models
from htcq.elastic.records import PARTS, WEIGHT
from htcq.pool.autocluster import Autocluster
from htcq.pool.pool import Pool
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.pool.weights import Weights
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.queues import Request
from tests.properties.test_cycle_caches import OwnWeights, offers_of


@dataclass(frozen=True)
class Said:
    """What one place says of a claim; None where it does not speak of that."""

    cost: Number | None = None
    standing: Number | None = None
    got: Mapping[str, Number] | None = None


@dataclass(frozen=True)
class Pair:
    """A claim that a startd would make, and what each place says of it."""

    slot: str
    job: str
    said: Mapping[str, Said]

    def differences(self) -> list[str]:
        """Return the sentences on values that two places have otherwise."""
        expected = self.said["cost"]
        found = []
        for place, said in self.said.items():
            for name in ("cost", "standing", "got"):
                one, other = _plain(getattr(expected, name)), _plain(getattr(said, name))
                if one is not None and other is not None and one != other:
                    found.append(
                        f"{self.job} on {self.slot}: {name} is {one}, but {place}: {other}"
                    )
        return found


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {asset: amount for asset, amount in value.items() if amount}
    return round(value, 6) if isinstance(value, float) else value


class Places:
    """All places, on one pool."""

    def __init__(self, pool: Pool) -> None:
        own = Weights()
        self._pool, self._evidence = pool, Evidence(pool)
        # Without the central manager's own weight, by which elastic quotas alone weigh slots whose
        # SlotWeight is no number: each place weighs by the slots' SlotWeight.
        self._supply = OwnWeights(pool.slots or (), own, {})
        self._startds = Startds(pool.execute, weighted=True)

    def pairs(self) -> Iterator[Pair]:
        """Yield all claims that startds of the pool would make of unused slots for its jobs."""
        evidence = self._evidence
        told = costs(self._pool, evidence.slot_classes, evidence.autoclusters, Weights())
        for charge in told.charges:
            if charge.wall is not Mismatch.NONE or charge.standing_charge is None:
                continue
            yield Pair(
                str(charge.kind.first.name),
                charge.jobs.name,
                dict(self._said(charge, charge.kind, charge.jobs)),
            )

    def _said(
        self, charge: Charge, kind: SlotClass, jobs: Autocluster
    ) -> Iterator[tuple[str, Said]]:
        yield (
            "cost",
            Said(
                charge.match_cost,
                charge.standing_charge,
                None if kind.supports_policy else charge.consumption,
            ),
        )
        yield "audit, weights", _of_charges(self._evidence.claims.of(kind, jobs).charges)
        charged = self._charges_on(kind, jobs)
        if charged:
            yield "audit, demand", _of_charges(charged)
        for trial_charge in self._evidence.charges(kind) if kind.supports_policy else ():
            if jobs in trial_charge.trial.alike:
                yield "audit, charges", Said(trial_charge.cost, trial_charge.standing)
        amounts = self._charging(kind).of(jobs).amounts
        standing = whole({"": (charge.standing_charge or 0) * PARTS}).get("", 0)
        # In thousandths, rounded up.
        weight = (
            charge.standing_charge
            if amounts.get(WEIGHT, 0) == standing
            else amounts[WEIGHT] / PARTS
        )
        got = {asset: amounts.get(asset, 0) for asset in kind.assets}
        yield "elastic", Said(None, weight, got if kind.type == "Partitionable" else None)
        yield from self._simulated(kind, jobs)

    def _charges_on(self, kind: SlotClass, jobs: Autocluster) -> tuple[Number, ...]:
        """Return what the rule on demand reckons with, where this is the only kind of slots."""
        one = replace(self._pool, slots=kind.slots, slot_frames=(kind.first.frame,))
        found: tuple[Number, ...] = demand_in_other_units._Charges(Evidence(one)).of(jobs)
        return found

    def _charging(self, kind: SlotClass) -> Charging:
        return Charging(
            [kind], Models((), kind.slots), self._supply, StartdTable(self._pool.execute)
        )

    def _simulated(self, kind: SlotClass, jobs: Autocluster) -> Iterator[tuple[str, Said]]:
        request = Request(jobs.first)
        if kind.type == "Partitionable":
            got = self._startds.share(kind.first, request, "access", kind.total)
            yield "cycle, startd", Said(got=got or {})
        one = replace(
            self._pool,
            slots=(kind.first,),
            slot_frames=(kind.first.frame,),
            jobs=(jobs.first,),
            job_frames=(jobs.frame,),
        )
        for by_rows in (False, True):
            tables = tuple(offers_of(one, by_rows).tables)
            if not tables:
                # The slot is not offered now: its owner uses it, or preemption is off.
                continue
            (table,) = tables
            engine = table.context.engine
            left = {asset: engine.column([amount]) for asset, amount in kind.total.items()}
            answer = table.whole().with_left(left).answer(table.context.job(request))
            fits = table.arrays.listed_truths(answer.fits, 1)
            cost = table.arrays.listed(answer.cost, 1)[0] if fits[0] else "no match"
            yield f"cycle, {'rows' if by_rows else 'columns'}", Said(cost=cost)


def _of_charges(charged: tuple[Number, ...]) -> Said:
    """Return what is said by a match cost, if any, and a standing charge."""
    if not charged:
        return Said(standing=-1)
    return Said(charged[0] if len(charged) == 2 else None, charged[-1])
