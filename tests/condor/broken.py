"""Pools that are broken on purpose: what the audit says of them before anything happens, and then what happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import ANSWERED, FAR_ABOVE, ROOT, Site
from testpool import Pool

#: With a consumption policy the negotiator forgets a match in its next cycle unless the collector
#: has the claim's slot by then: with cycles of a second a group on a busy machine would get more
#: than its quota.
UNHURRIED = dict.fromkeys(
    ("NEGOTIATOR_INTERVAL", "NEGOTIATOR_MIN_INTERVAL", "NEGOTIATOR_CYCLE_DELAY"), "3"
)
#: A sound consumption policy for a pool of 8 cpus and 16 GiB; each test replaces the line that it
#: is about.
POLICY: Mapping[str, str] = {
    **UNHURRIED,
    "CONSUMPTION_POLICY": "True",
    "CONSUMPTION_CPUS": "max({1, ceiling(TARGET.RequestCpus ?: 0)})",
    "CONSUMPTION_MEMORY": "max({1, ceiling(TARGET.RequestMemory ?: 0)})",
    "CONSUMPTION_DISK": "max({1, ceiling(TARGET.RequestDisk ?: 0)})",
    "CONSUMPTION_GPUS": "ceiling(TARGET.RequestGPUs ?: 0)",
    "SLOT_WEIGHT": "Cpus",
    "SCHEDD_SLOT_WEIGHT": "RequestCpus",
    "NUM_CLAIMS": "8",
    "CLAIM_PARTITIONABLE_LEFTOVERS": "False",
    "MODIFY_REQUEST_EXPR_REQUESTCPUS": "UNDEFINED",
    "MODIFY_REQUEST_EXPR_REQUESTMEMORY": "UNDEFINED",
    "MODIFY_REQUEST_EXPR_REQUESTDISK": "UNDEFINED",
}
SMALL_JOB: Mapping[str, object] = {"request_cpus": 1, "request_memory": 128, "request_disk": 1024}


def policy(**changes: str) -> dict[str, str]:
    """Return the sound policy with some knobs changed; an empty text leaves one out."""
    return {name: text for name, text in {**POLICY, **changes}.items() if text}


def break_it(site: Site, knobs: Mapping[str, str] | str) -> Pool:
    """Start the pool's daemons anew with ``knobs`` and nothing else of any earlier test."""
    site.emptied()
    site.start(
        knobs
        if isinstance(knobs, str)
        else "".join(f"{name} = {value}\n" for name, value in knobs.items())
    )
    return site.pool


@contextmanager
def before(pool: Pool) -> Iterator[None]:
    """Keep the negotiator off: what is submitted and looked at in here has not been matched yet.

    Afterwards it is only started: one that exits at its first match never gets to advertise itself.
    """
    pool.off("negotiator")
    try:
        yield
    finally:
        pool.tool("condor_on", "-daemon", "negotiator")


def submitted(pool: Pool, description: Mapping[str, object], count: int = 1) -> int:
    """Submit jobs and wait until the collector has heard of them; return their cluster."""
    cluster = pool.submit({**SMALL_JOB, **description}, count)

    def told() -> bool:
        return sum(ad.get("IdleJobs", 0) for ad in pool.ads("submitters", ["IdleJobs"])) >= count

    pool.wait(told, 30, f"{count} idle jobs in a submitter ad", ("SchedLog",))
    return cluster


def snapshot(pool: Pool, directory: Path) -> Path:
    """Take a snapshot of ``pool`` as a user does and return where it is."""
    where = directory / f"snapshot-{len(list(directory.iterdir()))}"
    _htcq("snapshot", str(where), "--pool", pool.collector)
    return where


def audited(pool: Pool, directory: Path, fixes: Path | None = None) -> list[dict[str, Any]]:
    """Return the findings of ``htcq audit`` on a snapshot that is taken now; what mends them goes to ``fixes``."""
    fix = ["--fix", str(fixes)] if fixes is not None else []
    # The machines of test pools claim more than this one has.
    ignored = [word for rule in sorted(FAR_ABOVE) for word in ("--ignore", rule)]
    words = ("--json", "--fail-on", "never", *ignored, *fix)
    printed = _htcq("audit", "--snapshot", str(snapshot(pool, directory)), *words)
    findings: list[dict[str, Any]] = json.loads(printed)["findings"]
    return findings


def errors(pool: Pool, directory: Path) -> set[str]:
    """Return the rules with findings of severity error in a snapshot that is taken now."""
    return {
        finding["rule"]
        for finding in every(audited(pool, directory))
        if finding["severity"] == "error"
    }


def every(findings: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield ``findings``, and those that follow from each."""
    for finding in findings:
        yield finding
        yield from finding["caused"]


def said_from_now(pool: Pool, log: str) -> Callable[[str], int]:
    """Return a function that counts how often a daemon's log has said a text since now."""
    start = len(pool.log(log))
    return lambda text: pool.log(log)[start:].count(text)


def running(pool: Pool) -> int:
    """Return how many dynamic slots are claimed."""
    return sum(bool(ad.get("DynamicSlot")) for ad in pool.ads("slots", ["DynamicSlot"]))


def cycles(pool: Pool, count: int = 3, seconds: float = 40.0) -> None:
    """Wait until the negotiator has finished ``count`` more cycles."""
    ended = "Finished Negotiation Cycle"
    before_them = pool.log("NegotiatorLog").count(ended)
    pool.wait(
        lambda: pool.log("NegotiatorLog").count(ended) >= before_them + count,
        seconds,
        "cycles",
        ("NegotiatorLog",),
    )


def _htcq(*arguments: str) -> str:
    # A schedd tells of its users to whom it knows.
    environment = {**os.environ, "_CONDOR_SEC_DEFAULT_AUTHENTICATION_METHODS": "CLAIMTOBE"}
    command = [sys.executable, "-m", "htcq", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode in ANSWERED, f"htcq {' '.join(arguments)}: {done.stderr}"
    return done.stdout
