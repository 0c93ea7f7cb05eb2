"""Capacity of groups by cause, and when what others hold may be back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.balance.balance import Balance
from htcq.balance.causes import RUNNING
from htcq.balance.groups import GroupBalance
from htcq.pool.weights import Weights
from htcq.poolquota.group_status import statuses_of
from htcq.poolquota.pool_quotas import PoolQuotas
from tests.audit.sites import (
    dynamic_slot,
    job,
    negotiator,
    pool,
    schedd,
    slot,
    submitter,
)
from tests.balance.pools import GOLDEN, balanced, check, pool_at

NOW = 1_800_000_000
#: For how many seconds each of the four jobs of the other group runs.
AGES = (100, 200, 400, 4000)


def site(worklife: str = "0", **changes: str | int) -> Balance:
    """Return the balance of a pool in which b holds 4 of the 8 that a is due, and a has nothing."""
    claims = [
        dynamic_slot(
            f"slot1_{number}@node1", "b.ben@site", Cpus=2, TotalSlotCpus=2,
            EnteredCurrentState=NOW - 5000, EnteredCurrentActivity=NOW - age,
        )
        for number, age in enumerate(AGES)
    ]  # fmt: skip
    queue = [
        job(f"1.{number}", AccountingGroup='"a.ada"', ScheddName='"access1"', **changes)
        for number in range(8)
    ]
    asking = submitter("a.ada@site", IdleJobs=8, WeightedIdleJobs=8)
    holding = submitter("b.ben@site", IdleJobs=0, RunningJobs=4, WeightedRunningJobs="8.0")
    config = (
        "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 8\nGROUP_QUOTA_b = 2\nGROUP_ACCEPT_SURPLUS = True\n"
        f"CLAIM_WORKLIFE = {worklife}\n"
    )
    full = slot("slot1@node1", Cpus=0, NumDynamicSlots=4)
    given = pool(full, *claims, asking, holding, schedd(), negotiator(), jobs=queue, config=config)
    return check(replace(given, taken_at="2027-01-15T08:00:00+00:00"))


def of(found: Balance, name: str) -> GroupBalance:
    return next(each for each in found.groups if each.name == name)


def test_a_group_has_its_claims_by_cause() -> None:
    found = site()
    (running,) = of(found, "b").by
    assert (running.cause, running.amounts.weight, running.slots) == (RUNNING, 8, 4)
    assert of(found, "a").by == ()


@pytest.mark.parametrize(
    ("worklife", "back"),
    [
        # b is 6 above its quota: when three of its claims have ended. They last as long again.
        ("0", NOW + 400),
        # None ends before CLAIM_WORKLIFE: they go on with further jobs.
        ("6000", NOW + 1000),
        ("-1", None),
    ],
)
def test_when_it_may_be_back_comes_from_the_age_of_claims(
    worklife: str, back: float | None
) -> None:
    short = of(site(worklife), "a")
    (holder,) = short.held_by
    assert (short.below, holder.name, holder.amount) == (8, "b", 6)
    assert (holder.since, holder.returns_at) == (NOW - 5000, back)
    assert holder.returns == "as its 4 claims end, for jobs that fit there"


def test_the_end_of_small_claims_is_no_promise_to_larger_jobs() -> None:
    short = of(site("0", RequestCpus=4), "a")
    (holder,) = short.held_by
    assert (holder.fits, holder.returns_at) == (False, None)
    assert holder.returns == (
        "only when claims on 4 cores of one machine end together (4 claims, 2 cores the largest)"
    )


def test_what_a_group_would_use_of_closed_slots_is_its_gain() -> None:
    given = pool(
        slot("slot1@node1", State='"Drained"', Draining=True, Requirements=False),
        submitter("a.ada@site", IdleJobs=2, WeightedIdleJobs=2),
        submitter("b.ben@site", IdleJobs=1, WeightedIdleJobs=1),
        schedd(),
        negotiator(),
        jobs=[
            *(job(f"1.{n}", AccountingGroup='"a.ada"', ScheddName='"access1"') for n in range(2)),
            job("2.0", AccountingGroup='"b.ben"', ScheddName='"access1"'),
        ],
        config="GROUP_NAMES = a, b\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_b = 4\n",
    )
    found = check(given)
    gains = {name: of(found, name).by[0].gain.jobs for name in ("a", "b")}
    assert gains == {"a": 2, "b": 1}
    assert sum(gains.values()) == found.by[0].gain.jobs


def test_what_holds_a_quota_is_the_same_amount_without_the_jobs() -> None:
    """Quota says 192 of the drained machine, whatever part of it the waiting jobs would use (85)."""
    given = pool_at(GOLDEN / "drained" / "half-the-weight-drained.tar.gz")
    of_quota = {each.name: each.held_by for each in statuses_of(PoolQuotas(given, Weights()))}
    for each in balanced(given).below:
        assert [(one.name, one.amount) for one in each.held_by] == [("drained", 192)]
        assert of_quota[each.name] == each.held_by
