"""Each cause is proven by its counterfactual: without the fault the simulated cycle starts what it claims.

A fault is made in a random pool, so that the pool before is the one without its cause. What a
claim counts beyond that must wait for a later cycle or for a limit there: it is explained."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from htcq.balance.balance import Balance
from htcq.balance.causes import LATER, STARTING
from htcq.pool.pool import Pool
from tests.balance.faults import CONSTRAINT, FAULTS
from tests.balance.pools import GOLDEN, balanced, check, pool_at
from tests.why.random_pools import random_pool

#: Claims that limits of the next cycle cut short, of all.
_MOST_CUT = 0.25


def started(balance: Balance, *causes: str) -> float:
    """Return the weight that the next cycle starts, and other ``causes`` with it."""
    found = [balance.of(cause) for cause in (STARTING, *causes)]
    return sum(float(each.amounts.weight) for each in found if each is not None)


def outcome(pool: Pool, broken: Pool, cause: str) -> str:
    """Return what the pool without the fault makes of the claim of its cause."""
    without, found = balanced(pool), check(broken)
    claim = found.of(cause)
    if claim is None or not claim.jobs:
        return "no claim"
    assert without.demand is not None
    assert found.demand is not None
    more = without.demand.starting - found.demand.starting
    before, dust = started(found), 1e-6
    if more >= claim.jobs or started(without) - before >= claim.wanted.weight - dust:
        return "starts"
    if started(without, LATER) - before >= claim.wanted.weight - dust:
        return "starts later"
    return "cut"


@pytest.mark.parametrize("cause", FAULTS)
def test_without_the_fault_the_next_cycle_starts_what_its_cause_claims(
    cause: str, request: pytest.FixtureRequest
) -> None:
    counts = Counter[str]()
    for seed in range(request.config.getoption("--balance-cases")):
        pool = random_pool(seed)
        # A drawn constraint would be replaced by the fault.
        if pool.central is not None and not pool.central.value(CONSTRAINT):
            counts[outcome(pool, FAULTS[cause](pool, Random(seed)), cause)] += 1
    claims = sum(counts.values()) - counts["no claim"]
    assert counts["cut"] <= max(1, _MOST_CUT * claims), counts


def test_the_recorded_drain_would_start_what_it_claims() -> None:
    """On the real pool the jobs started on b1.test after condor_drain -cancel."""
    found = balanced(pool_at(GOLDEN / "drained" / "half-the-weight-drained.tar.gz"))
    drained = found.of("drained")
    assert drained is not None
    assert (drained.amounts.weight, drained.amounts.cpus) == (192, 64)
    assert (drained.wanted.cpus, drained.jobs) == (64, 54)
    assert [each.cure for each in found.todo] == ["condor_drain -cancel b1.test"]
    assert {each.name for each in found.below} == {"physics.hep", "chem", "biology"}
    assert {each.held_by[0].name for each in found.below} == {"drained"}
