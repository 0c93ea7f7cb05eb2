"""Reclaim on a real pool: a borrower that fills it, a lender that wakes up, and htcq as an administrator runs it.

The machine of the tests has none of HTCondor's tools: condor_userprio is that of the pool,
beside its daemons."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broken import UNHURRIED, break_it
from claims import come_to, queued
from conftest import ROOT, Site
from testpool import Pool

from tests.schemas.validation import objections

#: Who owns half of the pool each; both may use all of it as long as nobody else wants it. Claims
#: outlive their jobs.
KNOBS: Mapping[str, str] = {
    **UNHURRIED,
    "GROUP_NAMES": "borrower, lender, other",
    "GROUP_QUOTA_borrower": "4",
    "GROUP_QUOTA_lender": "4",
    "GROUP_QUOTA_other": "0",
    "GROUP_ACCEPT_SURPLUS": "True",
    "CLAIM_WORKLIFE": "1200",
}
_GROUP = "[groups.{name}]\nmin = {{ cpus = {min} }}\nmax = {{ cpus = 8 }}\n"
#: Nothing is waited for but what the test is about.
LIMITS: Mapping[str, object] = {
    "over_for": '"0s"', "need_for": '"0s"', "settle_time": '"0s"', "min_runtime": '"0s"', "grace": '"0s"',
    "pool_percent": 100, "vacates": 100,
}  # fmt: skip


@dataclass(frozen=True)
class Reclaim:
    """``htcq elastic reclaim`` for one pool, with a directory of its own."""

    pool: Pool
    directory: Path

    @property
    def journal(self) -> Path:
        """The journal."""
        return self.directory / "reclaim"

    def limits(self, **limits: object) -> Reclaim:
        """Write the quotas, with these limits in place of the usual ones."""
        groups = "".join(
            _GROUP.format(name=name, min=least)
            for name, least in (("borrower", 4), ("lender", 4), ("other", 0))
        )
        table = "".join(f"{key} = {value}\n" for key, value in {**LIMITS, **limits}.items())
        (self.directory / "quotas.toml").write_text(f"[elastic.reclaim]\n{table}\n{groups}")
        return self

    def start(self, action: str, *options: str) -> subprocess.Popen[str]:
        """Start the command."""
        command = [
            sys.executable, "-m", "htcq", "elastic", "reclaim", action,
            "--quotas", str(self.directory / "quotas.toml"), *options,
        ]  # fmt: skip
        if action != "emit":
            command += ["--pool", self.pool.collector, "--journal", str(self.journal)]
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def environment(self) -> dict[str, str]:
        """Return the environment of an administrator of the pool."""
        # Nobody can prove who he is across the walls of the pool's root directory.
        return {
            **os.environ,
            "PATH": f"{self._tools()}{os.pathsep}{os.environ['PATH']}",
            "CONDOR_CONFIG": "/dev/null",
            "_CONDOR_SEC_DEFAULT_AUTHENTICATION_METHODS": "CLAIMTOBE",
        }

    def _tools(self) -> Path:
        directory = self.directory / "bin"
        directory.mkdir(exist_ok=True)
        joined = self.pool._installation.join_command(
            ["condor_userprio"], self.pool.master_pid(), False
        )
        environment = self.pool._installation.environment(self.pool.record.config_file)
        clean = " ".join(shlex.quote(f"{name}={value}") for name, value in environment.items())
        tool = directory / "condor_userprio"
        tool.write_text(f'#!/bin/sh\nexec /usr/bin/env -i {clean} {shlex.join(joined)} "$@"\n')
        tool.chmod(0o755)
        return directory

    def run(self, *options: str, status: int = 0) -> str:
        """Run the command and return what it prints."""
        process = self.start(*options)
        out, err = process.communicate(timeout=600)
        assert process.returncode == status, f"status {process.returncode}: {out}\n{err}"
        return out

    def json(self, *options: str, status: int = 0) -> dict[str, Any]:
        """Run the command and return what it prints as JSON."""
        found: dict[str, Any] = json.loads(self.run(*options, "--json", status=status))
        assert objections("elastic-reclaim", found) == []
        return found

    def records(self, kind: str) -> list[dict[str, Any]]:
        """Return what the journal has of one kind."""
        return [record["reclaim"] for record in self.events(kind)]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the lines of the journal of one kind, with their times."""
        if not self.journal.exists():
            return []
        found = [json.loads(line) for line in self.journal.read_text().splitlines() if line]
        return [record for record in found if record["kind"] == kind]


def lent(site: Site, directory: Path, waiting: int, **knobs: str) -> Reclaim:
    """Let a borrower fill the pool's 8 cpus and want 4 more, then a lender want ``waiting``."""
    pool = break_it(site, {**KNOBS, **knobs})
    for who in ceilings(pool):
        pool.tool("condor_userprio", "-setceiling", who, "-1")
    queued(pool, {"borrower.bob": 12})
    come_to(pool, {"borrower.bob": 8})
    queued(pool, {"lender.ann": waiting})
    return Reclaim(pool, directory).limits()


def ceilings(pool: Pool) -> dict[str, int]:
    """Return the ceilings that submitters have."""
    printed = pool.tool(
        "condor_userprio", "-negotiator", "-allusers", "-af:t", "Name", "Ceiling", check=False
    )
    pairs = (line.split("\t") for line in printed.splitlines())
    return {name: int(ceiling) for name, ceiling in pairs if ceiling not in ("-1", "undefined")}


def vacated(pool: Pool) -> set[str]:
    """Return the jobs that were vacated, by number."""
    ads = pool.ads(
        "jobs", ["ClusterId", "ProcId", "LastVacateTime"], constraint="LastVacateTime > 0"
    )
    return {f"{ad['ClusterId']}.{ad['ProcId']}" for ad in ads}
