"""Every core and every job is accounted for: sums are exact, and nothing is unexplained."""

from __future__ import annotations

import pytest

from htcq.balance.causes import STARTING
from htcq.pool.pool import Pool
from tests.audit.sites import job, negotiator, pool, schedd, slot, static_slot, submitter
from tests.balance.pools import check, recorded
from tests.why.random_families import Families
from tests.why.random_pools import random_pool

RECORDED = dict(recorded())
#: Random pools are checked in so many at a time.
_EACH = 10


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_pool_adds_up_and_nothing_is_unexplained(name: str) -> None:
    check(RECORDED[name])


def test_random_pools_add_up_and_nothing_is_unexplained(request: pytest.FixtureRequest) -> None:
    for seed in range(request.config.getoption("--balance-cases")):
        check(random_pool(seed))


def test_a_static_slot_is_used_up_by_its_match_beside_slots_with_leftovers() -> None:
    whole = static_slot("slot1@node2", Cpus=4, TotalSlotCpus=4)
    asking = submitter(IdleJobs=9, WeightedIdleJobs=9)
    queue = [job(f"1.{number}", ScheddName='"access1"') for number in range(9)]
    found = check(pool(slot(), whole, asking, schedd(), negotiator(), jobs=queue))

    starting = found.of(STARTING)
    assert starting is not None
    assert (starting.amounts.cpus, starting.slots) == (8 + 4, 2)


def test_jobs_that_a_negotiator_passes_over_depth_first_wait_for_a_later_cycle() -> None:
    """With NEGOTIATOR_DEPTH_FIRST it supposes in a slot what its schedd may not start there."""
    check(random_pool(1383))


def test_what_decides_in_random_families_is_explained_as_well() -> None:
    for seed in range(_EACH):
        found: Pool = random_pool(seed, Families(seed))
        check(found)


def test_a_job_that_its_schedd_ends_at_once_has_started() -> None:
    """Two jobs are matched where MAX_JOBS_RUNNING lets one run; the slots of both are in use."""
    check(random_pool(9147))


def test_a_slot_that_the_negotiator_offers_to_nobody_is_explained() -> None:
    found = check(random_pool(20202, Families(20202)))
    assert found.of("other-access-point") is not None
