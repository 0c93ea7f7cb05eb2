"""The plan foretells what real daemons did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.plan import Shape, plan_slot
from htcq.capacity.typical import typical_shapes
from htcq.cli.main import run
from htcq.node import Node
from tests.golden_cases import golden

NODE = Node(8, 16384, 20_000_000)


def _slot(**settings: Any) -> Slot:
    return lay_out(NODE, (SlotType(Choice(**settings)),))[0]


@golden("plan")
def test_real_daemons_did_what_the_plan_says(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    node = tmp_path / "node.json"
    node.write_text(json.dumps(case["node"]))
    jobs = [word for job in case["jobs"] for word in ("--job", job)]
    assert run(["plan", "--node", str(node), *case["flags"], *jobs, "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    together = plan["slot_types"][0]["together"]

    assert case["weight"] == plan["weight"]
    for expected, job in zip(case["jobs_expected"], plan["jobs"]):
        assert expected == {key: job[key] for key in expected}
    assert case["together"] == {key: together[key] for key in case["together"]}


@pytest.mark.parametrize(
    ("settings", "shape", "problem"),
    [
        ({}, {"cpus": 9}, "can never match: asks for 9 of cpus, the slot has 8"),
        ({}, {"gpus": 1}, "can never match: asks for 1 of gpus, the slot has 0"),
        (
            {"claims": 4},
            {"cpus": 3},
            "can never match: asks for 3 of cpus, more than one claim may take",
        ),
        (
            {"preset": "memory-centric"},
            {"cpus": 4},
            "is given 1 of cpus, not the 4 that it asks for",
        ),
        (
            {"claims": 6, "share": "none", "forced": True},
            {"cpus": 1},
            "the slot runs dry behind the negotiator's back",
        ),
    ],
)
def test_a_job_with_a_problem_is_told_so(
    settings: dict[str, Any], shape: dict[str, float], problem: str
) -> None:
    job = plan_slot(_slot(**settings), [Shape(shape)]).jobs[0]

    assert any(problem in each for each in job.problems)
    assert (job.fits == 0) == ("can never match" in problem)


def test_a_sound_job_has_no_problem_and_no_gap() -> None:
    job = plan_slot(_slot(), [Shape({"cpus": 1, "memory": 2048})]).jobs[0]

    assert job.problems == ()
    assert job.gap == (0, 0)
    assert (job.fits, job.match_cost) == (8, 1)


def test_what_a_job_does_not_ask_has_the_schedds_defaults() -> None:
    """JOB_DEFAULT_REQUESTCPUS, -MEMORY and -DISK of HTCondor 25.14: 1, 128 MB, 1 GiB."""
    assert Shape({}).full() == {"cpus": 1, "memory": 128, "disk": 1024 * 1024}


def test_jobs_that_come_together_take_turns_in_their_order() -> None:
    large = Shape({"cpus": 6, "memory": 1000, "disk": 1000}, 2)
    small = Shape({"cpus": 1, "memory": 1000, "disk": 1000}, 5)

    assert plan_slot(_slot(), [large, small]).together.running == (1, 2)
    assert plan_slot(_slot(), [small, large]).together.running == (5, 0)


def test_with_scheduler_splitting_a_match_costs_the_whole_slot() -> None:
    slot = _slot(claims=3, share="request", splitting="scheduler")
    plan = plan_slot(slot, [Shape({"cpus": 1, "memory": 1000, "disk": 1000}, 9)])

    assert plan.jobs[0].match_cost == plan.weight == 3
    assert plan.jobs[0].fits == 3
    assert plan.together.running == (3,)


def test_an_old_startds_slop_does_not_look_like_another_charge() -> None:
    """A startd before 25.4 hands out disk beyond the consumption; 8 claims fit and each weighs 1 all the same."""
    node = Node(8, 16384, 20_000_000, condor_version="23.9.6")
    slot = lay_out(node, (SlotType(Choice(model="minimum-charge")),))[0]
    job = plan_slot(slot, [Shape({"cpus": 1, "memory": 100, "disk": 1000})], "23.9.6").jobs[0]

    assert job.carved["disk"] > job.consumption["disk"]
    assert (job.fits, job.match_cost, job.standing_charge) == (8, 1, 1)


@pytest.mark.parametrize("gpus", [0, 2])
@pytest.mark.parametrize("cores", [1, 2, 64])
def test_typical_jobs_all_fit_the_node(cores: int, gpus: int) -> None:
    total = {"cpus": cores, "memory": 4096, "disk": 10**7, "gpus": gpus}
    shapes = typical_shapes(total)

    assert all(
        shape.amounts.get(asset, 0) <= amount for shape in shapes for asset, amount in total.items()
    )
    assert len({tuple(shape.amounts.items()) for shape in shapes}) == len(shapes)
    assert any("gpus" in shape.amounts for shape in shapes) == bool(gpus)
