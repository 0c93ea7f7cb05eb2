"""What holds for every fleet: sums over kinds, the range while busy, and what a linear weight conserves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.capacity.choice import LINEAR, Choice
from htcq.capacity.fill import Filling
from htcq.capacity.fleet import FleetPlan, plan_fleet
from htcq.capacity.fleet_node import FleetNode, kinds_of
from htcq.capacity.layout import SlotType, lay_out
from htcq.capacity.shape import Shape
from htcq.errors import ModelError
from htcq.node import Node
from tests.properties.strategies import choices

NEAR = 1e-6


@st.composite
def small_nodes(draw: st.DrawFn) -> Node:
    """A node that is filled fast."""
    cpus, memory = draw(st.integers(1, 12)), draw(st.integers(500, 40_000))
    return Node(cpus, memory, 10**8, gpus=draw(st.sampled_from((0, 0, 2))))


@st.composite
def fleets(draw: st.DrawFn) -> tuple[list[FleetNode], Choice]:
    """A few nodes under one choice of a model that all of them can carry."""
    nodes = draw(st.lists(small_nodes(), min_size=1, max_size=4))
    choice = draw(choices(draw(st.sampled_from(nodes))))
    found = [
        made
        for made in (_made(f"node{number}", node, choice) for number, node in enumerate(nodes))
        if made
    ]
    return found or [FleetNode("one", nodes[0], lay_out(nodes[0], (SlotType(Choice()),)))], choice


def _made(name: str, node: Node, choice: Choice) -> FleetNode | None:
    """Return a node of the fleet; None where it cannot carry the model."""
    try:
        return FleetNode(name, node, lay_out(node, (SlotType(choice),)))
    except ModelError:
        return None


@st.composite
def job_shapes(draw: st.DrawFn) -> list[Shape]:
    """One to three shapes of jobs."""
    amounts: Any = st.fixed_dictionaries(
        {"cpus": st.integers(1, 6), "memory": st.integers(1, 20_000), "disk": st.integers(1, 10**6)}
    )
    return [
        Shape(each, draw(st.integers(1, 3)))
        for each in draw(st.lists(amounts, min_size=1, max_size=3))
    ]


@given(fleet=fleets(), shapes=job_shapes())
def test_a_fleet_is_the_sum_of_its_nodes(
    fleet: tuple[list[FleetNode], Choice], shapes: list[Shape]
) -> None:
    nodes, _ = fleet
    plan = plan_fleet(nodes, shapes)

    assert plan.nodes == len(nodes)
    assert plan.weight == pytest.approx(sum(node.weight() for node in nodes))
    assert plan.weight == pytest.approx(sum(kind.weight for kind in plan.kinds))
    assert sorted(name for kind in plan.kinds for name in kind.nodes) == sorted(
        node.name for node in nodes
    )
    assert len({kind.name for kind in plan.kinds}) == len(plan.kinds) == len(kinds_of(nodes))


@given(fleet=fleets(), shapes=job_shapes())
def test_the_range_holds_the_empty_pool_and_every_fill(
    fleet: tuple[list[FleetNode], Choice], shapes: list[Shape]
) -> None:
    plan = plan_fleet(fleet[0], shapes)
    low, high = plan.busy()

    assert low - NEAR <= plan.weight <= high + NEAR
    for number in range(len(shapes) + 3):
        busy = sum(_busy_with(plan, kind, number) for kind in range(len(plan.kinds)))
        assert low - NEAR <= busy <= high + NEAR


def _busy_with(plan: FleetPlan, kind: int, number: int) -> float:
    """Return what the nodes of a kind weigh when they are filled in one of the ways."""
    one = plan.kinds[kind]
    grown = 0.0
    for slot_plan in one.slots:
        fill = slot_plan.fills[number]
        grown += (
            fill.weight_left + fill.standing_charge - slot_plan.weight
        ) * slot_plan.slot.type.count
    return one.weight + grown * one.count


@given(fleet=fleets(), shapes=job_shapes())
def test_a_full_slot_takes_no_more_of_the_mix(
    fleet: tuple[list[FleetNode], Choice], shapes: list[Shape]
) -> None:
    (slot_plan,) = plan_fleet(fleet[0], shapes).kinds[0].slots
    filling = Filling(slot_plan.slot.charges(), shapes)
    for index, count in enumerate(slot_plan.in_order.running):
        assert count <= slot_plan.jobs[index].fits
    filling.run(lambda running, fits: next((i for i, each in enumerate(fits) if each), None))

    assert not any(filling.place(index) for index in range(len(shapes)))


@given(fleet=fleets(), shapes=job_shapes())
def test_a_linear_weight_is_conserved(
    fleet: tuple[list[FleetNode], Choice], shapes: list[Shape]
) -> None:
    nodes, choice = fleet
    plan = plan_fleet(nodes, shapes)
    if choice.preset or choice.kind != LINEAR:
        return
    assert plan.busy() == pytest.approx((plan.weight, plan.weight), rel=1e-12, abs=1e-5)
    for kind in plan.kinds:
        for slot_plan in kind.slots:
            for job in slot_plan.jobs:
                assert job.fill.max_factor == 1
                assert not job.fits or 0 <= job.gap[1] < 1 or job.schedd_weight == 1
