"""``htcq elastic status`` on running pools: what it counts is what daemons say, and its quotas come true as claims."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from broken import UNHURRIED, before, break_it, policy
from claims import claims, come_to, queued, written
from conftest import Site
from testpool import Pool

pytestmark = pytest.mark.condor

#: 8 cpus and 16 GiB. Both want more cpus than there are; chemistry has memory for two of its jobs.
QUOTAS = """
[groups.physics]
min = { cpus = 3, memory = 6144 }
max = { cpus = 5, memory = 8192 }
[groups.chem]
min = { cpus = 3, memory = 8192 }
max = { cpus = 8, memory = 8192 }
"""
GROUPS: Mapping[str, str] = {
    "GROUP_NAMES": "physics, chem",
    "GROUP_QUOTA_physics": "1",
    "GROUP_QUOTA_chem": "1",
    "NEGOTIATOR_CONSIDER_PREEMPTION": "False",
}


def looked(site: Site, tmp_path: Path, declared: str = QUOTAS) -> dict[str, Any]:
    (tmp_path / "quotas.toml").write_text(declared)
    quotas = str(tmp_path / "quotas.toml")
    found: dict[str, Any] = json.loads(
        site.htcq(
            "elastic",
            "status",
            "--quotas",
            quotas,
            "--pool",
            site.pool.collector,
            "--json",
        )
    )
    return found


def of_slots(pool: Pool) -> dict[str, Counter[str]]:
    """Return what condor_status says that each group's claimed slots have."""
    found: dict[str, Counter[str]] = {}
    names = ["AccountingGroup", "Cpus", "Memory"]
    for ad in pool.ads("slots", names, constraint='State == "Claimed"'):
        group = found.setdefault(ad["AccountingGroup"].partition(".")[0], Counter())
        group.update({"cpus": ad["Cpus"], "memory": ad["Memory"]})
    return found


def of_queue(pool: Pool) -> dict[str, Counter[str]]:
    """Return what condor_q says that each group's jobs ask for."""
    found: dict[str, Counter[str]] = {}
    for ad in pool.ads("jobs", ["AcctGroup", "RequestCpus", "RequestMemory"]):
        found.setdefault(ad["AcctGroup"], Counter()).update(
            cpus=ad["RequestCpus"], memory=ad["RequestMemory"]
        )
    return found


def test_fault_9_numbers_are_those_of_the_daemons_and_a_written_quota_lets_in_what_the_runtime_does(
    site: Site, tmp_path: Path
) -> None:
    """Of 8 cpus each is guaranteed 3; jobs of 3 GiB fit into 8 GiB twice, and what chemistry cannot use is physics' up to its max of 5."""
    pool = break_it(site, {**policy(), **GROUPS})
    with before(pool):
        queued(pool, {"physics.ada": 10}, request_memory=1024)
        queued(pool, {"chem.bob": 6}, request_memory=3072)
        idle = looked(site, tmp_path)
        requests = {name: group["request"] for name, group in idle["groups"].items()}
        assert requests == of_queue(pool)
        assert idle["dimensions"]["cpus"]["total"] == 8
        assert idle["dimensions"]["memory"]["total"] == 16384
        assert {name: group["runtime"] for name, group in idle["groups"].items()} == {
            "physics": {"cpus": 5, "memory": 5 * 1024},
            "chem": {"cpus": 3, "memory": 8192},
        }
        quotas = {name: group["quota"]["target"] for name, group in idle["groups"].items()}
        assert quotas == {"physics": 5, "chem": 2}
        assert {name: group["binding"] for name, group in idle["groups"].items()} == {
            "physics": "cpus",
            "chem": "memory",
        }
        knobs = {f"GROUP_QUOTA_{name}": str(quota) for name, quota in quotas.items()}
        pool.configure(written({**policy(), **GROUPS, **knobs}))
    come_to(pool, {"physics.ada": 5, "chem.bob": 2})

    def told() -> bool:
        accounts = {
            ad["Name"]: (ad["ConfigQuota"], ad["WeightedResourcesUsed"])
            for ad in pool.ads("any", constraint='MyType == "Accounting" && IsAccountingGroup')
        }
        seen = looked(site, tmp_path)["groups"]
        found = {
            name: (group["quota"]["now"], group["quota"]["used"]) for name, group in seen.items()
        }
        return all(accounts.get(name) == each for name, each in found.items()) and found[
            "physics"
        ] == (5, 5)

    pool.wait(told, 60, "accounting ads with the quotas and all claims", ("NegotiatorLog",))
    full = looked(site, tmp_path)
    assert {name: group["used"] for name, group in full["groups"].items()} == of_slots(pool)
    assert {name: group["quota"]["target"] for name, group in full["groups"].items()} == quotas
    assert {name: group["request"] for name, group in full["groups"].items()} == requests
    assert full["problems"] == []
    # No cycle more lets anybody in: the quotas are all that the runtimes are worth.
    assert full["claims"] == 7


def test_fault_11_leftovers_let_a_group_exceed_its_quota_and_status_says_so(
    site: Site, tmp_path: Path
) -> None:
    """The negotiator gives a whole slot of 8 cpus away; the schedd fills it, and the quota is 3."""
    knobs = {"GROUP_NAMES": "physics", "GROUP_QUOTA_physics": "3"}
    pool = break_it(site, {**UNHURRIED, **knobs})
    queued(pool, {"physics.ada": 9})
    logs = ("NegotiatorLog", "SchedLog")
    pool.wait(lambda: claims(pool)["physics.ada"] > 3, 60, "more claims than the quota", logs)
    cpus = looked(site, tmp_path, "[groups.physics]\nmax = { cpus = 3 }\n")["dimensions"]["cpus"]
    assert cpus["enforcement"] == "approximated"
    assert "access points" in cpus["why"]


CARDS = """
[groups.physics]
max = { cpus = 8, gpus = 3, "gpus:titan" = 3, "gpus:gtx-480" = 3 }
"""


def cards(site: Site, tmp_path: Path, what: str) -> dict[str, int]:
    """Return how many GPUs of each model there are in all (total), or are asked for (request) or used by physics."""
    found = looked(site, tmp_path, CARDS)
    assert found["problems"] == []
    if what == "total":
        return {name: each["total"] for name, each in found["dimensions"].items() if name != "cpus"}
    return {
        name: amount for name, amount in found["groups"]["physics"][what].items() if name != "cpus"
    }


def test_gpus_are_counted_by_model_whoever_has_them(site: Site, tmp_path: Path) -> None:
    """Two GTX 480 and a TITAN RTX in one machine; a partitionable slot names them all, or what is left of them."""
    pool = break_it(site, {"STARTD_DETECT_GPUS": "-properties -simulate:1,2,3,1"})
    there = {"gpus": 3, "gpus:gtx-480": 2, "gpus:titan": 1}
    with before(pool):
        assert cards(site, tmp_path, "total") == there
        queued(pool, {"physics.ada": 1}, request_gpus=1, require_gpus="Capability > 7")
        assert cards(site, tmp_path, "request") == {"gpus": 1, "gpus:gtx-480": 0, "gpus:titan": 1}
    come_to(pool, {"physics.ada": 1})
    # A claim comes before its job is in the queue as one that runs.
    pool.wait(lambda: pool.ads("jobs", ["ProcId"], constraint="JobStatus == 2"), 40, "the job")
    assert cards(site, tmp_path, "used") == {"gpus": 1, "gpus:gtx-480": 0, "gpus:titan": 1}
    assert cards(site, tmp_path, "total") == there
    (claimed,) = pool.ads("slots", ["GPUs_DeviceName", "GPUs"], constraint='State == "Claimed"')
    assert ("TITAN" in claimed["GPUs_DeviceName"], claimed["GPUs"]) == (True, 1)
