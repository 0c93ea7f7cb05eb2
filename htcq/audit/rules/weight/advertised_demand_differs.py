"""The demand that a schedd advertises is not what its jobs will be charged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from htcq.audit.access_points import AccessPoint, Queue, access_points, demand_counts, queues
from htcq.audit.claims import SlotPolicy, slot_policies, weights
from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.audit.sound_weights import sound_weights
from htcq.classads import References
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
        key = tuple(jobs.frame.text(name) for name in self._names)
        if key not in self._quick:
            found = (weights(self._evidence, policy.usual, jobs) for policy in self._policies)
            self._quick[key] = (
                tuple(each for some in found for each in some) if self._weighted else (1,)
            )
        return self._quick[key]

    def surely(self, jobs: Autocluster) -> tuple[Number, ...]:
        """Return the charges on slots that the jobs match; those of any slot where none matches."""
        key = id(jobs.frame)
        if key not in self._sure and self._weighted:
            kinds = [
                next((kind for kind in policy.kinds if self._evidence.fits(kind, jobs)), None)
                for policy in self._policies
            ]
            found = tuple(
                each
                for kind in kinds
                if kind is not None
                for each in weights(self._evidence, kind, jobs)
            )
            self._sure[key] = found or self.quickly(jobs)
        return self._sure.get(key, (1,))


def _looked_at(policy: SlotPolicy) -> set[str]:
    """Return the attributes of jobs on which a charge depends."""
    names = {f"request{asset}" for asset in policy.usual.assets}
    for asset in policy.usual.consumption:
        expression = policy.usual.first.frame.expression(f"Consumption{asset}")
        found = (
            expression.references()
            if expression is not None
            else References(frozenset(), frozenset())
        )
        names |= found.own | found.target
    return names


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    points = {point.name: point for point in access_points(evidence)}
    charges = _Charges(evidence)
    for demand in _demands(evidence):
        if isinstance(demand, Unchecked):
            yield demand
            continue
        if (
            _far_apart(demand.idle, demand.queue.idle)
            and abs(demand.idle - demand.queue.idle) >= _MIN_JOBS
        ):
            yield _other_jobs(demand)
        if demand_counts(evidence) and _mostly_kept_back(demand):
            yield _not_offered(demand)
        point = points.get(demand.schedd)
        bounds = _bounds(demand, charges)
        if bounds and not (
            point and _between(demand.queue.weighted_idle(point.weight) / demand.queue.idle, bounds)
        ):
            yield _other_weight(evidence, demand, bounds, point)


def _demands(evidence: Evidence) -> Iterator[_Demand | Unchecked]:
    waiting = queues(evidence)
    names = Counter(record.name for record in evidence.pool.submitters)
    known = {schedd for schedd, _ in waiting}
    zero_is_told = demand_counts(evidence)
    for record in evidence.pool.submitters:
        schedd, idle, weight = (
            record.text("ScheddName"),
            record.number("IdleJobs"),
            record.number("WeightedIdleJobs"),
        )
        if not idle or idle < 0 or weight is None or (weight <= 0 and zero_is_told):
            continue
        queue = waiting.get((schedd, record.name)) or (
            waiting.get(("", record.name)) if names[record.name] == 1 else None
        )
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
    return (
        _far_apart(demand.queue.idle, demand.queue.idle - kept_back)
        and kept_back * demand.mean >= _MIN_WEIGHT
    )


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
    decides = f"{point.weight.decides} = {point.weight.expression}" if point else ""
    return Found(
        cause=decides or f"schedd {demand.schedd}",
        subject=f"submitter {demand.record.name}",
        message=(
            f"schedd {demand.schedd} advertises weight {demand.weight:g} for "
            f"{counted(int(demand.idle), 'idle job')} of {demand.record.name}; the "
            f"{demand.queue.idle} in its queue will be charged {charged}"
        ),
        facts=(*_facts(demand.record), *([point.fact(point.weight.decides)] if point else [])),
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
