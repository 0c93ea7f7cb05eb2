"""What a new submitter begins with, in the accountant's order (Accountant.cpp:GetPriorityFactor, 25.14)."""

from __future__ import annotations

import pytest

from htcq.pool.weights import Weights
from htcq.poolquota.factors import new_factor
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.knobs import Knobs
from tests.audit.sites import accounting, negotiator, pool, slot, submitter

ALL = {
    "DEFAULT_PRIO_FACTOR": "10",
    "NICE_USER_PRIO_FACTOR": "1e6",
    "REMOTE_PRIO_FACTOR": "5000",
    "ACCOUNTANT_LOCAL_DOMAIN": "site",
    "GROUP_PRIO_FACTOR_physics": "77",
}


@pytest.mark.parametrize(
    ("submitter", "group", "factor"),
    [
        ("nice-user.physics.ada@site", "physics", 1e6),
        ("physics.ada@elsewhere", "physics", 77),
        ("ada@elsewhere", "<none>", 5000),
        ("ada@site", "<none>", 10),
    ],
)
def test_the_order_of_the_factors(submitter: str, group: str, factor: float) -> None:
    assert new_factor(Knobs(ALL), submitter, group) == factor


@pytest.mark.parametrize(
    ("knobs", "factor"),
    [
        ({}, 1000),
        ({"ACCOUNTANT_LOCAL_DOMAIN": "elsewhere"}, 1e7),
        ({"REMOTE_PRIO_FACTOR": "5"}, 1000),
        ({"DEFAULT_PRIO_FACTOR": "20 of them"}, 20),
        ({"DEFAULT_PRIO_FACTOR": "many"}, 1),
        ({"DEFAULT_PRIO_FACTOR": "0.2"}, 1),
    ],
)
def test_what_is_not_set_and_what_is_no_number(knobs: dict[str, str], factor: float) -> None:
    """The knobs are read by atof(3), and no factor is less than 1."""
    assert new_factor(Knobs(knobs), "ada@site", "<none>") == factor


def test_a_priority_follows_usage_from_the_last_cycle_on() -> None:
    """One halflife after it, half of 8 and half of 2 are 5; a new user has the best priority, whatever the time."""
    ads = (
        accounting(
            "ada@site",
            Priority=8000.0,
            PriorityFactor=1000.0,
            WeightedResourcesUsed=2.0,
            LastHeardFrom=1600,
        ),
        negotiator("manager", LastNegotiationCycleTime0=1000),
        slot(LastHeardFrom=1600),
    )
    given = pool(*ads, submitter("ada@site", LastHeardFrom=1600), submitter("ben@site"),
                 config="PRIORITY_HALFLIFE = 600\n")  # fmt: skip
    quotas = PoolQuotas(given, Weights())

    assert quotas.priority("ada@site") == 5000
    assert quotas.priority("ben@site") == 500
