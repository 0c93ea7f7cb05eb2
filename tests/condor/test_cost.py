"""``htcq cost`` reads what HTCondor's own tools print, and says what the accountant of a real pool then holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from broken import break_it
from conftest import Site
from measured import Measured, run_jobs

pytestmark = pytest.mark.condor

#: A policy as published: a job that needs much memory is charged its cpus alone once its slot is
#: there.
LEAKY = """
CONSUMPTION_POLICY = True
NUM_CLAIMS = 8
CONSUMPTION_CPUS = quantize(target.RequestCpus, {1})
CONSUMPTION_MEMORY = quantize(target.RequestMemory, {2048})
CONSUMPTION_DISK = quantize(target.RequestDisk, {1024})
SLOT_WEIGHT = min({Cpus, floor(Memory / 2048), floor(Disk / 100000)})
CLAIM_PARTITIONABLE_LEFTOVERS = False
"""
SMALL = {"request_cpus": 1, "request_memory": 100, "request_disk": 1000}
LARGE = {"request_cpus": 1, "request_memory": 8192, "request_disk": 200000}
#: Models whose standing charge is the match cost, and what one small and one large job cost on 8
#: cpus and 16 GiB.
SOUND = {
    "minimum-charge": (("--charge", "cpus=1", "--charge", "memory=2GiB", "--whole-charges"), 1, 4),
    "quantized": (("--level", "cpus=8", "--level", "memory=8"), 1, 4),
    "fixed": (("--model", "fixed", "--claims", "2"), 1, 1),
}


def printed_by_condor(site: Site, directory: Path) -> str:
    """Leave a snapshot that HTCondor's own tools wrote and return its name."""
    directory.mkdir()
    (directory / "collector.ads").write_text(site.pool.tool("condor_status", "-any", "-long"))
    (directory / "jobs.ads").write_text(site.pool.tool("condor_q", "-global", "-allusers", "-long"))
    (directory / "config.txt").write_text(site.pool.tool("condor_config_val", "-dump"))
    return str(directory)


def costs(site: Site, tmp_path: Path) -> dict[str, Any]:
    """Return what htcq says of the pool as it is now."""
    found: dict[str, Any] = json.loads(
        site.htcq("cost", "--snapshot", printed_by_condor(site, tmp_path / "s"), "--json")
    )
    assert found["incomplete"] == []
    assert [kind["count"] for kind in found["slots"]] == [1]
    return found


def the_accountant_agrees(found: dict[str, Any], measured: Measured) -> None:
    """What jobs hold is what is published, and what the slots weigh is what condor_status says."""
    running = [charge for charge in found["charges"] if charge["claims"]]
    (conservation,) = found["conservation"]

    assert sum(charge["claims"] * charge["held"] for charge in running) == pytest.approx(
        measured.standing_usage
    )
    assert [charge["held"] for charge in running] == pytest.approx(
        [each["standing_charge"] for each in running]
    )
    assert [each["published"] for each in found["customers"]] == [
        each["claimed"] for each in found["customers"]
    ]
    assert sum(each["claimed"] for each in found["customers"]) == pytest.approx(
        measured.standing_usage
    )
    assert conservation["charged"] == pytest.approx(measured.standing_usage)
    assert conservation["left"] == pytest.approx(measured.weight_left)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_model_charges_what_the_match_cost(site: Site, tmp_path: Path, name: str) -> None:
    flags, small, large = SOUND[name]
    site.adopt(tmp_path, flags)
    measured = run_jobs(site.pool, [(SMALL, 1), (LARGE, 1)], 2, demand=small + large)
    found = costs(site, tmp_path)

    assert sorted(charge["match_cost"] for charge in found["charges"]) == sorted((small, large))
    assert sorted(measured.match_costs) == sorted((small, large))
    assert [charge["gap"] for charge in found["charges"]] == [0, 0]
    the_accountant_agrees(found, measured)
    (conservation,) = found["conservation"]
    assert (conservation["gap"], conservation["broken"]) == (0, 0)
    assert conservation["full"] == measured.weight_left + measured.standing_usage


def test_a_published_policy_leaks_as_measured(site: Site, tmp_path: Path) -> None:
    """8 cpus, 16 GiB, one job of 1 cpu and 8 GiB: 4 at the match, 1 as long as it runs, and 3 are nobody's."""
    break_it(site, LEAKY)
    measured = run_jobs(site.pool, [(LARGE, 1)], 1, demand=1)
    found = costs(site, tmp_path)
    (charge,), (conservation,) = found["charges"], found["conservation"]

    assert (charge["match_cost"], charge["standing_charge"], charge["gap"]) == (4, 1, -3)
    assert (measured.match_costs, measured.standing_usage, measured.weight_left) == (
        (4.0,),
        1.0,
        4.0,
    )
    the_accountant_agrees(found, measured)
    assert (conservation["full"], conservation["gap"], conservation["broken"]) == (8, -3, 1)


def test_a_plain_slot_is_charged_whole_at_the_match(site: Site, tmp_path: Path) -> None:
    break_it(site, "")
    measured = run_jobs(site.pool, [({**LARGE, "request_cpus": 3}, 1)], 1, demand=3)
    found = costs(site, tmp_path)
    (charge,) = found["charges"]

    assert (charge["match_cost"], charge["standing_charge"]) == (8, 3)
    assert (measured.match_costs[0], measured.standing_usage) == (8.0, 3.0)
    the_accountant_agrees(found, measured)
    assert found["conservation"][0]["gap"] == 0


def test_a_queue_without_jobs_is_no_damage(site: Site, tmp_path: Path) -> None:
    """condor_q says so with a line that is no ad."""
    break_it(site, "")
    found = costs(site, tmp_path)

    assert (found["jobs"], found["charges"]) == ([], [])
