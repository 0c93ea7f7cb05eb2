"""What ``htcq audit --config-dir`` says of the files of a real pool before the daemons show it, and the slots of --node."""

from __future__ import annotations

import json
import subprocess

import pytest
from broken import SMALL_JOB, break_it, cycles
from conftest import NEWEST, Site
from testpool import PoolError

from htcq.live.configuration import read_dump
from htcq.node import Node
from htcq.pool.configuration import configuration_from
from htcq.pool.configured_slots import configured_slots

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

CHUNK = {
    "MEMORY": "2048",
    "MUST_MODIFY_REQUEST_EXPRS": "True",
    "MODIFY_REQUEST_EXPR_REQUESTMEMORY": "max({3072, RequestMemory})",
}


def said(site: Site, *options: str) -> dict[str, str]:
    """Return the severity of each rule that finds something in the pool's files."""
    place = site.pool.config_dir.parent
    files = [f"--config-dir={place / name}" for name in ("condor_config", "condor_config.local")]
    outcome = json.loads(site.htcq("audit", *files, "--json", *options, check=False))
    return {each["rule"]: each["severity"] for each in outcome["findings"]}


def test_a_chunk_above_the_memory_keeps_every_job_from_starting(site: Site) -> None:
    pool = break_it(site, CHUNK)
    assert said(site)["modified-request-above-slot"] == "error"
    pool.submit(SMALL_JOB, 1)
    cycles(pool, 4)
    assert {ad["JobStatus"] for ad in pool.ads("jobs", ["JobStatus"])} == {1}

    pool = break_it(site, {**CHUNK, "MUST_MODIFY_REQUEST_EXPRS": "False"})
    assert "modified-request-above-slot" not in said(site)
    pool.submit(SMALL_JOB, 1)
    pool.wait(lambda: pool.ads("jobs", ["JobStatus"])[0]["JobStatus"] == 2, 40, "a job that runs")


def test_without_its_map_no_job_may_be_submitted(site: Site) -> None:
    pool = break_it(site, "use FEATURE : AssignAccountingGroup(/no/such.map)\n")
    assert said(site)["user-map-missing"] == "error"
    with pytest.raises((PoolError, subprocess.CalledProcessError), match="AssignAccountingGroup"):
        pool.submit(SMALL_JOB, 1)


def test_slots_of_configuration_and_hardware_are_those_of_the_startd(site: Site) -> None:
    """Of a node of 8 cpus, 16 GiB and 20 GB, in three types."""
    knobs = {
        "NUM_SLOTS_TYPE_1": "1", "SLOT_TYPE_1": "cpus=4, memory=25%, disk=25%", "SLOT_TYPE_1_PARTITIONABLE": "True",
        "NUM_SLOTS_TYPE_2": "2", "SLOT_TYPE_2": "1/8", "NUM_SLOTS_TYPE_3": "1", "SLOT_TYPE_3_PARTITIONABLE": "True",
        "SLOT_TYPE_3_CONSUMPTION_POLICY": "True", "SLOT_TYPE_3_NUM_CLAIMS": "3", "SLOT_TYPE_3": "auto",
    }  # fmt: skip
    pool = break_it(site, knobs)
    names = ["Name", "SlotTypeID", "SlotType", "TotalSlotCpus", "TotalSlotMemory", "TotalSlotDisk", "NumClaims",
             "DetectedMemory"]  # fmt: skip
    pool.wait(lambda: len(pool.ads("slots", names)) == 4, 40, "four slots")
    real = {ad["Name"]: ad for ad in pool.ads("slots", names)}
    text = pool.tool("condor_config_val", "-subsystem", "STARTD", "-dump")
    node = Node(2, int(next(iter(real.values()))["DetectedMemory"]), 1)
    made, _ = configured_slots(configuration_from("dump", text, read_dump), node, "node.test")

    assert {str(slot.name) for slot in made} == set(real)
    for slot in made:
        own = {name: slot.value(name) for name in names if name in real[str(slot.name)]}
        assert own == {name: real[str(slot.name)][name] for name in own}
