"""A pool whose central manager, access point and execution point run versions of HTCondor of their own.

Each role has a master in the root directory of its suite; all of them report to the central
manager's collector."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from conftest import NODE, PACE
from pool_config import settings_text
from running_pool import LOGS
from testpool import Pool

CENTRAL, ACCESS, EXECUTE = ROLES = ("central", "access", "execute")
_DAEMONS = {CENTRAL: ("NEGOTIATOR",), ACCESS: ("SCHEDD",), EXECUTE: ("STARTD",)}
_READ = "Got SIGHUP"
_LOGS = {
    "NegotiatorLog": CENTRAL,
    "MatchLog": CENTRAL,
    "CollectorLog": CENTRAL,
    "SchedLog": ACCESS,
    "StartLog": EXECUTE,
}


class MixedPool(Pool):
    """The parts of such a pool as one: jobs are submitted, and tools run, at the access point."""

    def __init__(self, parts: Mapping[str, Pool]) -> None:
        access = parts[ACCESS]
        super().__init__(access.record, access.home)
        self.parts = dict(parts)

    @property
    def collector(self) -> str:
        """The address of the central manager's collector."""
        return self.parts[CENTRAL].collector

    def log(self, name: str) -> str:
        """The text of a daemon's log, of the part that runs the daemon."""
        return Pool.log(self.parts[_LOGS.get(name, ACCESS)], name)

    def configure(self, settings: Mapping[str, object] | str) -> None:
        """Replace the settings of all parts, which keep their collector."""
        for role, part in self.parts.items():
            Pool.configure(part, settings_text(settings) + _own(role, self.collector))

    def restart(self, seconds: float = 60.0) -> None:
        """Start all parts anew, the central manager first."""
        for part in self.parts.values():
            Pool.restart(part, seconds)

    def reconfig(self, seconds: float = 20.0) -> None:
        """Make the daemons of all parts read their configuration again."""
        for part in self.parts.values():
            pids = {LOGS[name]: pid for name, pid in Pool.daemon_pids(part).items() if name in LOGS}
            before = {log: part.log(log).count(_READ) for log in pids}
            for pid in pids.values():
                os.kill(pid, signal.SIGHUP)

            def read(part: Pool = part, before: Mapping[str, int] = before) -> bool:
                return all(part.log(log).count(_READ) > n for log, n in before.items())

            part.wait(read, seconds, "the reconfig of all daemons", tuple(pids))

    def daemon_pids(self) -> dict[str, int]:
        """The pids of the daemons, each of the part whose role it has; the master is the access point's."""
        pids = dict(Pool.daemon_pids(self.parts[ACCESS]))
        for role in ROLES:
            own = Pool.daemon_pids(self.parts[role])
            for daemon in _DAEMONS[role]:
                if daemon.lower() in own:
                    pids[daemon.lower()] = own[daemon.lower()]
        return pids


def _own(role: str, collector: str) -> str:
    """Return the settings of one part; ``collector`` is empty where it has its own.

    A daemon takes every collector of its own machine for one of its master's.
    """
    settings = f"MASTER_NAME = {role}\nSEC_USE_FAMILY_SESSION = False\n"
    if role != CENTRAL:
        settings += f"COLLECTOR_HOST = {collector}\n"
        settings += f"DAEMON_LIST = MASTER {' '.join(_DAEMONS[role])}\n"
    return settings


@contextmanager
def mixed_pool(suites: Mapping[str, str]) -> Iterator[MixedPool]:
    """Start a pool whose roles run HTCondor of ``suites``; it ends with the context."""
    machine: dict[str, Any] = {
        "cpus": NODE["cpus"], "memory_mb": NODE["memory_mb"], "disk_kb": NODE["disk_kb"],
    }  # fmt: skip
    with ExitStack() as stack:
        parts: dict[str, Pool] = {}
        address = ""
        for role in ROLES:
            settings = PACE + _own(role, address)
            part = Pool.start(
                suite=suites[role], settings=settings, daemons=_DAEMONS[role], **machine
            )
            parts[role] = stack.enter_context(part)
            address = address or part.collector
        yield MixedPool(parts)
