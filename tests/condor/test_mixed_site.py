"""Quotas on a pool of three kinds of node that htcq configured with the linear model: they hold."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ANSWERED, ROOT
from filling import Filled, fill, group_knobs, open_gate, running, submit
from fleet import Fleet, fleet_pool
from mixed_site import (
    COSTS,
    GPU_JOBS,
    LINEAR,
    MACHINES,
    WEIGHTS,
    above_info,
    biology,
    chem,
    configured,
    physics,
)

pytestmark = pytest.mark.condor

QUOTAS = {"biology": 100.0, "chem": 60.0, "physics": 150.0}


@pytest.fixture(scope="module")
def fleet(suite: str) -> Iterator[Fleet]:
    """The pool, not configured yet."""
    with fleet_pool(suite, MACHINES) as found:
        yield found


def weighs_the_same(filled: Filled) -> None:
    """Assert that each node weighed what it weighs empty, at every moment."""
    for node, weights in filled.weights.items():
        assert sorted(weights) == pytest.approx([WEIGHTS[node]] * len(weights), abs=0.01)


def holds(filled: Filled) -> None:
    """Assert that no group is above its quota by more than one match, and none that waits could have more."""
    for group, quota in QUOTAS.items():
        assert filled.usage[group] < quota + COSTS[group], filled
        if filled.usage[group] < quota:
            assert group not in filled.fitting, filled


def test_quotas_hold_on_mixed_nodes(fleet: Fleet, tmp_path: Path) -> None:
    """The pool weighs the same at every moment; no group is more than one match above its quota, none starves.

    And the audit has nothing above info.
    """
    configured(fleet, tmp_path, LINEAR, group_knobs(QUOTAS, NEGOTIATOR_CONSIDER_PREEMPTION=False))
    assert fleet.weights() == pytest.approx(WEIGHTS, abs=0.01)

    submit(fleet, [GPU_JOBS])
    running(fleet, GPU_JOBS.count)
    assert fleet.usage() == {"physics": 4 * COSTS["physics"]}
    submit(fleet, [biology(60), chem("ben", 30), physics(200)])
    filled = fill(fleet)

    weighs_the_same(filled)
    assert filled.gpu_claims == GPU_JOBS.count
    holds(filled)
    assert above_info(fleet, tmp_path) == set()


def test_the_audit_bounds_what_preemption_lets_through(fleet: Fleet, tmp_path: Path) -> None:
    """With preemption considered, several submitters overshoot by no more than first-spin-overshoot says."""
    configured(fleet, tmp_path, LINEAR, group_knobs(QUOTAS))
    submit(fleet, [chem("ben", 2)])
    running(fleet, 2)
    submit(fleet, [chem("eve", 15), chem("fay", 15)], gated=True)
    fleet.demand("chem.eve", 15 * 17)
    fleet.demand("chem.fay", 15 * 17)
    predicted = overshoots(fleet, tmp_path)
    open_gate(fleet)
    filled = fill(fleet)

    assert set(predicted) == {"chem"}
    weighs_the_same(filled)
    assert QUOTAS["chem"] < filled.usage["chem"] <= predicted["chem"]


def overshoots(fleet: Fleet, directory: Path) -> dict[str, float]:
    """Return what each group can reach, as first-spin-overshoot has it."""
    where = str(directory / "snapshot")
    htcq("snapshot", where, "--pool", fleet.pool.collector)
    findings = json.loads(htcq("audit", "--snapshot", where, "--json", "--fail-on", "never"))[
        "findings"
    ]
    said = [finding for finding in findings if finding["rule"] == "first-spin-overshoot"]
    return {str(each["examples"][0]): _limit(each) for each in said}


def _limit(finding: dict[str, Any]) -> float:
    return float(str(finding["message"]).partition("can reach ")[2].partition(" ")[0])


def htcq(*words: str) -> str:
    """Run htcq and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "htcq", *words], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode in ANSWERED, f"htcq {' '.join(words)}: {done.stderr}"
    return done.stdout
