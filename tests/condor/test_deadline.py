"""Hundreds of access points that somebody advertises and that never answer: every command ends in time, with what it has."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple

import pytest
from broken import cycles
from claims import queued
from conftest import NEWEST, ROOT, Site

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

#: So many access points on a few listening sockets of a host of their own.
SILENT, SOCKETS, HOST = 500, 25, "127.0.0.2"
DEADLINE, GRACE = 24, 2.0
#: Commands that run at the same time.
AT_A_TIME = 3
QUOTAS = """
[elastic.write]
directory = "{place}"
journal = "{place}/journal"
[elastic.reclaim]
journal = "{place}/reclaim"
[groups.gx]
min = {{ cpus = 1 }}
max = {{ cpus = 2 }}
"""
COMMANDS = (
    "audit",
    "audit --nagios",
    "status",
    "quota",
    "why --all",
    "simulate",
    "cost",
    "elastic plan --quotas {quotas}",
    "elastic reclaim plan --quotas {quotas}",
    "elastic status --quotas {quotas}",
    "drift check --nagios",
    "drift record --store {place}/history.db",
    "report {place}/pages",
    "snapshot {place}/snap",
)


def _ad(number: int, port: int) -> str:
    return (
        f'MyType = "Scheduler"\nName = "silent{number}"\nMachine = "silent{number}.test"\n'
        f'MyAddress = "<{HOST}:{port}>"\nScheddIpAddr = "<{HOST}:{port}>"\n'
        'CondorVersion = "$CondorVersion: 25.14.1 2026-10-16 $"\nTotalIdleJobs = 5\n'
    )


@pytest.fixture(scope="module")
def besieged(site: Site) -> Iterator[Site]:
    """The pool with a job that waits, and the silent access points beside its own."""
    site.emptied()
    site.start("GROUP_NAMES = gx\nGROUP_QUOTA_gx = 1\nSTART = False\n")
    queued(site.pool, {"gx.ada": 1})
    cycles(site.pool, 2)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(socket.create_server((HOST, 0), backlog=2000))
            for _ in range(SOCKETS)
        ]
        ports = [server.getsockname()[1] for server in servers]
        ads = "\n".join(_ad(number, ports[number % SOCKETS]) for number in range(SILENT))
        words = ("condor_advertise", "-multiple", "-tcp")
        site.pool.tool(*words, "UPDATE_SCHEDD_AD", "-", text=ads)
        yield site
        away = 'MyType = "Query"\nTargetType = "Scheduler"\nRequirements = Name != "node.test"\n'
        site.pool.tool(*words, "INVALIDATE_SCHEDD_ADS", "-", text=away)


class Ended(NamedTuple):
    """How a command ended, and after how many seconds."""

    done: subprocess.CompletedProcess[str]
    seconds: float


@pytest.fixture(scope="module")
def ended(besieged: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """All commands, some at a time: most of what they do is to wait."""

    def run(command: str) -> Ended:
        place = tmp_path_factory.mktemp("place")
        quotas = place / "quotas.toml"
        quotas.write_text(QUOTAS.format(place=place))
        words = command.format(place=place, quotas=quotas).split()
        where = ("--pool", besieged.pool.collector, "--deadline", str(DEADLINE))
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "htcq", *words, *where],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        return Ended(done, time.monotonic() - started)

    with ThreadPoolExecutor(AT_A_TIME) as crew:
        return dict(zip(COMMANDS, crew.map(run, COMMANDS)))


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_ends_by_its_deadline_and_names_who_was_silent(
    ended: dict[str, Ended], command: str
) -> None:
    done, took = ended[command]

    assert took < DEADLINE + GRACE
    told = done.stdout + done.stderr
    # A monitoring system hears CRITICAL (2): it is certain that access points do not answer.
    assert done.returncode == (2 if command.endswith("--nagios") else 3), told
    assert "not done within" not in told
    # Of many, an overview names some.
    assert ("silent" if command == "status" else f"silent{SILENT - 1}") in told
    # Its own access point, on another host, was heard.
    assert "node.test does not answer" not in told
    assert "node.test was not asked" not in told
