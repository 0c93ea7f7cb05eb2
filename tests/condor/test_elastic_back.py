"""The min of half a pool comes back within what ``htcq why`` has said, as claims end and by reclaim.

A large pool scaled down: jobs of seconds in place of hours, and a cycle every four seconds. Runs
with ``--elastic-hours N``: a machine that does other things at the same time would be measured too.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from broken import policy
from claims import claims, come_to, queued
from conftest import NEWEST, ROOT, Site
from elastic_pool import Elastic, elastic_pool
from reclaiming import LIMITS, Reclaim

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
ONLY_WITH = "--elastic-hours"
CPUS, CYCLE = 8, 4
HALF = CPUS // 2
#: Jobs of the borrower run for so many seconds, evenly spread.
SHORTEST, LONGEST = 14, 20
PACE = {
    **dict.fromkeys(("NEGOTIATOR_INTERVAL", "NEGOTIATOR_MIN_INTERVAL"), str(CYCLE)),
    "NEGOTIATOR_CYCLE_DELAY": "1",
    "CLAIM_WORKLIFE": "0",
}
#: What was said may be exceeded, or not be needed, by a fifth of it.
OFF = 0.2


def said(elastic: Elastic, way: str) -> float:
    """Return in how many seconds ``htcq why`` says that the lender's min is back."""
    runs = f"uniform:{SHORTEST}..{LONGEST}"
    words = ("--quotas", str(elastic.directory / "elastic.toml"), "--run-time", runs)
    command = [sys.executable, "-m", "htcq", "why", "lender", "--pool", elastic.pool.collector]
    done = subprocess.run([*command, *words], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    found = re.search(way, done.stdout)
    assert found, done.stdout
    return float(found[1])


def borrowed(elastic: Elastic, *lengths: int) -> None:
    """Let the borrower fill the pool with jobs that run for so many seconds."""
    who = {"accounting_group": "borrower", "accounting_group_user": "bob"}
    for seconds in lengths:
        small = {"request_cpus": 1, "request_memory": 128, "request_disk": 1024}
        elastic.pool.submit({**small, **who, "arguments": str(seconds)}, CPUS // len(lengths))
    come_to(elastic.pool, {"borrower.bob": CPUS})


def until_back(elastic: Elastic, began: float) -> float:
    """Wait until the lender has its min, and return how many seconds that took since ``began``."""
    elastic.pool.wait(
        lambda: claims(elastic.pool)["lender.ann"] == HALF, 30, "its min", ("NegotiatorLog",)
    )
    return time.monotonic() - began


def test_half_of_a_pool_is_back_within_what_why_says(site: Site, tmp_path: Path) -> None:
    elastic = elastic_pool(site, tmp_path, **policy(**PACE))
    half = f"min = {{cpus = {HALF}}}\nmax = {{cpus = {CPUS}}}\n"
    elastic.declare({"borrower": half, "lender": half})
    limits = {**LIMITS, "need_for": f'"{2 * CYCLE}s"', "pool_percent": 25, "settle_time": '"60s"'}
    table = "".join(f"{key} = {value}\n" for key, value in limits.items())
    declared = elastic.directory / "elastic.toml"
    declared.write_text(f"{declared.read_text()}[elastic.reclaim]\n{table}")
    (tmp_path / "quotas.toml").write_text(declared.read_text())
    elastic.step()

    spread = (LONGEST - SHORTEST) / (HALF - 1)
    borrowed(elastic, *(round(SHORTEST + spread * number) for number in range(HALF)))
    began = time.monotonic()
    ends = said(elastic, r"within (\d+) s in 95 of 100 cases")
    queued(elastic.pool, {"lender.ann": HALF})
    took = until_back(elastic, began)
    assert abs(took / ends - 1) <= OFF, f"as claims end: said {ends:g} s, took {took:.1f} s"

    elastic.pool.remove_jobs()
    borrowed(elastic, 3600)
    by_reclaim = said(elastic, r"within (\d+) s by reclaim")
    reclaim = Reclaim(elastic.pool, tmp_path)
    queued(elastic.pool, {"lender.ann": HALF})
    began = time.monotonic()  # nobody is in need before the schedd has told of the jobs
    while claims(elastic.pool)["lender.ann"] < HALF:
        reclaim.run("apply")
        assert time.monotonic() - began < 10 * by_reclaim
    took = until_back(elastic, began)
    assert abs(took / by_reclaim - 1) <= OFF, f"said {by_reclaim:g} s, took {took:.1f} s"
    reclaim.run("release")
