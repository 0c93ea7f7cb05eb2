"""Demand that is counted in another unit than quotas: the audit says so from a snapshot, then a group starves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from broken import before, break_it, cycles, errors
from claims import claims, come_to, groups, log_from_now, queued, written
from conftest import NEWEST, Site

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

#: A pool of 16 units of 2 GiB.
BY_MEMORY = {"SLOT_WEIGHT": "Memory/2048.0", "MEMORY": "32768", "NUM_CPUS": "20"}
SURPLUS = {"GROUP_ACCEPT_SURPLUS": "True"}


def test_demand_in_jobs_starves_a_group_of_large_jobs(site: Site, tmp_path: Path) -> None:
    """It uses 4 of 8 and seems to want 2: its limit is no number, until demand is weighed again."""
    sound = {**groups(hep="8"), **SURPLUS}
    pool = break_it(site, {**sound, "NEGOTIATOR_USE_WEIGHTED_DEMAND": "False"})
    log = log_from_now(pool)
    queued(pool, {"hep.ann": 1}, weight=4, request_cpus=4)
    come_to(pool, {"hep.ann": 1})
    with before(pool):
        queued(pool, {"hep.ann": 1}, weight=4, request_cpus=4)
        assert "unweighted-demand" in errors(pool, tmp_path)
    cycles(pool)
    assert claims(pool) == {"hep.ann": 1}
    assert "Group hep - BEGIN NEGOTIATION with a quota limit of -nan" in log()
    pool.configure(written(sound))
    pool.reconfig()
    come_to(pool, {"hep.ann": 2})


def test_a_schedd_without_weights_starves_a_group(site: Site, tmp_path: Path) -> None:
    """It uses 4 of 16, while to the schedd its two jobs weigh 2, until the schedd weighs them."""
    sound = {
        **groups(hep="16"),
        **SURPLUS,
        **BY_MEMORY,
        "SCHEDD_SLOT_WEIGHT": "RequestMemory/2048.0",
    }
    pool = break_it(site, {**sound, "SCHEDD_USE_SLOT_WEIGHT": "False"})
    queued(pool, {"hep.ann": 1}, request_memory=8192)
    come_to(pool, {"hep.ann": 1})
    with before(pool):
        queued(pool, {"hep.ann": 1}, request_memory=8192)
        assert "demand-in-other-units" in errors(pool, tmp_path)
    cycles(pool)
    assert claims(pool) == {"hep.ann": 1}
    pool.configure(written(sound))
    pool.reconfig()
    come_to(pool, {"hep.ann": 2})


@pytest.mark.parametrize(
    ("schedd_weight", "weighs", "gets"),
    [
        ("RequestCpus", 1, {"hep.ann": 1, "lep.ben": 3}),
        ("RequestMemory/2048.0", 4, {"hep.ann": 2, "lep.ben": 2}),
    ],
    ids=("in cpus", "in memory"),
)
def test_demand_in_cpus_gets_less_of_a_surplus_in_memory(
    site: Site, tmp_path: Path, schedd_weight: str, weighs: int, gets: Mapping[str, int]
) -> None:
    """Two groups want equal parts of the memory, one with 1 cpu for each 8 GiB and one with 4."""
    knobs = {**groups(hep="1", lep="1"), **SURPLUS, **BY_MEMORY}
    pool = break_it(site, {**knobs, "SCHEDD_SLOT_WEIGHT": schedd_weight})
    with before(pool):
        queued(pool, {"hep.ann": 4}, weight=weighs, request_memory=8192)
        queued(pool, {"lep.ben": 4}, weight=4, request_memory=8192, request_cpus=4)
        assert (weighs != 4) == ("demand-in-other-units" in errors(pool, tmp_path))
    come_to(pool, gets)
    cycles(pool, 2)
    assert claims(pool) == gets
