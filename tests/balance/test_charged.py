"""What consumption policies take, and how many claims START lets be: neither is for nobody, nor a later cycle's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from htcq.balance.balance import Balance
from htcq.pool.pool import Pool
from htcq.why.choice import all_idle
from htcq.why.match_failure import MatchFailure
from htcq.why.verdict import Verdicts
from tests.audit.sites import (
    Text,
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    pool,
    schedd,
    slot,
    submitter,
)
from tests.balance.pools import check

_FULL = (
    slot("slot1@full", Cpus=0, Memory=0, NumDynamicSlots=8),
    *(dynamic_slot(f"slot1_{each}@full", Memory=2048) for each in range(1, 9)),
)
_FEW = "(NumDynamicSlots ?: 0) < 2"


def waiting(*slots: str, others: Sequence[str] = (), **asks: Text) -> Pool:
    """Return a pool of ``slots`` where four jobs wait beside ``others``."""
    jobs = [job(f"1.{proc}", ScheddName='"access1"', **asks) for proc in range(4)]
    asking = submitter(IdleJobs=4, WeightedIdleJobs=4)
    return pool(*slots, asking, schedd(), negotiator(), jobs=[*jobs, *others], config="")


def first_of(given: Pool) -> MatchFailure:
    """Return the first reason of the last of the idle jobs."""
    return Verdicts(given).on(all_idle(given.jobs or ()))[-1].walls[0]


def cpus_of(found: Balance) -> dict[str, int | float]:
    """Return the cores of each cause."""
    return {each.cause: each.amounts.cpus for each in found.by if each.amounts.cpus}


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ({"ConsumptionMemory": "TARGET.NoSuch"}, "ConsumptionMemory is not a number"),
        ({"ConsumptionMemory": "32768"}, "it takes 32 GiB memory for a request of 1 GiB memory"),
        ({"ConsumptionGPUs": "8"}, "it takes 8 GPUs for a request of 0 GPUs"),
    ],
)
def test_a_policy_that_gives_no_job_a_slot_is_to_be_lifted(own: dict[str, Text], why: str) -> None:
    given = waiting(*_FULL, policy_slot(**own))
    found = check(given)
    assert cpus_of(found) == {"running": 8, "consumption": 4, "unwanted": 4}
    assert [(each.cause, each.behind) for each in found.faults] == [("consumption", 4)]
    assert (first_of(given).id, why in first_of(given).text) == ("consumption", True)


def test_a_policy_that_serves_smaller_jobs_is_at_fault_only_where_nothing_else_serves() -> None:
    """Rounded up to 8 GiB, 10 GB are too much for 12 GiB, and not for the machine that is full."""
    rounds: dict[str, Text] = {
        "ConsumptionMemory": "quantize(max({1, TARGET.RequestMemory ?: 0}), 8192)"
    }
    large = policy_slot("slot1@full", Cpus=0, Memory=0, NumDynamicSlots=8, **rounds)
    small = policy_slot(Memory=12288, TotalSlotMemory=12288, **rounds)
    given = waiting(large, *_FULL[1:], small, RequestMemory=10000)
    assert [each.cause for each in check(given).faults] == ["consumption"]
    # A small job runs, and such jobs would have the small machine.
    running = job(
        "9.0", JobStatus=2, CurrentHosts=1, RemoteHost='"slot1_1@full"', ScheddName='"access1"'
    )
    found = check(waiting(large, *_FULL[1:], small, others=[running], RequestMemory=10000))
    assert found.of("consumption") is not None
    assert not found.faults


def test_what_a_policy_takes_is_not_what_the_job_asks_for() -> None:
    charging = policy_slot(GPUs=4, TotalSlotGPUs=4, ConsumptionGPUs="8 * (TARGET.RequestGPUs ?: 0)")
    given = waiting(charging, RequestGPUs=1)
    assert check(given).of("consumption")
    first = first_of(given)
    assert first.text == "the consumption policy takes 8 GPUs for it; the largest slot has 4 GPUs"
    assert (first.id, first.lifted_by) == ("consumption", "ConsumptionGPUs of the execution points")


def test_a_rest_that_is_less_than_a_policy_takes_is_in_no_pieces() -> None:
    """The end of the running job is enough for one of them: that is no fault."""
    charging = policy_slot(
        Cpus=7, Memory=15360, Disk=20000000 - 1024, NumDynamicSlots=1, GPUs=1, TotalSlotGPUs=3,
        ConsumptionGPUs="2 * (TARGET.RequestGPUs ?: 0)",
    )  # fmt: skip
    found = check(waiting(charging, dynamic_slot(GPUs=2, TotalSlotGPUs=2), RequestGPUs=1))
    assert cpus_of(found) == {"running": 1, "consumption": 1, "stranded": 6}
    assert not found.faults


@pytest.mark.parametrize("kind", [policy_slot, slot])
def test_what_start_takes_beside_so_many_claims_is_left_to_no_later_cycle(kind: type[str]) -> None:
    given = waiting(kind(Start=_FEW))
    found = check(given)
    assert cpus_of(found) == {"starting": 2, "start-is-full": 2, "unwanted": 4}
    assert found.is_sound
    assert first_of(given).id == "outranked"


def test_a_drained_machine_claims_no_more_starts_than_start_takes_together() -> None:
    away: dict[str, Text] = {"State": '"Drained"', "Draining": "true"}
    drained = check(waiting(policy_slot(Start=_FEW, **away))).of("drained")
    assert drained is not None
    assert (drained.gain.started, drained.gain.jobs) == (2, 2)


def test_a_dynamic_slot_that_nobody_has_is_matched_as_any_other() -> None:
    free: dict[str, Text | None] = {
        "State": '"Unclaimed"', "Activity": '"Idle"', "AccountingGroup": None, "RemoteUser": None,
    }  # fmt: skip
    parent = slot(Cpus=7, Memory=15360, Disk=20000000 - 1024, NumDynamicSlots=1)
    found = check(waiting(parent, dynamic_slot(**free)))
    assert cpus_of(found)["starting"] == 4
