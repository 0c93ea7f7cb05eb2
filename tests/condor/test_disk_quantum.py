"""Disk in extents: what a startd carves where its slot says DiskQuantum, and what htcq says of it beforehand.

A startd that has a volume group of LVM publishes DiskQuantum itself (VolumeManager.h, 25.14);
here STARTD_ATTRS does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Site
from measured import run_jobs

pytestmark = pytest.mark.condor

EXTENTS = """
DiskQuantum = 4096
STARTD_ATTRS = $(STARTD_ATTRS) DiskQuantum
SLOT_WEIGHT = Disk / 4096
SCHEDD_SLOT_WEIGHT = 1
CLAIM_PARTITIONABLE_LEFTOVERS = False
"""
JOB = {"request_cpus": 1, "request_memory": 128, "request_disk": 5000}
GATED = {**JOB, "requirements": "(MayRun =?= true)"}
#: KiB of the dynamic slot, and what it weighs: whole extents since 24.12.18, else some MiB and the
#: startd's own slop.
EXPECTED = {"sid": (8192, 2), "trixie": (6144, 1)}


def let_go(text: str) -> str:
    """Return ads of jobs as they are once they may run."""
    return text.replace("\nMyType =", "\nMayRun = true\nMyType =")


def test_a_job_gets_whole_extents_and_is_charged_for_them(site: Site, tmp_path: Path) -> None:
    """The default MODIFY_REQUEST_EXPR_REQUESTDISK rounds 5000 KiB up to two extents, and each of them weighs 1."""
    disk, weight = EXPECTED[site.suite]
    site.emptied()
    site.start(EXTENTS)
    site.pool.submit(GATED, 1)
    site.pool.wait(
        lambda: site.pool.ads("submitters", ["IdleJobs"]), 60, "the submitter's ad", ("SchedLog",)
    )
    jobs = let_go(site.pool.tool("condor_q", "-global", "-allusers", "-long"))
    assert "MayRun = true" in jobs
    (tmp_path / "collector.ads").write_text(site.pool.tool("condor_status", "-any", "-long"))
    (tmp_path / "jobs.ads").write_text(jobs)
    (tmp_path / "config.txt").write_text(site.pool.tool("condor_config_val", "-dump"))

    (charge,) = json.loads(site.htcq("cost", "--snapshot", str(tmp_path), "--json"))["charges"]
    (match,) = json.loads(site.htcq("simulate", "--snapshot", str(tmp_path), "--json"))["matches"]
    site.emptied()
    measured = run_jobs(site.pool, [(JOB, 1)], 1, 1)

    assert [each["disk"] for each in measured.carved] == [disk]
    assert measured.standing_usage == weight
    assert charge["consumption"]["disk"] == disk
    assert charge["standing_charge"] == weight
    assert match["standing"] == weight
    assert charge["match_cost"] == match["cost"] == sum(measured.match_costs)
