"""What a site does with htcq's files besides one model on one slot, on real daemons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Site
from measured import run_jobs

pytestmark = pytest.mark.condor

SITE_FILE = """
[slot_types.1]
part = "50%"
model = "fixed"
claims = 2

[slot_types.2]
part = "50%"
model = "minimum-charge"
charge = { cpus = 1, memory = "2GiB" }
"""


def test_two_slot_types_with_different_models(site: Site, tmp_path: Path) -> None:
    """Each slot type keeps its own consumption, weight and number of claims."""
    config = tmp_path / "htcq.toml"
    config.write_text(SITE_FILE)
    flags = ("--config", str(config))
    site.adopt(tmp_path, flags)
    plan = site.plan(tmp_path, flags, ["cpus=1,memory=100MiB,disk=1000KiB"])
    slots = {slot["number"]: slot for slot in plan["slot_types"]}
    ads = site.pool.ads("slots", ["SlotTypeID", "Cpus", "Memory", "NumClaims", "Name"])

    assert {1, 2} == {ad["SlotTypeID"] for ad in ads}
    for ad in ads:
        predicted = slots[ad["SlotTypeID"]]
        weight = float(site.pool.tool("condor_status", ad["Name"], "-af", "SlotWeight"))
        assert predicted["weight"] == weight
        assert {name: predicted["amounts"][name] for name in ("cpus", "memory")} == {
            name: ad[name.capitalize()] for name in ("cpus", "memory")
        }

    job = {"request_cpus": 1, "request_memory": 100, "request_disk": 1000}
    fits = plan["jobs"][0]["fits"]
    measured = run_jobs(site.pool, [(job, fits + 1)], fits, demand=fits + 1)
    assert fits == measured.running == 6
    assert {2048, 4096} == {slot["memory"] for slot in measured.carved}


def test_gpus_are_charged_and_jobs_without_them_still_run(site: Site, tmp_path: Path) -> None:
    """A charge on GPUs counts them in W; without one a job that asks for none is given none."""
    node = site.node
    site.node = {**node, "gpus": 2}
    detected = "STARTD_DETECT_GPUS = -properties -simulate:0,2\n"
    try:
        flags = ("--charge", "cpus=1", "--charge", "memory=2GiB")
        site.adopt(tmp_path, flags, detected)
        shapes = [
            "cpus=1,memory=100MiB,disk=1000KiB,gpus=1,count=3",
            "cpus=1,memory=100MiB,disk=1000KiB,count=2",
        ]
        together = site.plan(tmp_path, flags, shapes)["slot_types"][0]["together"]
        job = {"request_cpus": 1, "request_memory": 100, "request_disk": 1000}
        measured = run_jobs(
            site.pool, [({**job, "request_gpus": 1}, 3), (job, 2)], 4, together["demand"]
        )
        slots = site.pool.ads("slots", ["DynamicSlot", "GPUs"])

        assert [2, 2] == together["running"]
        assert 4 == measured.running
        assert measured.standing_usage == pytest.approx(together["standing_charge"])
        assert [0, 0, 1, 1] == sorted(ad.get("GPUs", 0) for ad in slots if ad.get("DynamicSlot"))
    finally:
        site.node = node


def test_a_new_charge_needs_a_reconfig_only(site: Site, tmp_path: Path) -> None:
    """What emit says of reconfig and restart is so: a running startd takes over new weights and consumptions."""
    site.adopt(tmp_path, ("--charge", "cpus=1", "--charge", "memory=2GiB", "--literal"))
    command = (
        "--node",
        site.node_file(tmp_path),
        "--literal",
        "--write",
        str(site.pool.config_dir),
    )
    site.htcq("emit", "--charge", "cpus=1", "--charge", "memory=4GiB", "--force", *command)
    site.pool.reconfig()

    def weight() -> bool:
        return float(site.pool.tool("condor_status", "-af", "SlotWeight").split()[0]) == 4.0

    site.pool.wait(weight, 30, "the new weight", ("StartLog",))
    printed = site.pool.tool("condor_status", "-json", "-attributes", "ConsumptionMemory")
    assert "4096" in json.dumps(json.loads(printed))


def test_the_four_jobs_of_the_manual(site: Site, tmp_path: Path) -> None:
    """The worked example of htcq-models(7): demand 7, standing charges 7, and the machine adds up to 9, not 8."""
    flags = ("--charge", "cpus=1", "--charge", "memory=2GiB")
    site.adopt(tmp_path, flags)
    jobs = [
        ({"request_cpus": 1, "request_memory": memory, "request_disk": 1000}, count)
        for memory, count in ((100, 2), (2100, 1), (5000, 1))
    ]
    measured = run_jobs(site.pool, jobs, 4, demand=7)

    assert (7, 7.0) == (measured.demand, measured.standing_usage)
    assert [2048, 2048, 2100, 5000] == sorted(slot["memory"] for slot in measured.carved)
    assert {"cpus": 4, "memory": 5188} == {name: measured.left[name] for name in ("cpus", "memory")}
    assert 9.0 == measured.weight_left + measured.standing_usage


def test_claims_that_consume_nothing_overdraw_the_slot(site: Site, tmp_path: Path) -> None:
    """Twelve tokens on eight cpus: the negotiator charges twelve, the startd carves ten and ends below zero."""
    flags = ("--model", "fixed", "--claims", "12", "--share", "none", "--force")
    shape = "cpus=1,memory=100MiB,disk=1000KiB"
    site.adopt(tmp_path, flags)
    fits = site.plan(tmp_path, flags, [shape])["jobs"][0]["fits"]
    job = {"request_cpus": 1, "request_memory": 100, "request_disk": 1000}
    measured = run_jobs(site.pool, [(job, 14)], fits, demand=14)

    assert 12 == measured.usage_at_match
    assert 10 == measured.running == fits
    assert {1} == {slot["memory"] for slot in measured.carved}
