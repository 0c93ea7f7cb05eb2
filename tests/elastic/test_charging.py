from __future__ import annotations

import pytest

from htcq.elastic.observation import ElasticObservation, observe
from tests.audit.sites import job, policy_slot, pool, slot, static_slot
from tests.elastic.quotas import group, quotas

ONE = quotas(group("a", {"cpus": 1}, {"cpus": 8}))
SMALL = job(RequestCpus=1, RequestMemory=1000, RequestDisk=1000, AccountingGroup='"a.ada"')


def charge(*slots: str, config: str | None = None, asked: str = SMALL) -> dict[str, int]:
    """Return the amounts of a claim of a small job."""
    seen: ElasticObservation = observe(pool(*slots, jobs=[asked], config=config), ONE)
    (idle,) = seen.idle
    return dict(idle.amounts)


def test_a_request_is_rounded_as_the_startd_does_by_default() -> None:
    assert charge(slot()) == {"cpus": 1, "memory": 1024, "disk": 1024, "weight": 1000}


def test_a_consumption_policy_takes_what_it_says() -> None:
    taken = charge(policy_slot(ConsumptionCpus="2", ConsumptionMemory="4096"))

    # The startd rounds the request for 1000 KiB before the policy sees it.
    assert taken == {"cpus": 2, "memory": 4096, "disk": 1024, "weight": 2000}


def test_a_claim_of_a_static_slot_is_all_of_it() -> None:
    assert charge(static_slot(Disk=5000, TotalSlotDisk="5000.0", SlotWeight="Memory / 1024.0")) == {
        "cpus": 1,
        "memory": 2048,
        "disk": 5000,
        "weight": 2000,
    }


@pytest.mark.parametrize(
    ("config", "weight"),
    [
        ("SLOT_WEIGHT = 7\n", 3000),
        ("SLOT_WEIGHT = 7\nFORCE_NEGOTIATOR_SLOT_WEIGHT = True\n", 7000),
        ("NEGOTIATOR_USE_SLOT_WEIGHTS = False\n", 1000),
    ],
)
def test_a_claim_weighs_what_the_accountant_reckons_with(config: str, weight: int) -> None:
    assert charge(slot(SlotWeight="3 * Cpus"), config=config)["weight"] == weight


def test_where_the_slot_has_no_weight_the_central_managers_counts() -> None:
    assert charge(slot(SlotWeight=None), config="SLOT_WEIGHT = 2 * Cpus\n")["weight"] == 2000


def test_jobs_are_charged_by_the_slots_that_most_of_them_would_get() -> None:
    """The large node refuses them; of the two others the one that weighs more counts."""
    nodes = [
        slot("slot1@large", TotalSlotCpus=64, Cpus=64, Start="false"),
        policy_slot("slot1@some", TotalSlotCpus=16, Cpus=16, ConsumptionMemory="2048"),
        policy_slot("slot1@few", TotalSlotCpus=8, Cpus=8, ConsumptionMemory="3072"),
    ]
    assert charge(*nodes)["memory"] == 2048


def test_a_claim_without_slots_is_what_the_job_asks_for() -> None:
    seen = observe(pool(jobs=[SMALL]), ONE)

    assert dict(seen.idle[0].amounts) == {"cpus": 1, "memory": 1000, "disk": 1000, "weight": 1000}
    assert "no slots are known: nothing can be shared" in seen.problems
