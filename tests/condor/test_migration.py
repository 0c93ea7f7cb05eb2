"""From cores to linear weights on a real pool, step by step as ``htcq migrate`` says, and back: no group starves."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from fleet import PACE, Fleet, Machine, fleet_pool

from htcq.report.views.migrate_steps import KEEP_FILE, LEFTOVERS_FILE

pytestmark = pytest.mark.condor
ONLY_SUITES = ("sid",)

MACHINES = {"n1": Machine(8, 16384), "n2": Machine(8, 16384), "n3": Machine(16, 131072)}
OLD_QUOTAS = {"biology": 10.0, "chem": 10.0, "physics": 12.0}
OLD_GROUPS = "GROUP_NAMES = biology, chem, physics\n" + "".join(
    f"GROUP_QUOTA_{name} = {quota:g}\n" for name, quota in OLD_QUOTAS.items()
)
#: Without preemption a group whose demand seems smaller than its usage gets no turn at all.
CENTRAL = "NEGOTIATOR_CONSIDER_PREEMPTION = False\nGROUP_ACCEPT_SURPLUS = False\n"
MODEL = '[capacity]\nmodel = "linear"\nweights = { cpus = 1, memory = "0.25/GiB" }\n'
SHAPES = {"biology": (1, 8192), "chem": (4, 2048), "physics": (1, 1024)}
SHORT = {"arguments": "$RANDOM_INTEGER(3,7)"}
GATED = {"requirements": "(MayRun =?= true)"}
KEPT, NO_LEFTOVERS = (name.rpartition("/")[2] for name in (KEEP_FILE, LEFTOVERS_FILE))
GROUPS = "60-groups.config"


@pytest.fixture
def fleet(suite: str, tmp_path: Path) -> Iterator[Fleet]:
    with fleet_pool(suite, MACHINES, pace=PACE.replace("= 3", "= 2")) as found:
        found.put("central", "10-central.config", CENTRAL)
        found.put("central", GROUPS, OLD_GROUPS)
        found.start()
        (tmp_path / "site.toml").write_text(MODEL)
        yield found


def submit(fleet: Fleet, group: str, count: int, **more: object) -> int:
    cpus, memory = SHAPES[group]
    asked = {"request_cpus": cpus, "request_memory": memory, "request_disk": 1024}
    return fleet.submit(
        {**asked, "accounting_group": group, "accounting_group_user": "ann", **more}, count
    )


def load(fleet: Fleet) -> None:
    """Give every group more short jobs than the pool can run."""
    for group, count in {"biology": 150, "chem": 60, "physics": 150}.items():
        submit(fleet, group, count, **SHORT)


def everybody_starts_jobs(fleet: Fleet, step: str) -> None:
    """Wait until each group has started a job since now."""
    since = int(time.time())

    def started() -> bool:
        jobs = fleet.jobs(
            "AcctGroup", constraint=f"JobStatus == 2 && JobCurrentStartDate > {since}"
        )
        return {group for (group,) in jobs} == set(SHAPES)

    fleet.pool.wait(started, 30, f"a new job of every group: {step}", ("NegotiatorLog",))


def done(fleet: Fleet, directory: Path, *nodes: str) -> None:
    """Do what steps two and three say, but for waiting for the end of jobs."""
    for node in nodes:
        fleet.put(node, KEPT, "SLOT_WEIGHT = Cpus\n")
        fleet.emit(node, directory, "--config", str(directory / "site.toml"))
    fleet.restart(*nodes)


def htcq(*words: str, status: int = 0) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "htcq", *words], capture_output=True, text=True, cwd=ROOT
    )
    assert ran.returncode == status, ran.stderr + ran.stdout
    return ran.stdout


def migrated(fleet: Fleet, directory: Path) -> Mapping[str, Any]:
    """Return what ``htcq migrate`` foresees; it writes the new groups."""
    where, new = str(directory / "snapshot"), str(directory / "groups.toml")
    htcq("snapshot", where, "--pool", fleet.pool.collector)
    words = (
        "--snapshot",
        where,
        "--model",
        str(directory / "site.toml"),
        "--write-groups",
        new,
        "--json",
    )
    found: Mapping[str, Any] = json.loads(htcq("migrate", *words, status=1))
    return found


def published(fleet: Fleet, attribute: str) -> dict[str, float]:
    printed = fleet.pool.tool(
        "condor_status", "-any", "-constraint", "IsAccountingGroup", "-af:t", "Name", attribute
    )
    rows = (line.split("\t") for line in printed.splitlines())
    return {name: float(value) for name, value in rows if name in SHAPES}


def job_starts(fleet: Fleet) -> dict[str, int]:
    """Return when the job of each claim started, by slot: a job that was killed and started anew has another time."""
    return {
        slot["Name"]: slot["JobStart"]
        for slot in fleet.slots("JobStart", constraint='State == "Claimed"')
    }


def switch_back(fleet: Fleet) -> None:
    """Give nodes, access point and groups the old unit again; a reconfiguration is enough."""
    for node in MACHINES:
        fleet.put(node, KEPT, "SLOT_WEIGHT = Cpus\n")
    fleet.put("ap1", "99-old.config", "SCHEDD_SLOT_WEIGHT = RequestCpus\n")
    fleet.put("central", "99-old.config", OLD_GROUPS)
    reconfigure(fleet)
    fleet.restart_gracefully("ap1")


def reconfigure(fleet: Fleet) -> None:
    fleet.reconfig_central()
    fleet.reconfig(*fleet.members)


def weighs(fleet: Fleet, weight: float) -> None:
    fleet.pool.wait(
        lambda: sum(fleet.weights().values()) == weight, 30, f"a pool that weighs {weight}"
    )


def uses(fleet: Fleet, usage: Mapping[str, float]) -> None:
    fleet.pool.wait(
        lambda: published(fleet, "WeightedResourcesUsed") == usage,
        30,
        f"a usage of {usage}",
        ("NegotiatorLog",),
    )


def test_no_group_starves_on_the_way_and_what_was_foreseen_comes_true(
    fleet: Fleet, tmp_path: Path
) -> None:
    load(fleet)
    everybody_starts_jobs(fleet, "as it was")
    fleet.put("ap1", NO_LEFTOVERS, "CLAIM_PARTITIONABLE_LEFTOVERS = False\n")
    fleet.reconfig("ap1")
    everybody_starts_jobs(fleet, "access points do not split any more")
    done(fleet, tmp_path, "n3")
    everybody_starts_jobs(fleet, "half of the cores have a policy")
    done(fleet, tmp_path, "n1", "n2")
    everybody_starts_jobs(fleet, "all nodes have a policy")

    fleet.clear()
    weighs(fleet, 32.0)
    for group, count in {"biology": 3, "chem": 1, "physics": 4}.items():
        submit(fleet, group, count)
    uses(fleet, {"biology": 3.0, "chem": 4.0, "physics": 4.0})
    waiting = submit(fleet, "biology", 1, **GATED)
    submit(fleet, "physics", 3, **GATED)
    fleet.pool.wait(
        lambda: published(fleet, "Requested").get("biology") == 4.0, 30, "a demand", ("SchedLog",)
    )
    foreseen = migrated(fleet, tmp_path)
    groups = {group["name"]: group for group in foreseen["groups"] if group["parent"]}

    site = ("--config", str(tmp_path / "site.toml"))
    for node in MACHINES:
        (fleet.config_dir(node) / KEPT).unlink()
    (fleet.config_dir("ap1") / NO_LEFTOVERS).unlink()
    fleet.emit("ap1", tmp_path, *site)
    fleet.emit("central", tmp_path, *site)
    (fleet.config_dir("central") / GROUPS).unlink()
    htcq(
        "quota",
        "emit",
        "--config",
        str(tmp_path / "groups.toml"),
        "--write",
        str(fleet.config_dir("central")),
    )
    reconfigure(fleet)
    weighs(fleet, foreseen["empty_weight"]["after"])
    uses(fleet, {name: group["usage"]["after"] for name, group in groups.items()})
    expected = {name: group["quota"]["after"] for name, group in groups.items()}
    assert published(fleet, "EffectiveQuota") == expected

    # The schedd reports what runs in the unit in which it was claimed: the group that was named
    # gets no turn.
    starving = {name for name, group in groups.items() if group["starves"]}
    assert starving == {"biology"}
    fleet.tool("ap1", "condor_qedit", str(waiting), "MayRun", "true")
    told = groups["biology"]
    numbers = (
        f"(quota={told['quota']['after']:g}) (usage={told['usage']['after']:g}) "
        f"(allocation={told['allocated']:g})"
    )
    cycle = f"Group biology - skipping, at or over quota {numbers}"
    fleet.pool.wait(
        lambda: cycle in fleet.pool.log("NegotiatorLog"), 30, "the group without a turn"
    )
    before = job_starts(fleet)
    fleet.restart_gracefully("ap1")
    uses(fleet, {"biology": 12.0, "chem": 4.5, "physics": 5.0})
    assert len(before) == 8
    assert before.items() <= job_starts(fleet).items()

    load(fleet)
    everybody_starts_jobs(fleet, "switched")
    switch_back(fleet)
    everybody_starts_jobs(fleet, "and back")
    weighs(fleet, 32.0)
    assert published(fleet, "EffectiveQuota") == OLD_QUOTAS
