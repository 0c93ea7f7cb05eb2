"""Random fleets, weights and jobs: plan, cost, simulate and the daemons agree on every charge.

The seed stands in the test's output; ``HTCQ_FLEET_SEED`` repeats a run.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import ANSWERED, ROOT
from filling import open_gate
from fleet import Fleet, Machine, fleet_pool
from measured import GATE

pytestmark = pytest.mark.condor

#: Fleets for each version of HTCondor.
CASES = 5
SUBMITTER = "ann"
#: A startd before 25.4 adds about 1 MiB of disk to each claim, which plan counts and simulate and
#: cost do not.
CLOSE = {"sid": 1e-6, "trixie": 1e-4}
MACHINES = {"p1": Machine(8, 16384), "p2": Machine(16, 65536, gpus=2)}


@dataclass(frozen=True)
class Case:
    """Machines by name, the weights as ``--weight`` takes them, and job shapes, each with how many there are."""

    machines: dict[str, Machine]
    weights: tuple[str, ...]
    jobs: tuple[dict[str, int], ...]


def drawn(rng: Random) -> Case:
    """Return a random case; the cards are those that the machines pretend to have."""
    machines = {}
    for name, machine in MACHINES.items():
        cpus = rng.randint(2, 40)
        machines[name] = Machine(cpus, rng.randint(800, 9000) * cpus, gpus=machine.gpus)
    weights = [f"cpus={rng.choice(('1', '0.5', '0.333333', '2', '1/7'))}"]
    weights.append(f"memory={rng.choice(('0.25/GiB', '1/4000MiB', '0.0731/GiB', '1/3GiB'))}")
    if rng.random() < 0.7:
        weights.append(f"gpus={rng.choice(('8', '2.5', '1/3'))}")
    if rng.random() < 0.5:
        weights.append("disk=0.003/GiB")
    jobs = []
    # Fewer jobs than a schedd offers in one cycle for one submitter.
    for _ in range(rng.randint(2, 4)):
        job = {
            "cpus": rng.randint(1, 6),
            "memory": rng.randint(1, 12_000),
            "disk": rng.randint(1, 3_000_000),
        }
        if rng.random() < 0.3:
            job["gpus"] = 1
        jobs.append({**job, "count": rng.randint(1, 4)})
    return Case(
        machines, tuple(word for weight in weights for word in ("--weight", weight)), tuple(jobs)
    )


def htcq(*words: str) -> Any:
    """Run htcq and return the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "htcq", *words], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode in ANSWERED, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def fleet(suite: str) -> Iterator[Fleet]:
    """The pool whose nodes become one fleet after the other."""
    with fleet_pool(suite, MACHINES) as fleet:
        yield fleet


@pytest.mark.parametrize("number", range(CASES))
def test_every_charge_comes_true(
    fleet: Fleet, suite: str, number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = os.environ.get("HTCQ_FLEET_SEED") or secrets.token_hex(4)
    with capsys.disabled():
        sys.stdout.write(f"\nrandom fleet {number} on {suite}: HTCQ_FLEET_SEED={seed}\n")
    _compare(fleet, drawn(Random(f"{seed} {suite} {number}")), tmp_path, CLOSE[suite])


def _compare(fleet: Fleet, case: Case, place: Path, close: float) -> None:
    fleet.machines.update(case.machines)
    for member in (*fleet.members, "central"):
        fleet.emit(member, place, *case.weights, "--literal")
    fleet.empty_queues()
    fleet.start()
    planned = _planned(fleet, case, place)
    weights = {
        name.partition(".")[0]: pytest.approx(kind["weight"], abs=close)
        for name, kind in planned.items()
    }
    assert fleet.weights() == weights

    clusters = [fleet.submit(_commands(job), job["count"]) for job in case.jobs]
    any_kind = next(iter(planned.values()))
    demands = [
        job["count"] * each["schedd_weight"] for job, each in zip(case.jobs, any_kind["jobs"])
    ]
    fleet.demand(SUBMITTER, sum(demands))
    simulated = _simulated(fleet, place)
    open_gate(fleet)
    fleet.tool("ap1", "condor_reschedule")
    fleet.pool.wait(
        lambda: len(_claims(fleet)) >= len(simulated),
        60,
        f"{len(simulated)} claims",
        ("NegotiatorLog",),
    )
    claims = _claims(fleet)

    # The simulated cycle matched the same jobs on the same nodes, at the charges that plan had for
    # them.
    shapes = {cluster: number for number, cluster in enumerate(clusters)}
    expected = {}
    for job, (machine, cost, standing) in simulated.items():
        charge = planned[machine]["jobs"][shapes[int(job.partition(".")[0])]]
        assert (cost, standing) == pytest.approx(
            (charge["match_cost"], charge["standing_charge"]), abs=close
        )
        expected[job] = (machine, pytest.approx(charge["standing_charge"], abs=close))
    assert claims == expected
    # The pool weighs what it weighed, and cost sees no gap.
    assert fleet.weights() == weights
    costs = htcq("cost", "--snapshot", _captured(fleet, place / "busy"), "--json")
    assert [kind["gap"] for kind in costs["conservation"]] == pytest.approx(
        [0] * len(costs["conservation"]), abs=close
    )
    assert all(
        charge["gap"] == pytest.approx(0, abs=close)
        for charge in costs["charges"]
        if charge["matches"]
    )


def _planned(fleet: Fleet, case: Case, place: Path) -> dict[str, Any]:
    """Return what plan says of each node, by its machine's name."""
    nodes = [word for name in case.machines for word in ("--node", fleet.node_file(name, place))]
    shapes = [word for job in case.jobs for word in ("--job", _shape(job))]
    kinds = htcq("plan", *nodes, *case.weights, *shapes, "--json")["fleet"]["kinds"]
    return {f"{Path(name).stem}.test": kind for kind in kinds for name in kind["nodes"]}


def _shape(job: dict[str, int]) -> str:
    units = {"memory": "MiB", "disk": "KiB"}
    return ",".join(f"{asset}={amount}{units.get(asset, '')}" for asset, amount in job.items())


def _commands(job: dict[str, int]) -> dict[str, object]:
    asked = {f"request_{asset}": amount for asset, amount in job.items() if asset != "count"}
    return {**GATE, **asked, "accounting_group_user": SUBMITTER}


def _captured(fleet: Fleet, place: Path) -> str:
    words = [sys.executable, "-m", "htcq", "snapshot", str(place), "--pool", fleet.pool.collector]
    subprocess.run(words, check=True, capture_output=True, cwd=ROOT)
    return str(place)


def _simulated(fleet: Fleet, place: Path) -> dict[str, tuple[str, float, float]]:
    """Return machine, match cost and standing charge of each job that a cycle with an open gate would match."""
    snapshot = Path(_captured(fleet, place / "idle"))
    jobs = snapshot / "jobs.ads"
    jobs.write_text(jobs.read_text().replace("MayRun =?= true", "true"))
    matches = htcq("simulate", "--snapshot", str(snapshot), "--json")["matches"]
    return {
        each["job"]: (
            str(each["slot"]).rpartition("@")[2],
            float(each["cost"]),
            float(each["standing"]),
        )
        for each in matches
    }


def _claims(fleet: Fleet) -> dict[str, tuple[str, float]]:
    """Return machine and weight of each claimed slot that the collector has a job of."""
    found = {}
    for slot in fleet.slots(
        "JobId", "SlotWeight", constraint='State == "Claimed" && JobId isnt undefined'
    ):
        found[str(slot["JobId"])] = (str(slot["Machine"]), float(slot["SlotWeight"]))
    return found
