"""The plan of a fleet says what ``cost`` computes from the ads of the same machines and what ``simulate`` does there.

Each looks at the model from another side: the plan at the layout of nodes, the match-cost audit
at the slot ads that the startds of such nodes would publish, the simulated cycle at jobs that
come one after another. Fleets, shapes of jobs and weights are random; the seed is in the name of
a case."""

from __future__ import annotations

import random
from typing import Any

import pytest

from htcq.capacity.fleet import FleetPlan, plan_fleet
from htcq.capacity.kinds import Chosen
from htcq.capacity.shape import Shape
from htcq.claims.costs import Charge, costs
from htcq.pool.autocluster import made_up
from htcq.pool.pool import Pool
from htcq.pool.slot_class import slot_classes
from htcq.pool.weights import Weights
from htcq.settings import settings_from
from htcq.simulate.captured_nodes import captured_nodes, startds_of
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.layouts import fleet_of
from htcq.simulate.models import MachineModel, with_models
from htcq.units import attribute
from tests.audit.sites import job, pool, slot, submitter

CASES = 200
NEAR = 1e-6


def _machine(name: str, cpus: int, memory: int, gpus: int) -> str:
    disk = 100_000_000
    return slot(
        f"slot1@{name}", Cpus=cpus, Memory=memory, Disk=disk, GPUs=gpus, TotalSlotCpus=cpus, TotalSlotMemory=memory,
        TotalSlotDisk=f"{disk}.0", TotalSlotGPUs=gpus, TotalCpus=f"{cpus}.0", TotalMemory=memory, TotalDisk=disk,
        TotalGPUs=gpus,
    )  # fmt: skip


def _machines(dice: random.Random) -> list[str]:
    """Return a few machines of one to three kinds."""
    ads = []
    for kind in range(dice.randint(1, 3)):
        cpus = dice.choice((4, 6, 8, 16, 24))
        memory = cpus * dice.choice((1000, 2048, 3963, 8192)) + dice.randint(0, 99)
        gpus = dice.choice((0, 0, 2))
        ads += [
            _machine(f"node{kind}{number}", cpus, memory, gpus)
            for number in range(dice.randint(1, 2))
        ]
    return ads


def _shape(dice: random.Random) -> Shape:
    amounts: dict[str, int | float] = {
        "cpus": dice.choice((1, 1, 2, 4, 8)), "memory": dice.randint(1, 20_000), "disk": dice.randint(1, 10**7),
    }  # fmt: skip
    if dice.random() < 0.3:
        amounts["gpus"] = 1
    return Shape(amounts)


def _model(dice: random.Random) -> dict[str, Any]:
    """Return the [capacity] of a site file: mostly random linear weights, now and then a claim model."""
    if dice.random() < 0.2:
        return {"charge": {"cpus": 1, "memory": f"{dice.randint(200, 3000)}MiB"}}
    weights = {
        "cpus": str(dice.randint(1, 200) / 100),
        "memory": f"{dice.randint(1, 300) / 100}/GiB",
        "gpus": dice.randint(0, 20),
    }
    return {"weights": weights, "scale": dice.choice((1, 1, 10))}


def _job(number: int, shape: Shape) -> str:
    full = shape.full()
    asked = {f"Request{attribute(asset)}": amount for asset, amount in full.items()}
    needs = " && ".join(f"TARGET.{attribute(asset)} >= Request{attribute(asset)}" for asset in full)
    return job(f"1.{number}", Requirements=needs, **asked)


def _planned(given: Pool, capacity: dict[str, Any], shape: Shape) -> FleetPlan:
    types = settings_from({"capacity": capacity}).slot_types
    machines, left_out = captured_nodes(startds_of(given.slots or ()))
    nodes, refused = fleet_of(machines, lambda _: Chosen("", types))
    assert not left_out
    assert not refused
    return plan_fleet(nodes, [shape])


def _charges(given: Pool, shape: Shape) -> dict[str, Charge]:
    """Return what ``cost`` says by the name of the machine."""
    found = costs(
        given, slot_classes(given.slots or ()), (made_up("job", shape.full()),), Weights()
    )
    return {str(slot.machine): charge for charge in found.charges for slot in charge.kind.slots}


@pytest.mark.parametrize("seed", range(CASES))
def test_plan_cost_and_simulate_agree(seed: int) -> None:
    dice = random.Random(seed)
    machines, shape, capacity = _machines(dice), _shape(dice), _model(dice)
    empty = pool(*machines, config="")
    plan = _planned(empty, capacity, shape)
    count = plan.fits(0) + 2
    demand = submitter(IdleJobs=count, WeightedIdleJobs=count)
    queue = [_job(number, shape) for number in range(count)]
    types = settings_from({"capacity": capacity}).slot_types
    modelled = with_models(
        pool(*machines, demand, jobs=queue, config=""), [MachineModel("site.toml", types)]
    )

    charges = _charges(modelled, shape)
    for kind in plan.kinds:
        planned = kind.job(0)
        for name in kind.nodes:
            costed = charges[name]
            expected = (planned.match_cost, planned.standing_charge) if planned.fits else None
            got = None if costed.match_cost is None else (costed.match_cost, costed.standing_charge)
            assert got == (expected and pytest.approx(expected, abs=NEAR)), (capacity, shape, name)

    weights = Weights()
    assert sum(weights.of(each) for each in modelled.slots or ()) == pytest.approx(
        plan.weight, abs=NEAR
    )
    matches = run_cycle(modelled).matches
    full = [(kind.count, plan_.jobs[0].fill) for kind in plan.kinds for plan_ in kind.slots]
    assert len(matches) == plan.fits(0), (capacity, shape)
    cost = sum(count * fill.match_cost for count, fill in full)
    standing = sum(count * fill.standing_charge for count, fill in full)
    assert sum(match.cost for match in matches) == pytest.approx(cost, abs=NEAR)
    assert sum(match.standing for match in matches) == pytest.approx(standing, abs=NEAR)
