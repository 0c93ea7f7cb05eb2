"""What htcq recommends conserves weight on every shape of node: match cost, standing charge and loss are one number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call

#: Cores and MB of machines as vendors sell them, less what the system keeps; every fifth has GPUs.
SHAPES = [(2, 24064), (20, 24105), (7, 15_999), (256, 1_572_864)]
for cores in (2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256):
    for mb_per_core in (2048, 4096, 6016):
        SHAPES.append((cores, cores * mb_per_core - 471 * len(SHAPES) % 1009))
WEIGHTS = {
    "found": [],
    "given": ["--weight", "cpus=1", "--weight", "memory=0.25/GiB", "--weight", "gpus=8"],
}


def jobs_on(cores: int, memory_mb: int, gpus: int) -> list[str]:
    """Return jobs of a whole node, a half, a quarter, of all memory, and a tiny one."""
    parts = [(max(1, cores // part), memory_mb // part, 0) for part in (1, 2, 4)]
    parts += [(1, memory_mb, 0), (1, 1, 0)]
    if gpus:
        parts.append((1, 1024, 1))
    return [
        f"cpus={cpus},memory={memory}MiB,disk=1000KiB,gpus={cards}" for cpus, memory, cards in parts
    ]


def planned(call: Call, place: Path, number: int, flags: list[str]) -> Any:
    """Return the plan of one shape of node."""
    cores, memory = SHAPES[number]
    gpus = 4 * (number % 5 == 0)
    node = place / f"node{number}.json"
    node.write_text(
        json.dumps({"cpus": cores, "memory_mb": memory, "disk_kb": 10**9, "gpus": gpus})
    )
    jobs = [word for job in jobs_on(cores, memory, gpus) for word in ("--job", job)]
    done = call("plan", "--node", str(node), *flags, *jobs, "--json")
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


def test_there_are_forty_shapes_of_node() -> None:
    assert len(set(SHAPES)) == 40


@pytest.mark.parametrize("flags", WEIGHTS.values(), ids=list(WEIGHTS))
@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_the_default_conserves_weight(
    number: int, flags: list[str], call: Call, tmp_path: Path
) -> None:
    plan = planned(call, tmp_path, number, flags)

    for job in plan["jobs"]:
        assert job["fits"] > 0
        assert job["problems"] == []
        assert job["match_cost"] == pytest.approx(job["standing_charge"], abs=1e-8)
        assert -1e-8 <= job["schedd_weight"] - job["match_cost"] < 1
        assert job["fits"] * job["standing_charge"] <= plan["weight"] + 1e-6
        assert job["carved"] == job["consumption"]
    busy = plan["fleet"]["weight_busy"]
    assert [busy["min"], busy["max"]] == pytest.approx([plan["weight"]] * 2, abs=1e-6)
    assert plan["fleet"]["quotas"]["hold"]


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_even_shares_charge_no_more_than_the_node(number: int, call: Call, tmp_path: Path) -> None:
    """On the node that they are made for each job alone has no gap, and a job of the whole node costs all of it."""
    plan = planned(call, tmp_path, number, ["--model", "minimum-charge"])
    cores, _ = SHAPES[number]

    assert plan["weight"] == cores
    for job in plan["jobs"]:
        assert job["gap"]["standing_charge"] == 0
        assert job["standing_charge"] <= cores
    assert plan["jobs"][0]["match_cost"] == cores
