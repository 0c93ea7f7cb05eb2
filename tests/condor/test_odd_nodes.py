"""Nodes whose memory is no multiple of the levels, and requests of nothing: what is matched runs.

The startd computes the consumption again on what a claim leaves and refuses a claim that would have
grown; before, the negotiator matched such jobs in every cycle and the startd refused them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Site
from measured import run_jobs

pytestmark = pytest.mark.condor

#: 96 quanta of 4011.6 MB.
ODD = {"cpus": 96, "memory_mb": 385_117, "disk_kb": 20_000_000}
ODD_KNOBS = f"NUM_CPUS = {ODD['cpus']}\nMEMORY = {ODD['memory_mb']}\n"
#: A match in MatchLog, and a claim that a startd would not make.
_MATCHED = re.compile(r"Matched \d+\.\d+ ")
_REFUSED = re.compile(r"refused|Partitionable slot can't be split|Requirements do not match")


def job(memory: int, disk: int = 1000) -> tuple[dict[str, object], int]:
    """One job of 1 cpu."""
    return {"request_cpus": 1, "request_memory": memory, "request_disk": disk}, 1


def since(site: Site, log: str, before: int) -> str:
    """What a daemon has written to its log since it had ``before`` characters."""
    return site.pool.log(log)[before:]


@pytest.mark.parametrize(
    ("node", "knobs", "flags", "jobs"),
    [
        pytest.param(
            ODD,
            ODD_KNOBS,
            ("--model", "quantized"),
            [job(128_365), job(128_384), job(3970), job(100_000)],
            id="quantized",
        ),
        pytest.param(
            ODD,
            ODD_KNOBS,
            ("--model", "fixed", "--claims", "4"),
            [job(96_279), job(1), job(4011), job(96_279)],
            id="even-shares",
        ),
        pytest.param(
            None,
            "",
            ("--level", "cpus=8", "--level", "disk=5", "--rule", "max"),
            [job(100, disk=0)] * 4,
            id="nothing-of-disk",
        ),
    ],
)
def test_four_jobs_run_and_none_is_matched_and_refused(
    site: Site,
    node: dict[str, int] | None,
    knobs: str,
    flags: tuple[str, ...],
    jobs: list[tuple[dict[str, object], int]],
    tmp_path: Path,
) -> None:
    site = replace(site, node=node or site.node)
    site.adopt(tmp_path, flags, knobs)
    shapes = [
        f"cpus=1,memory={asked['request_memory']}MiB,disk={asked['request_disk']}KiB"
        for asked, _ in jobs
    ]
    together = site.plan(tmp_path, flags, shapes)["slot_types"][0]["together"]
    assert sum(together["running"]) == 4
    before = {log: len(site.pool.log(log)) for log in ("MatchLog", "StartLog")}

    measured = run_jobs(site.pool, jobs, 4, together["demand"])

    assert measured.running == 4
    assert measured.weight_left == together["weight_left"]
    assert len(_MATCHED.findall(since(site, "MatchLog", before["MatchLog"]))) == 4
    assert not _REFUSED.findall(since(site, "StartLog", before["StartLog"]))
    site.pool.clear()
