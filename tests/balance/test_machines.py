"""What each machine has, by area: every amount is in exactly one place, and the sum is the pool's."""

from __future__ import annotations

from htcq.balance.amounts import Amounts, total_of
from htcq.balance.balance import Balance
from htcq.balance.causes import CAUSES, FRAGMENTED, STRANDED
from htcq.balance.machines import (
    AREAS,
    CLOSED,
    FREE,
    USED,
    MachineBalance,
    area_of,
    by_area,
)
from htcq.why.match_failure import WALLS
from tests.audit.sites import dynamic_slot, job, negotiator, pool, slot, static_slot
from tests.balance.pools import balanced, recorded

_WIDE = {"RequestCpus": 2, "RequestMemory": 12000}


def _of(*ads: str, jobs: tuple[str, ...] | None = ()) -> tuple[Balance, dict[str, MachineBalance]]:
    balance = balanced(pool(*ads, negotiator(), jobs=jobs))
    return balance, {each.name: each for each in balance.machines}


def _cpus(areas: MachineBalance) -> dict[str, float]:
    return {area: float(amounts.cpus) for area, amounts in areas.areas.items() if amounts.cpus}


def test_a_machine_has_the_sum_of_its_slots() -> None:
    balance, found = _of(slot(Cpus=6, Memory=14336), dynamic_slot(), dynamic_slot("slot1_2@node1"))

    assert _cpus(found["node1"]) == {USED: 2, FREE: 6}
    assert found["node1"].areas[USED].memory_mb == 2048
    assert found["node1"].kind == balance.kinds[0].name == "8 cores, 16 GiB"


def test_machines_with_equal_cpus_and_gpus_and_about_equal_memory_are_one_kind() -> None:
    gpus = {"GPUs": 2, "TotalSlotGPUs": 2, "GPUs_DeviceName": '"A100"'}
    balance, found = _of(
        slot(),
        slot("slot1@node2", Memory=16300, TotalSlotMemory=16300),
        slot("slot1@node3", **gpus),
        static_slot("slot1@node4", TotalMemory=4096),
        static_slot("slot2@node4", TotalMemory=4096),
    )

    assert {each.name: each.kind for each in found.values()} == {
        "node1": "8 cores, 16 GiB",
        "node2": "8 cores, 16 GiB",
        "node3": "8 cores, 16 GiB, 2 x A100",
        "node4": "2 cores, 4 GiB",
    }
    assert found["node3"].areas[FREE].gpus == balance.total.gpus == 2


def test_memory_is_named_exactly() -> None:
    balance, _ = _of(slot(Memory=523264, TotalSlotMemory=523264))

    assert [each.name for each in balance.kinds] == ["8 cores, 511 GiB"]


def test_cores_without_the_memory_that_every_waiting_job_needs_are_stranded() -> None:
    poor = slot("slot1@node2", Memory=2048)
    _, found = _of(poor, jobs=(job(**_WIDE), job("2.0", **_WIDE)))

    assert _cpus(found["node2"]) == {STRANDED: 8}
    assert found["node2"].lacks == ("memory",)


def test_cores_in_pieces_are_called_so_and_not_stranded() -> None:
    _, found = _of(slot(Cpus=1), jobs=(job(RequestCpus=4),))

    assert _cpus(found["node1"])[FRAGMENTED] == 1
    assert found["node1"].lacks == ()


def test_what_no_job_may_use_is_closed() -> None:
    _, found = _of(
        slot(State='"Drained"'),
        slot("slot1@node2", Offline="true"),
        static_slot("slot1@node3", State='"Owner"'),
        static_slot("slot1@node4", State='"Claimed"', Activity='"Busy"'),
    )

    areas = total_of(each.areas[CLOSED] for each in found.values())
    assert areas.cpus == 17
    assert _cpus(found["node4"]) == {USED: 1}


def test_backfill_slots_do_not_count_twice() -> None:
    balance, found = _of(slot(), slot("backfill1@node1", SlotBackfill="true"))

    assert _cpus(found["node1"])[FREE] == 8
    assert balance.kinds[0].name == "8 cores, 16 GiB"


def test_every_cause_lies_in_one_area() -> None:
    assert {area_of(cause) for cause in (*CAUSES, *WALLS)} == set(AREAS)


def test_the_areas_of_all_machines_are_the_whole_pool() -> None:
    for name, given in recorded():
        balance = balanced(given)
        whole: Amounts = total_of(total_of(each.areas.values()) for each in balance.machines)
        areas = by_area((each.cause, each.amounts) for each in balance.by)

        assert whole.minus(balance.total).is_nothing, name
        assert total_of(areas.values()).minus(balance.total).is_nothing, name
