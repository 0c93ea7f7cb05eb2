"""A fleet whose machines and access points are broken in turns, and what htcq says of it each time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conftest import ROOT
from fleet import Fleet, Machine

#: Two cores each: a machine that fails is tried again in every cycle. The jobs of m4 stay in its
#: slots while they go on hold.
MACHINES = {f"m{number}": Machine(4 if number == 4 else 2, 4096) for number in range(1, 9)}
ACCESS_POINTS = ("ap1", "ap2", "ap3", "ap4", "ap5")
SMALL: Mapping[str, object] = {"request_cpus": 1, "request_memory": 128, "request_disk": 1024}
_FILE = "90-fault.config"
_ENDED = "Finished Negotiation Cycle"
#: A machine or an access point of a site has no session in common with the central manager's
#: daemons; here one master runs them all.
APART = "SEC_USE_FAMILY_SESSION = False\n"


@dataclass(frozen=True)
class Said:
    """What status, its plugin, audit and why say of one snapshot."""

    status: dict[str, Any]
    line: str
    audit: list[dict[str, Any]]
    why: dict[str, Any]

    @property
    def unmet(self) -> dict[tuple[str, str], dict[str, Any]]:
        """What should have happened and did not, by id and subject."""
        return {(each["id"], each["subject"]): each for each in self.status["unmet"]}

    def errors(self) -> set[str]:
        """Return the rules with errors, those that follow from others among them."""
        every = [*self.audit, *(one for each in self.audit for one in each["caused"])]
        return {each["rule"] for each in every if each["severity"] == "error"}

    def rules(self) -> set[str]:
        """Return the rules that found anything."""
        return {each["rule"] for each in self.audit}


def start(fleet: Fleet, files: Mapping[str, str] | None = None) -> None:
    """Start all daemons anew with these files, and with no job and no file of an earlier turn."""
    for access_point in fleet.access_points:
        for force in ((), ("-forcex",)):
            fleet.tool(access_point, "condor_rm", *force, "-all", check=False)
    for member in (*fleet.members, "central"):
        fleet.put(member, _FILE, (files or {}).get(member, ""))
    fleet.start()


def cycles(fleet: Fleet, count: int) -> None:
    """Wait until the negotiator has finished ``count`` more cycles."""
    pool = fleet.pool
    before = pool.log("NegotiatorLog").count(_ENDED)
    pool.wait(lambda: pool.log("NegotiatorLog").count(_ENDED) >= before + count, 90, "cycles")


def htcq(*words: str) -> str:
    """Run htcq and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "htcq", *words], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode in (0, 1, 2, 3), done.stderr
    assert done.stdout, done.stderr
    return done.stdout


def said(fleet: Fleet, directory: Path) -> Said:
    """Return what htcq says of the pool now."""
    where = str(directory / f"look-{len(list(directory.iterdir()))}")
    subprocess.run(
        [sys.executable, "-m", "htcq", "snapshot", where, "--pool", fleet.pool.collector],
        check=False, capture_output=True, cwd=ROOT,
    )  # fmt: skip
    of = ("--snapshot", where)
    audit = htcq("audit", "--json", "--fail-on", "never", "--config", "/dev/null", *of)
    return Said(
        json.loads(htcq("status", "--json", *of)),
        htcq("status", "--nagios", *of),
        json.loads(audit)["findings"],
        json.loads(htcq("why", "--all", "--json", *of)),
    )
