"""What holds again when a lease is over (Accountant.cpp, CheckFloorLeases …, 25.14); attributes as 25.14.1 has them."""

from __future__ import annotations

import pytest

from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from tests.audit.sites import Text, accounting, pool, slot, submitter

NOW = 1_700_000_000


def account(**lease: Text) -> PoolQuotas:
    ads = [
        slot(),
        submitter("ada@site", LastHeardFrom=NOW),
        accounting("ada@site", Priority=40.0, **lease),
    ]
    given = pool(*ads, config="A = 1\n")
    return PoolQuotas(given, Weights(), "")


@pytest.mark.parametrize(
    ("until", "ceiling", "floor"), [(NOW + 1, 3, 2), (NOW - 1, 7, None), (NOW, 7, None), (0, 3, 2)]
)
def test_a_ceiling_and_a_floor_are_back_after_their_leases(
    until: int, ceiling: int, floor: int | None
) -> None:
    lease = {"Ceiling": 3, "CeilingLeaseExpiration": until, "CeilingPreLeaseValue": 7}
    quotas = account(Floor=2, FloorLeaseExpiration=until, FloorPreLeaseValue=0, **lease)
    claimant = quotas.claimant(quotas.submitters[0])

    assert (claimant.ceiling, claimant.floor) == (ceiling, floor)


@pytest.mark.parametrize(
    ("until", "factor", "priority"), [(NOW + 9, 20.0, 40.0), (NOW - 9, 1000.0, 2000.0)]
)
def test_a_factor_is_back_after_its_lease_and_the_priority_follows(
    until: int, factor: float, priority: float
) -> None:
    quotas = account(
        PriorityFactor=20.0, PriorityFactorLeaseExpiration=until, PriorityFactorPreLeaseValue=1000.0
    )

    assert quotas.factor("ada@site") == factor
    assert quotas.priority("ada@site") == pytest.approx(priority)
