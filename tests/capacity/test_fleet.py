"""Fleets: the kinds of their nodes, and what jobs cost on each."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.fleet import fleet_shapes, plan_fleet
from htcq.capacity.fleet_node import FleetNode, kinds_of, one_of_each_kind
from htcq.capacity.layout import SlotType, lay_out
from htcq.capacity.shape import Shape
from htcq.node import Node

LINEAR = Choice(weights={"cpus": Fraction(1), "memory": Fraction(1, 4096), "gpus": Fraction(8)})
CLAIMS = Choice(model="minimum-charge", charges={"cpus": Fraction(1), "memory": Fraction(4096)})
#: The pool of mixed hardware on which charges of claims were measured to exceed match costs.
BIOLOGY = Shape({"cpus": 2, "memory": 32768, "disk": 1024})
CHEM = Shape({"cpus": 16, "memory": 4096, "disk": 1024})


def _node(
    name: str, cpus: int, memory: int, choice: Choice = LINEAR, kind: str = "", **facts: Any
) -> FleetNode:
    node = Node(cpus, memory, facts.pop("disk_kb", 10**8), **facts)
    return FleetNode(name, node, lay_out(node, (SlotType(choice),)), kind)


def _mixed(choice: Choice) -> list[FleetNode]:
    return [
        _node("a1", 32, 65536, choice), _node("a2", 32, 65536, choice), _node("b1", 64, 524288, choice),
        _node("c1", 16, 131072, choice, gpus=4),
    ]  # fmt: skip


def test_nodes_of_equal_hardware_are_of_one_kind() -> None:
    """Machines of one kind differ by some MB of memory, and by more of disk."""
    nodes = [
        _node("one", 32, 64210),
        _node("other", 32, 64150, disk_kb=130_000_000),
        _node("large", 64, 64210),
    ]

    assert {name: [node.name for node in members] for name, members in kinds_of(nodes).items()} == {
        "32 cpus, 63 GiB": ["one", "other"],
        "64 cpus, 63 GiB": ["large"],
    }


@pytest.mark.parametrize(
    ("nodes", "names"),
    [
        ([_node("g", 16, 131072, gpus=4)], ["16 cpus, 128 GiB, 4 gpus"]),
        ([_node("s", 2, 2000, custom={"licences": 3})], ["2 cpus, 2000 MiB, 3 licences"]),
        ([_node("g", 16, 131072, kind="gpu", gpus=4)], ["gpu"]),
        (
            [
                _node("g", 16, 131072, kind="gpu", gpus=4),
                _node("h", 16, 131072, kind="gpu", gpus=8),
            ],
            ["gpu: 16 cpus, 128 GiB, 4 gpus", "gpu: 16 cpus, 128 GiB, 8 gpus"],
        ),
        (
            [_node("d", 8, 16384), _node("e", 8, 16384, disk_kb=2**31)],
            ["8 cpus, 16 GiB, 95 GiB disk", "8 cpus, 16 GiB, 2048 GiB disk"],
        ),
    ],
)
def test_kinds_have_names_that_tell_them_apart(nodes: list[FleetNode], names: list[str]) -> None:
    assert list(kinds_of(nodes)) == names
    assert len(one_of_each_kind(nodes)) == len(names)


def test_a_linear_weight_is_the_same_empty_and_busy() -> None:
    plan = plan_fleet(_mixed(LINEAR), [BIOLOGY, CHEM])

    assert (plan.nodes, len(plan.kinds)) == (4, 3)
    assert plan.weight == sum(kind.weight for kind in plan.kinds) == 368
    assert plan.busy() == pytest.approx((368, 368), abs=1e-6)
    worst, leakiest = plan.worst(), plan.leakiest()
    assert worst is not None
    assert leakiest is not None
    assert (worst.factor, leakiest.factor) == (1, 1)


def test_claims_on_mixed_hardware_weigh_more_than_the_empty_pool() -> None:
    """On real daemons this pool weighed 112 empty and 214 busy, and biology ran 112 on a quota of 40: x2.8."""
    plan = plan_fleet(_mixed(CLAIMS), [BIOLOGY, CHEM])
    low, high = plan.busy()

    assert (plan.weight, low) == (112, 112)
    assert 214 <= high <= 224
    alone = plan_fleet(_mixed(CLAIMS), [BIOLOGY]).worst()
    assert alone is not None
    assert (alone.factor, alone.kind) == (4, "64 cpus, 512 GiB")


def test_fits_and_what_is_left_count_all_nodes_of_a_kind() -> None:
    (kind,) = plan_fleet(
        _mixed(LINEAR)[:2], [Shape({"cpus": 10, "memory": 1024, "disk": 1024})]
    ).kinds

    assert kind.fits(0) == 6
    assert kind.running() == (6,)
    assert kind.stranded()["cpus"] == 4
    assert kind.stranded()["memory"] == 2 * (65536 - 3 * 1024)
    assert kind.stranded_weight() == pytest.approx(4 + kind.stranded()["memory"] / 4096)


def test_the_empty_weight_is_that_of_every_node() -> None:
    """The kind is planned on its smallest node; what the others have more is not lost."""
    nodes = [_node("one", 32, 65536), _node("other", 32, 65600)]
    (kind,) = plan_fleet(nodes, [BIOLOGY]).kinds

    assert kind.amounts["memory"] == 65536
    assert kind.weight == pytest.approx(2 * 32 + (65536 + 65600) / 4096)


def test_typical_jobs_are_the_same_for_all_kinds() -> None:
    shapes = [shape.amounts for shape in fleet_shapes(_mixed(LINEAR))]

    assert shapes[0] == {"cpus": 1, "memory": 128, "disk": 1024 * 1024}
    # The even share of the median node, and the whole of the smallest.
    assert shapes[1]["memory"] == 8192
    assert {"cpus": 16, "memory": 131072, "disk": 1024 * 1024} in shapes
    assert any(shape.get("gpus") for shape in shapes)


def test_slots_of_several_types_are_added_up() -> None:
    half = {"cpus": Fraction(1, 2), "memory": Fraction(1, 2), "disk": Fraction(1, 2)}
    node = Node(8, 16384, 10**8)
    fleet = [FleetNode("n", node, lay_out(node, (SlotType(LINEAR, 1, 2, half),)))]
    (kind,) = plan_fleet(fleet, [Shape({"cpus": 3, "memory": 1024, "disk": 1024})]).kinds

    assert kind.name == "8 cpus, 16 GiB, 2 slots"
    assert kind.weight == 12
    assert kind.fits(0) == 2
    assert kind.stranded()["cpus"] == 2


def test_what_only_some_nodes_have_is_asked_of_those() -> None:
    nodes = [_node("with", 8, 16384, custom={"licences": 3}), _node("without", 8, 16384)]
    plan = plan_fleet(nodes, [Shape({"cpus": 1, "memory": 1024, "disk": 1024, "licences": 1})])

    assert {kind.name: kind.fits(0) for kind in plan.kinds} == {
        "8 cpus, 16 GiB, 3 licences": 3,
        "8 cpus, 16 GiB": 0,
    }
    (slot_plan,) = plan.kinds[1].slots
    assert slot_plan.jobs[0].problems == (
        "can never match: asks for 1 of licences, the slot has none",
    )
