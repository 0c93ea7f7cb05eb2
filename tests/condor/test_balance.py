"""Faults that HTCondor reports nowhere, made on a real pool: status, audit and why name cause, amount and cure.

Without the fault the same jobs run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from broken import UNHURRIED, break_it, cycles, snapshot
from conftest import Site
from waiting import advertised, running, submitted, until_running

pytestmark = pytest.mark.condor

_SLOT = {
    "NUM_CPUS": "8", "MEMORY": "16384", "NUM_SLOTS": "1", "NUM_SLOTS_TYPE_1": "1",
    "SLOT_TYPE_1": "100%", "SLOT_TYPE_1_PARTITIONABLE": "True",
}  # fmt: skip
KNOBS = {**UNHURRIED, **_SLOT}
#: The cause, the knobs that make it, what the cure names, and the rule.
FAULTS: Mapping[str, tuple[dict[str, str], str, str]] = {
    "slot-constraint": (
        {"NEGOTIATOR_SLOT_CONSTRAINT": "SlotID > 9"},
        "NEGOTIATOR_SLOT_CONSTRAINT of the central manager",
        "constraint-hides-wanted-slots",
    ),
    "cycle-ended-early": (
        {"NEGOTIATOR_MAX_TIME_PER_SUBMITTER": "0"},
        "NEGOTIATOR_MAX_TIME_PER_",
        "negotiation-time-limit",
    ),
    "start-refuses": (
        {"START": 'TARGET.AccountingGroup =?= "physics.hep"'},
        "START of the execution point",
        "start-refuses-waiting-jobs",
    ),
}


def looked_at(site: Site, where: Path) -> tuple[dict[str, Any], str, list[dict[str, Any]]]:
    """Return the status as JSON, the line of the plugin, and the findings of the audit."""
    options = ("--snapshot", str(where))
    found: dict[str, Any] = json.loads(site.htcq("status", "--json", *options, check=False))
    line = site.htcq("status", "--nagios", *options, check=False)
    audit = site.htcq("audit", "--json", "--fail-on", "never", *options)
    findings: list[dict[str, Any]] = json.loads(audit)["findings"]
    return found, line, findings


def check(site: Site, directory: Path, cluster: int, cause: str, cure: str, rule: str) -> None:
    """Check that the pool as it is now is told with its cause, all 8 cores of it, and the cure."""
    where = snapshot(site.pool, directory)
    found, line, findings = looked_at(site, where)
    by = {each["cause"]: each for each in found["capacity"]["by"]}
    assert sum(each["cpus"] for each in by.values()) == found["capacity"]["total"]["cpus"] == 8
    assert (by[cause]["jobs"], "unexplained" in by) == (3, False)
    assert cure in found["todo"][0]["cure"]
    assert not line.startswith("HTCQ STATUS OK"), line
    assert rule in {each["rule"] for each in findings}
    jobs = json.loads(
        site.htcq("why", str(cluster), "--json", "--snapshot", str(where), check=False)
    )
    assert not any(each["starts"] for each in jobs["jobs"])


def test_a_drained_machine_is_named_with_who_drained_it_and_the_command_opens_it(
    site: Site, tmp_path: Path
) -> None:
    pool = break_it(site, KNOBS)
    (machine,) = {ad["Machine"] for ad in pool.ads("slots", ["Machine"])}
    pool.tool("condor_drain", machine)
    pool.wait(
        lambda: {ad["State"] for ad in pool.ads("slots", ["State"])} == {"Drained"}, 30, "a drain"
    )
    cluster = submitted(pool, "ada", {}, count=3)
    advertised(pool, ["ada"])
    cycles(pool, 2)
    assert cluster not in running(pool)

    check(site, tmp_path, cluster, "drained", "condor_drain -cancel", "drained-while-jobs-wait")
    found, line, _ = looked_at(site, snapshot(pool, tmp_path))
    assert f"condor_drain -cancel {machine}" in line
    assert "CRITICAL: 8 cores stand idle while 3 jobs wait: 8 drained since " in line
    assert found["todo"][0]["cure"] == f"condor_drain -cancel {machine}"
    pool.tool("condor_drain", "-cancel", machine)
    until_running(pool, [cluster])
    ended, line, _ = looked_at(site, snapshot(pool, tmp_path))
    assert "drained" not in {each["cause"] for each in ended["capacity"]["by"]}
    assert line.startswith("HTCQ STATUS OK"), line


@pytest.mark.parametrize("cause", FAULTS)
def test_what_keeps_every_job_without_an_error_is_named_and_without_it_they_run(
    cause: str, site: Site, tmp_path: Path
) -> None:
    knobs, cure, rule = FAULTS[cause]
    pool = break_it(site, {**KNOBS, **knobs})
    cluster = submitted(pool, "ada", {}, group="physics.hep", count=3)
    advertised(pool, ["physics.hep.ada"])
    cycles(pool, 2)
    assert cluster not in running(pool)

    check(site, tmp_path, cluster, cause, cure, rule)
    site.start("".join(f"{name} = {value}\n" for name, value in KNOBS.items()))
    until_running(pool, [cluster])
