"""The demand that a schedd advertises is not what its jobs will be charged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.audit.access_points import AccessPoint, Queue, access_points, demand_counts, queues
from htcq.audit.claims import SlotPolicy, slot_policies
from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.audit.sound_weights import sound_weights
from htcq.pool.autocluster import Autocluster
from htcq.pool.record import Record
from htcq.pool.slot import Number

#: Submitter ads and job ads are minutes apart: what differs less than this is no news.
_FACTOR = 2
#: A schedd counts whole numbers: what rounds up to one, or to 1 at least, is up to 1 above the
#: charge.
_ROUNDED_UP = 1
_MIN_WEIGHT, _MIN_JOBS = 8, 100


@dataclass(frozen=True)
class _Demand:
    """What one submitter ad says, and the idle jobs behind it."""

    record: Record
    queue: Queue
    idle: Number
    weight: Number

    @property
    def schedd(self) -> str:
        return self.record.text("ScheddName")

    @property
    def mean(self) -> float:
        """What one job weighs, so that jobs that came and went meanwhile do not matter."""
        return self.weight / self.idle


class _Charges:
    """What jobs are charged, from the least to the most, for each autocluster."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._weighted = evidence.quotas.supply.weighted
        self._policies: tuple[SlotPolicy, ...] = tuple(slot_policies(evidence))
        self._names = sorted({name for policy in self._policies for name in _looked_at(policy)})
        self._quick: dict[tuple[str, ...], tuple[Number, ...]] = {}
        self._sure: dict[int, tuple[Number, ...]] = {}

    def quickly(self, jobs: Autocluster) -> tuple[Number, ...]:
        """Return the charges on the usual slots of every policy, whether the jobs match or not."""
        if not self._weighted:
            return (1,)
        key = tuple(jobs.frame.text(name) for name in self._names)
        if key not in self._quick:
            charges: list[Number] = []
            for policy in self._policies:
                charges += self._evidence.claims.of(policy.usual, jobs).charges
            self._quick[key] = tuple(charges)
        return self._quick[key]

    def surely(self, jobs: Autocluster) -> tuple[Number, ...]:
        """Return the charges on slots that the jobs match; those of any slot where none matches."""
        if not self._weighted:
            return (1,)
        key = id(jobs.frame)
        if key not in self._sure:
            charges: list[Number] = []
            for policy in self._policies:
                fitting = (kind for kind in policy.kinds if self._evidence.fits(kind, jobs))
                kind = next(fitting, None)
                if kind is not None:
                    charges += self._evidence.claims.of(kind, jobs).charges
            self._sure[key] = tuple(charges) or self.quickly(jobs)
        return self._sure[key]


def _looked_at(policy: SlotPolicy) -> set[str]:
    """Return the attributes of jobs on which a charge depends."""
    names = {f"request{asset}" for asset in policy.usual.assets}
    for asset in policy.usual.consumption:
        expression = policy.usual.first.frame.expression(f"Consumption{asset}")
        if expression is not None:
            found = expression.references()
            names |= found.own | found.target
    return names


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    points = {point.name: point for point in access_points(evidence)}
    charges = _Charges(evidence)
    for demand in _demands(evidence):
        if isinstance(demand, Unchecked):
            yield demand
            continue
        idle = demand.queue.idle
        if _far_apart(demand.idle, idle) and abs(demand.idle - idle) >= _MIN_JOBS:
            yield _other_jobs(demand)
        if demand_counts(evidence) and _mostly_kept_back(demand):
            yield _not_offered(demand)
        bounds = _bounds(demand, charges)
        if bounds is None:
            continue
        point = points.get(demand.schedd)
        if point is None or not _between(demand.queue.weighted_idle(point.weight) / idle, bounds):
            yield _other_weight(evidence, demand, bounds, point)


def _demands(evidence: Evidence) -> Iterator[_Demand | Unchecked]:
    waiting = queues(evidence)
    names = Counter(record.name for record in evidence.pool.submitters)
    known = {schedd for schedd, _ in waiting}
    # Where demand counts, another rule reports a weight of 0.
    zero_is_reported = demand_counts(evidence)
    for record in evidence.pool.submitters:
        schedd = record.text("ScheddName")
        idle, weight = record.number("IdleJobs"), record.number("WeightedIdleJobs")
        if not idle or idle < 0 or weight is None or (weight <= 0 and zero_is_reported):
            continue
        queue = waiting.get((schedd, record.name))
        if queue is None and names[record.name] == 1:
            queue = waiting.get(("", record.name))
        if queue is not None:
            yield _Demand(record, queue, idle, weight)
        elif schedd not in known and "" not in known:
            yield Unchecked(f"the jobs of schedd {schedd}")


def _bounds(demand: _Demand, charges: _Charges) -> tuple[float, float] | None:
    """Return the least and the most that the mean charge of the jobs can be.

    None where the advertised charge is not far from these bounds.
    """
    found = None
    for look in (charges.quickly, charges.surely):
        each = [(look(jobs) or (demand.mean,), wanted) for jobs, wanted in demand.queue.classes]
        found = (
            sum(min(some) * wanted for some, wanted in each) / demand.queue.idle,
            sum(max(some) * wanted for some, wanted in each) / demand.queue.idle,
        )
        if _between(demand.mean, found) or max(demand.weight, found[0] * demand.idle) < _MIN_WEIGHT:
            return None
    return found


def _mostly_kept_back(demand: _Demand) -> bool:
    kept_back = sum(demand.queue.kept_back.values())
    offered = demand.queue.idle - kept_back
    return _far_apart(demand.queue.idle, offered) and kept_back * demand.mean >= _MIN_WEIGHT


def _between(mean: float, bounds: tuple[float, float]) -> bool:
    low, high = bounds
    return low / _FACTOR <= mean <= max(high * _FACTOR, high + _ROUNDED_UP)


def _far_apart(one: Number, other: Number) -> bool:
    return one > _FACTOR * other or other > _FACTOR * one


def _other_weight(
    evidence: Evidence, demand: _Demand, bounds: tuple[float, float], point: AccessPoint | None
) -> Found:
    low, high = (f"{bound * demand.queue.idle:.4g}" for bound in bounds)
    charged = low if low == high else f"{low} to {high}"
    cause, facts = f"schedd {demand.schedd}", list(_facts(demand.record))
    if point is not None:
        cause = f"{point.weight.decides} = {point.weight.expression}"
        facts.append(point.fact(point.weight.decides))
    return Found(
        cause=cause,
        subject=f"submitter {demand.record.name}",
        message=(
            f"schedd {demand.schedd} advertises weight {demand.weight:g} for "
            f"{counted(int(demand.idle), 'idle job')} of {demand.record.name}; the "
            f"{demand.queue.idle} in its queue will be charged {charged}"
        ),
        facts=tuple(facts),
        settings=sound_weights(evidence),
        examples=(demand.record.name,),
    )


def _other_jobs(demand: _Demand) -> Found:
    return Found(
        cause=f"idle jobs of schedd {demand.schedd}",
        subject=f"submitter {demand.record.name}",
        message=(
            f"schedd {demand.schedd} advertises {counted(int(demand.idle), 'idle job')} of "
            f"{demand.record.name}, but its queue has {demand.queue.idle}"
        ),
        facts=_facts(demand.record),
        examples=(demand.record.name,),
    )


def _not_offered(demand: _Demand) -> Found:
    kept_back = demand.queue.kept_back
    why = ", ".join(f"{count} by {reason}" for reason, count in sorted(kept_back.items()))
    return Found(
        cause=f"jobs that schedd {demand.schedd} does not offer",
        subject=f"submitter {demand.record.name}",
        message=(
            f"schedd {demand.schedd} advertises weight {demand.weight:g} for "
            f"{counted(int(demand.idle), 'idle job')} of {demand.record.name}; currently it does "
            f"not offer {sum(kept_back.values())} of the {demand.queue.idle} in its queue: {why}"
        ),
        facts=_facts(demand.record),
        examples=(demand.record.name,),
    )


def _facts(record: Record) -> tuple[Fact, ...]:
    names = ("ScheddName", "IdleJobs", "WeightedIdleJobs")
    found: Mapping[str, object] = {name: record.value(name) for name in names}
    return tuple(Fact(name, str(value)) for name, value in found.items())


RULE = Rule(
    id="advertised-demand-differs",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.SUBMITTERS),
    summary=(
        "The demand that a schedd advertises differs from the charges of its jobs by more than a "
        "factor of 2"
    ),
    consequence=(
        "Groups get slots according to the demand that schedds advertise. If it is too small, a "
        "group waits although its quota is free; if it is too large, the group keeps surplus "
        "from others."
    ),
    advice=(
        "Set SCHEDD_SLOT_WEIGHT on the access point to the charge of a job, in terms of its "
        "requests."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:count_a_job, "
        "GroupEntry.cpp:hgq_prepare_for_matchmaking, 25.14"
    ),
    find=_find,
)
