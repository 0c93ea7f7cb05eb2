"""Which weights are linear, whatever their text is; the prices follow from the arithmetic of the expressions."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from htcq.audit.linear import prices
from htcq.pool.slot_class import slot_classes
from tests.audit.sites import policy_slot, pool, slot


def of(weight: str, **changes: str | int) -> Mapping[str, float] | None:
    (kind,) = slot_classes(pool(policy_slot(SlotWeight=weight, **changes)).slots or ())
    return prices(kind)


def test_each_asset_has_the_price_of_one_unit() -> None:
    found = of("Cpus + Memory / 4096.0 + 8 * (GPUs ?: 0)", GPUs=4, TotalSlotGPUs=4)
    assert found == {"cpus": 1, "memory": 1 / 4096, "disk": 0, "gpus": 8}


def test_a_slot_without_gpus_has_no_price_for_them() -> None:
    assert of("Cpus + 8 * (GPUs ?: 0)") == {"cpus": 1, "memory": 0, "disk": 0, "gpus": 0}


@pytest.mark.parametrize(
    "weight",
    [
        "Cpus",
        "100 * Cpus",
        "0.1 * Cpus + Memory / 3000.0",
        "Memory / 1024.0",
        "Cpus + Disk / 1000000.0",
        "(2 + 1) * Cpus",
    ],
)
def test_sums_of_multiples_are_linear(weight: str) -> None:
    assert of(weight) is not None


@pytest.mark.parametrize(
    "weight",
    [
        "min({Cpus, Memory / 2048.0})",
        "max({Cpus, Memory / 2048.0})",
        "floor(Memory / 1024)",
        "ceiling(Memory / 1000.0) + Cpus",
        "Cpus * Cpus",
        "Cpus + 1",
        "4",
        "8 - Cpus",
        "TotalSlotCpus",
        "ifThenElse(DynamicSlot =?= true, 2 * Cpus, Cpus)",
        "NoSuchThing",
        '"heavy"',
    ],
)
def test_others_are_not(weight: str) -> None:
    assert of(weight) is None


def test_the_text_does_not_matter() -> None:
    given = slot(
        SlotWeight="Base + MemoryPart", Base="Cpus", MemoryPart="quantize(Memory, {1}) / 2048.0"
    )
    (kind,) = slot_classes(pool(given).slots or ())
    assert prices(kind) is None, "attributes that a snapshot does not keep cannot be evaluated"
