"""What a pool has by kind of node: every amount is in exactly one place, and stranded only what waiting jobs would use."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.audit.stock import PoolStock, Stock, stock_of
from htcq.units import CPUS, GPUS, MEMORY
from tests.audit.sites import dynamic_slot, job, pool, slot, static_slot

_WIDE = {"RequestCpus": 2, "RequestMemory": 12000}


def _stock(*ads: str, jobs: tuple[str, ...] | None = ()) -> PoolStock:
    return stock_of(Evidence(pool(*ads, jobs=jobs)))


def test_a_machine_has_the_sum_of_its_slots() -> None:
    found = _stock(slot(Cpus=6, Memory=14336), dynamic_slot(), dynamic_slot("slot1_2@node1"))

    assert found.stocks[CPUS] == Stock(used=2, free=6)
    assert found.stocks[MEMORY] == Stock(used=2048, free=14336)
    assert [(kind.name, kind.machines) for kind in found.kinds] == [("8 cores, 16 GiB", 1)]
    assert found.assets == (CPUS, MEMORY)


def test_machines_with_equal_cpus_and_gpus_and_about_equal_memory_are_one_kind() -> None:
    gpus = {"GPUs": 2, "TotalSlotGPUs": 2, "GPUs_DeviceName": '"A100"'}
    found = _stock(
        slot(),
        slot("slot1@node2", Memory=16300, TotalSlotMemory=16300),
        slot("slot1@node3", **gpus),
        static_slot("slot1@node4"),
        static_slot("slot2@node4"),
    )

    assert {kind.name: kind.machines for kind in found.kinds} == {
        "8 cores, 16 GiB": 2,
        "8 cores, 16 GiB, 2 x A100": 1,
        "2 cores, 4 GiB": 1,
    }
    assert found.stocks[GPUS] == Stock(free=2)


def test_cores_without_the_memory_that_every_waiting_job_needs_are_stranded() -> None:
    poor = slot("slot1@node2", Memory=2048)
    found = _stock(slot(), poor, jobs=(job(MinHosts=1, **_WIDE), job("2.0", **_WIDE)))
    (stranded,) = found.stranded

    assert found.stocks[CPUS] == Stock(free=16, stranded=8)
    assert {each.name: each.short for each in found.machines} == {"node1": (), "node2": ("memory",)}
    # Two jobs would use four cores, not eight.
    assert (stranded.short, stranded.amounts[CPUS]) == (("memory",), 4)


def test_memory_is_not_stranded_where_all_cores_are_used_nor_without_jobs() -> None:
    full = slot(Cpus=0, Memory=8192)

    assert _stock(full, jobs=(job(),)).stocks[MEMORY] == Stock(free=8192)
    assert _stock(slot(Memory=0), jobs=None).stranded == ()


def test_what_no_job_may_use_is_closed() -> None:
    found = _stock(
        slot(State='"Drained"'),
        slot("slot1@node2", Offline="true"),
        static_slot("slot1@node3", State='"Owner"'),
        static_slot("slot1@node4", State='"Claimed"'),
    )

    assert found.stocks[CPUS] == Stock(used=1, closed=17)


def test_backfill_slots_do_not_count_twice() -> None:
    assert _stock(slot(), slot("backfill1@node1", SlotBackfill="true")).stocks[CPUS].whole == 8
