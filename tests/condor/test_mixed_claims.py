"""Charges of the dominant asset on a pool of three kinds of node: quotas do not hold, as the plan says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ANSWERED, NEWEST, ROOT
from filling import fill, group_knobs, submit
from fleet import Fleet, fleet_pool
from mixed_site import MACHINES, biology, chem, configured

pytestmark = pytest.mark.condor
ONLY_SUITES = (NEWEST,)

CLAIMS = ("--model", "minimum-charge", "--charge", "cpus=1", "--charge", "memory=4GiB", "--force")
QUOTAS = {"biology": 40.0, "chem": 20.0}
#: What jobs of the groups ask for, and the most that one of them is charged.
JOBS = ("cpus=2,memory=32GiB", "cpus=16,memory=4GiB")
COSTS = {"biology": 8.0, "chem": 16.0}


def test_charges_of_the_dominant_asset_leak(suite: str, tmp_path: Path) -> None:
    """A job of 32 GiB costs 2 at its match on the large node and weighs 8 from then on.

    No group uses more than the plan's factor times its quota and one more match, which the first
    spin may let through."""
    with fleet_pool(suite, MACHINES) as fleet:
        configured(fleet, tmp_path, CLAIMS, group_knobs(QUOTAS))
        empty = fleet.weights()
        planned = plan(fleet)
        submit(fleet, [biology(60), chem("ben", 30)])
        filled = fill(fleet)

    assert filled.usage["biology"] > 2 * QUOTAS["biology"]
    busy = sum(max(weights) for weights in filled.weights.values())
    assert busy > 1.5 * sum(empty.values())

    worst = planned["fleet"]["quotas"]["max_factor"]["factor"]
    assert planned["weight"] == sum(empty.values())
    assert [kind["count"] for kind in planned["fleet"]["kinds"]] == [2, 1, 1]
    assert busy <= planned["fleet"]["weight_busy"]["max"]
    for group, quota in QUOTAS.items():
        assert filled.usage[group] <= worst * (quota + COSTS[group]), filled


def plan(fleet: Fleet) -> dict[str, Any]:
    """Return what htcq plans for the machines of the pool."""
    jobs = [word for job in JOBS for word in ("--job", job)]
    words = [
        sys.executable,
        "-m",
        "htcq",
        "plan",
        "--pool",
        fleet.pool.collector,
        *CLAIMS,
        *jobs,
        "--json",
    ]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode in ANSWERED, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
