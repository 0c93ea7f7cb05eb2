"""A concurrency limit is higher than the pool can ever use, so that it limits nothing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.slot import PARTITIONABLE
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import ConcurrencyLimits
from htcq.simulate.cycle.search import limits_of
from htcq.units import CPUS


def _find(evidence: Evidence) -> Iterator[Found]:
    claims = _max_claims(evidence)
    for name, asked in _asked(evidence).items():
        knob = f"{name.upper()}_LIMIT"
        central = evidence.pool.central
        if central is None or knob not in central:
            continue
        limit = _limit(evidence, name)
        if limit > claims * asked > 0:
            yield Found(
                cause=name,
                subject=f"knob {knob}",
                message=(
                    f"concurrency limit {name} is {limit:g}, but the whole pool has space for "
                    f"{claims:g} claims with {asked:g} each: it limits nothing"
                ),
                facts=(knob_fact(evidence, knob), Fact("claims", f"{claims:g}")),
                examples=(name,),
            )


def _max_claims(evidence: Evidence) -> float:
    """Return how many claims the pool can have.

    A partitionable slot counts one for each cpu, any other slot counts one.
    """
    claims = 0.0
    for kind in evidence.offered:
        each = 1.0
        if kind.type == PARTITIONABLE:
            each = max(1.0, float(kind.total.get(CPUS, 1)))
        claims += kind.count * each
    return claims


def _asked(evidence: Evidence) -> dict[str, float]:
    """Return the most that a job asks of each limit: that of idle jobs and of claims."""
    limits = ConcurrencyLimits(Knobs(evidence.quotas.knobs), ())
    texts = {limits_of(request) for _, request, _ in evidence.askers.waiting()}
    for slot in evidence.slots:
        if isinstance(slot.concurrency_limits, str):
            texts.add(slot.concurrency_limits)
    found: dict[str, float] = {}
    for text in texts:
        for limit in limits.asked(text):
            found[limit.name] = max(limit.asked, found.get(limit.name, 0.0))
    return found


def _limit(evidence: Evidence, name: str) -> float:
    limits = ConcurrencyLimits(Knobs(evidence.quotas.knobs), ())
    return next(limit.limit for limit in limits.asked(name))


RULE = Rule(
    id="concurrency-limit-without-effect",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="A concurrency limit is higher than the pool can ever use",
    consequence=(
        "Every slot of the pool could run such a job, and the limit would still not be reached. "
        "The resource that it should protect (licences, a file server) is not protected, unless "
        "the number means 'no limit'."
    ),
    advice="Set <NAME>_LIMIT to the capacity of the resource, or remove it.",
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:rejectForConcurrencyLimits, "
        "Accountant.cpp:GetLimitMax, 25.14"
    ),
    find=_find,
)
