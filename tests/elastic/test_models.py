from __future__ import annotations

import pytest

from htcq.elastic.models import Models
from htcq.elastic.observation import ElasticObservation, observe
from tests.audit.sites import job, pool, slot
from tests.elastic.quotas import A100, V100, claimed, device, group, node, quotas, running

CARDS = quotas(group("physics", {}, {"cpus": 8, "gpus": 8, "gpus:a100": 4, "gpus:v100": 4}))
MIXED = {**device(1, A100, 8.0), **device(2, A100, 8.0), **device(3, V100, 7.0)}


def gpu_node(name: str, gpus_left: int, **more: object) -> str:
    return node(name, GPUs=gpus_left, **{"TotalSlotGPUs": gpus_left, **more})


def gpus(amounts: object) -> dict[str, int]:
    assert isinstance(amounts, dict)
    return {name: amount for name, amount in amounts.items() if name.startswith("gpus")}


@pytest.mark.parametrize(
    ("declared", "name", "dimension"),
    [
        ((), A100, "gpus:a100-sxm4-40gb"),
        (("gpus:a100",), A100, "gpus:a100"),
        (("gpus:a100", "gpus:a100-40gb"), A100, "gpus:a100-40gb"),
        (("gpus:v100",), A100, "gpus:a100-sxm4-40gb"),
        (("gpus:A100",), A100, "gpus:A100"),
        ((), "Tesla", "gpus:tesla"),
    ],
)
def test_a_model_has_the_dimension_that_names_it_most_precisely(
    declared: tuple[str, ...], name: str, dimension: str
) -> None:
    assert Models(declared, ()).dimension(name) == dimension


def test_slots_of_one_model_and_of_several_are_counted_by_model() -> None:
    given = pool(
        gpu_node("one", 2, GPUs_DeviceName=f'"{V100}"'),
        gpu_node("mixed", 3, **MIXED),
        gpu_node("none", 0),
        jobs=[],
    )
    assert gpus(observe(given, CARDS).demand.total) == {"gpus": 5, "gpus:a100": 2, "gpus:v100": 3}


def test_a_divided_slot_that_tells_only_of_its_free_devices_is_counted_with_those_of_its_parts() -> (
    None
):
    free = device(3, V100, 7.0)
    given = pool(
        gpu_node("mixed", 1, TotalSlotGPUs=3, **free),
        claimed(
            1,
            "physics.ada@site",
            node="mixed",
            GPUs=2,
            **device(1, A100, 8.0),
            **device(2, A100, 8.0),
        ),
        jobs=[],
    )
    seen = observe(given, CARDS)

    assert gpus(seen.demand.total) == {"gpus": 3, "gpus:a100": 2, "gpus:v100": 1}
    assert gpus(seen.demand.used["physics"]) == {"gpus": 2, "gpus:a100": 2}


def test_devices_that_say_nothing_of_their_model_count_as_gpus_alone() -> None:
    seen = observe(pool(gpu_node("mute", 2), jobs=[]), CARDS)

    assert gpus(seen.demand.total) == {"gpus": 2, "gpus:a100": 0, "gpus:v100": 0}
    assert "2 GPUs have a model that no ad shows: they count as gpus only" in seen.problems


def asked(**request: object) -> ElasticObservation:
    """Return a pool of both models in which one job asks for a GPU."""
    attributes = {"RequestGPUs": 1, "AccountingGroup": '"physics.ada"', **request}
    nodes = (
        gpu_node("new", 2, GPUs_DeviceName=f'"{A100}"', **device(1, A100, 8.0)),
        gpu_node("old", 1, GPUs_DeviceName=f'"{V100}"', **device(2, V100, 7.0)),
    )
    return observe(pool(*nodes, jobs=[job("1.0", **attributes)]), CARDS)


@pytest.mark.parametrize(
    ("request_", "models"),
    [
        ({}, {}),
        ({"RequireGPUs": "Capability >= 8"}, {"gpus:a100": 1}),
        ({"RequireGPUs": "Capability < 8"}, {"gpus:v100": 1}),
        ({"RequireGPUs": f'DeviceName == "{V100}"'}, {"gpus:v100": 1}),
        ({"RequireGPUs": "Capability > 1"}, {}),
        ({"Requirements": f'TARGET.GPUs_DeviceName == "{A100}"'}, {"gpus:a100": 1}),
    ],
)
def test_a_job_asks_for_a_model_if_no_other_would_do(
    request_: dict[str, object], models: dict[str, int]
) -> None:
    seen = asked(**request_)

    assert gpus(seen.demand.request["physics"]) == {"gpus": 1, **models}
    assert seen.problems == ()


def test_a_job_that_asks_for_what_no_slot_has_is_told_of() -> None:
    seen = asked(RequireGPUs="Capability >= 9")

    assert gpus(seen.demand.request["physics"]) == {"gpus": 1}
    assert (
        "1 idle jobs request a GPU that no slot has: they count as requests of gpus only"
        in seen.problems
    )


def test_a_running_job_holds_the_model_that_its_slot_has() -> None:
    given = pool(
        gpu_node("one", 1, TotalSlotGPUs=2, GPUs_DeviceName=f'"{V100}"'),
        claimed(1, "physics.ada@site", node="one", GPUs=1, GPUs_DeviceName=f'"{V100}"'),
        slot("slot1@plain"),
        jobs=[running("1.0", "slot1_1@one", AccountingGroup='"physics.ada"', RequestGPUs=1)],
    )
    assert gpus(observe(given, CARDS).demand.used["physics"]) == {"gpus": 1, "gpus:v100": 1}
