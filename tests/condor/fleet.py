"""A real pool of several execution points and access points on one machine.

One master runs a startd for each node and a schedd for each access point. Each of them has a
host name, a configuration directory and logs of its own, so that a file for one node reaches
that node alone and one node is restarted while the others run on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from conftest import ROOT
from pool_config import settings_text
from process_tree import descendants
from running_pool import LOGS, SLEEPER
from testpool import Pool, PoolError

#: Slower cycles than other tests have: the negotiator forgets a match unless the ad of its claim
#: comes before the next cycle, and a machine that starts a hundred jobs is late.
PACE = """
NEGOTIATOR_INTERVAL = 3
NEGOTIATOR_MIN_INTERVAL = 3
NEGOTIATOR_CYCLE_DELAY = 3
SCHEDD_INTERVAL = 1
SCHEDD_MIN_INTERVAL = 1
UPDATE_INTERVAL = 2
"""
#: The access point that HTCondor's tools use when none is named.
FIRST_ACCESS_POINT = "ap1"
_DIRECTORIES = ("log", "spool", "execute", "lock", "run", "config.d")


@dataclass(frozen=True)
class Machine:
    """What one execution point pretends to have: memory in MB, disk in KiB."""

    cpus: int
    memory: int
    disk: int = 400_000_000
    gpus: int = 0

    def facts(self, version: str) -> dict[str, object]:
        """Return the node facts that ``htcq --node`` reads."""
        found: dict[str, object] = {
            "cpus": self.cpus,
            "memory_mb": self.memory,
            "disk_kb": self.disk,
        }
        if self.gpus:
            found["gpus"] = self.gpus
        return {**found, "condor_version": version}


class Fleet:
    """A pool whose nodes and access points are configured one by one.

    The directories of :meth:`config_dir` begin empty; ``central`` is the pool's own.
    """

    def __init__(
        self, pool: Pool, machines: Mapping[str, Machine], access_points: Sequence[str]
    ) -> None:
        self.pool = pool
        self.machines = dict(machines)
        self.access_points = tuple(access_points)

    # --- places
    # -----------------------------------------------------------------------------------------------

    @property
    def members(self) -> tuple[str, ...]:
        """The nodes and access points."""
        return (*self.machines, *self.access_points)

    def daemon(self, member: str) -> str:
        """Return the name of a member's daemon, as DAEMON_LIST of the pool's master has it."""
        return f"{'STARTD' if member in self.machines else 'SCHEDD'}_{member.upper()}"

    def config_dir(self, member: str) -> Path:
        """Return the configuration directory of a node, of an access point or of ``central``, as the host sees it."""
        return (
            self.pool.config_dir
            if member == "central"
            else self.pool.path("fleet", member, "config.d")
        )

    def config_file(self, member: str) -> str:
        """Return CONDOR_CONFIG of a node or access point, as its daemon sees it."""
        return f"{self.pool.record.inner_directory}/fleet/{member}/condor_config"

    def log(self, member: str) -> str:
        """Return the log of a node's startd or an access point's schedd."""
        path = self.pool.path("fleet", member, "log", _log_of(self.daemon(member)))
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def node_file(self, node: str, directory: Path) -> str:
        """Write the facts of a node and return the file's name."""
        path = directory / f"{node}.json"
        path.write_text(json.dumps(self.machines[node].facts(self.pool.record.version)))
        return str(path)

    def put(self, member: str, name: str, text: str) -> None:
        """Write a configuration file of a node, of an access point or of ``central``; it is not read yet."""
        path = self.config_dir(member) / name
        path.write_text(text)
        path.chmod(0o644)

    def emit(
        self, member: str, directory: Path, *flags: str, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Let ``htcq emit`` write the file of one node, access point or ``central``; it is not read yet."""
        roles = {
            **dict.fromkeys(self.machines, "execute"),
            **dict.fromkeys(self.access_points, "access"),
        }
        node = member if member in self.machines else next(iter(self.machines))
        command = [
            "emit",
            "--role",
            roles.get(member, "central"),
            "--node",
            self.node_file(node, directory),
            *flags,
        ]
        words = [sys.executable, "-m", "htcq", *command, "--write", str(self.config_dir(member))]
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
        assert not check or not done.returncode, f"htcq {' '.join(command)}: {done.stderr}"
        return done

    # --- daemons
    # ----------------------------------------------------------------------------------------------

    def pid(self, member: str) -> int:
        """Return the pid of a node's startd or an access point's schedd, as the host sees it."""
        wanted = f"CONDOR_CONFIG={self.config_file(member)}".encode()
        command = f"condor_{_kind_of(self.daemon(member))}"
        for process in descendants(self.pool.master_pid()):
            if process.command == command and wanted in _environment(process.pid):
                return process.pid
        raise PoolError(f"the daemon of {member} is not running")

    def restart(self, *members: str, seconds: float = 60.0) -> None:
        """Stop these nodes and access points fast; the master starts them anew. Jobs on a node die with its claims."""
        before = {member: self.pid(member) for member in members}
        for pid in before.values():
            os.kill(pid, signal.SIGQUIT)
        for member, pid in before.items():
            self._await(member, pid, seconds)

    def restart_gracefully(self, member: str, seconds: float = 60.0) -> None:
        """Restart one node or access point as condor_restart does, whose master sends its daemon this signal."""
        before = self.pid(member)
        os.kill(before, signal.SIGTERM)
        self._await(member, before, seconds)

    def _await(self, member: str, old: int, seconds: float) -> None:
        """Wait until a member's daemon runs, is not the old one, and has sent its ads."""
        started = partial(self._started_after, member, old)
        self.pool.wait(started, seconds, f"the ads of {member}", ("MasterLog",))

    def _started_after(self, member: str, old: int) -> bool:
        try:
            new = self.pid(member)
        except (PoolError, FileNotFoundError, ProcessLookupError):
            return False
        return new != old and self._answers(member)

    def _answers(self, member: str) -> bool:
        """Return whether the collector has the ad that this process, not an earlier one, sent."""
        address = self._address(member)
        kind = "slots" if member in self.machines else "schedd"
        ads = self.pool.ads(
            kind, ["DaemonStartTime", "MyAddress"], constraint=f'Machine == "{member}.test"'
        )
        return bool(ads and address) and all(
            _port(str(ad["MyAddress"])) == _port(address) for ad in ads
        )

    def _address(self, member: str) -> str:
        """Return the address that a member's daemon wrote down; empty where none did."""
        written = self.pool.path("fleet", member, "log", ".daemon_address")
        return written.read_text().partition("\n")[0] if written.exists() else ""

    def reconfig(self, *members: str, seconds: float = 20.0) -> None:
        """Make these nodes and access points read their configuration; returns when each has begun to."""
        before = {member: self.log(member).count("Got SIGHUP") for member in members}
        for member in members:
            os.kill(self.pid(member), signal.SIGHUP)

        def read() -> bool:
            return all(
                self.log(member).count("Got SIGHUP") > count for member, count in before.items()
            )

        self.pool.wait(read, seconds, f"the reconfig of {', '.join(members)}")

    def reconfig_central(self, seconds: float = 20.0) -> None:
        """Make the negotiator read its configuration; returns when it has begun to."""
        before = self.pool.log("NegotiatorLog").count("Got SIGHUP")
        os.kill(self.pool.daemon_pids()["negotiator"], signal.SIGHUP)
        self.pool.wait(
            lambda: self.pool.log("NegotiatorLog").count("Got SIGHUP") > before,
            seconds,
            "a reconfig",
        )

    def start(self) -> None:
        """Start all daemons anew with what is in their directories, and forget who used what."""
        self.pool.restart()
        for member in self.members:
            self._await(member, 0, 60)
        self.pool.forget_usage()

    def tool(self, member: str, *command: str, check: bool = True) -> str:
        """Run one of HTCondor's tools with the configuration of a node or access point."""
        return self.pool.tool(
            "env", f"CONDOR_CONFIG={self.config_file(member)}", *command, check=check
        )

    # --- jobs and slots
    # ---------------------------------------------------------------------------------------

    def submit(
        self,
        description: Mapping[str, object],
        count: int = 1,
        access_point: str = FIRST_ACCESS_POINT,
    ) -> int:
        """Submit sleeping jobs at an access point and return their cluster."""
        text = settings_text(SLEEPER) + settings_text(description) + f"queue {count}\n"
        words = (
            "env",
            f"CONDOR_CONFIG={self.config_file(access_point)}",
            "condor_submit",
            "-terse",
            "-",
        )
        return int(self.pool.tool(*words, as_job_user=True, text=text).partition(".")[0])

    def jobs(self, *attributes: str, constraint: str = "true") -> list[tuple[object, ...]]:
        """Return these attributes of the jobs of all access points, expressions evaluated."""
        found = []
        for access_point in self.access_points:
            printed = self.tool(
                access_point,
                "condor_q",
                "-allusers",
                "-constraint",
                constraint,
                "-af:t",
                *attributes,
            )
            found += [tuple(map(_value, line.split("\t"))) for line in printed.splitlines()]
        return found

    def demand(self, submitter: str, weight: int, seconds: float = 40.0) -> None:
        """Wait until the schedds have told the collector that the idle jobs of a submitter weigh so much."""

        def heard_of() -> bool:
            ads = self.pool.ads("submitters", ["Name", "WeightedIdleJobs"])
            return (
                sum(
                    ad["WeightedIdleJobs"]
                    for ad in ads
                    if ad["Name"].partition("@")[0] == submitter
                )
                == weight
            )

        self.pool.wait(heard_of, seconds, f"a demand of {weight} of {submitter}")

    def empty_queues(self, seconds: float = 60.0) -> None:
        """Remove all jobs; needs schedds that run, if there ever were jobs."""
        if not self.pool.ads("schedd", ["Name"]):
            return
        for access_point in self.access_points:
            self.pool.remove_jobs(seconds, partial(self.tool, access_point))

    def clear(self, seconds: float = 60.0) -> None:
        """Remove all jobs, wait until no slot is claimed, and forget who used what."""
        self.empty_queues(seconds)
        self.pool.wait(
            lambda: not self.slots(constraint='State == "Claimed"'),
            seconds,
            "machines without claims",
        )
        self.pool.forget_usage()

    def slots(self, *attributes: str, constraint: str = "", node: str = "") -> list[dict[str, Any]]:
        """Return the slots with some attributes, expressions evaluated.

        Args:
            attributes: their names; Name and Machine are always there.
            constraint: a ClassAd expression.
            node: ask this node's startd, whose slots are of one moment. The collector has a
                partitionable slot that was split some time before it has the dynamic slot.
        """
        names = ("Name", "Machine", *attributes)
        options = ["-constraint", constraint] if constraint else []
        options += ["-direct", self._address(node)] if node else []
        printed = self.pool.tool("condor_status", *options, "-af:t", *names)
        rows = [line.split("\t") for line in printed.splitlines()]
        return [dict(zip(names, map(_value, row))) for row in rows]

    def weight(self, node: str) -> float:
        """Return what the slots of a node weigh together, at one moment."""
        return sum(float(slot["SlotWeight"]) for slot in self.slots("SlotWeight", node=node))

    def weights(self) -> dict[str, float]:
        """Return what the slots of each node weigh together."""
        return {node: self.weight(node) for node in self.machines}

    def usage(self) -> dict[str, float]:
        """Return the weighted usage of each group as the slots have it now: what their claims weigh, by group."""
        found: dict[str, float] = {}
        for slot in self.slots("AccountingGroup", "SlotWeight", constraint='State == "Claimed"'):
            group = str(slot["AccountingGroup"]).partition("@")[0].rpartition(".")[0]
            found[group] = found.get(group, 0.0) + float(slot["SlotWeight"])
        return found


def _kind_of(daemon: str) -> str:
    return daemon.partition("_")[0].lower()


def _log_of(daemon: str) -> str:
    return LOGS[_kind_of(daemon)]


def _environment(pid: int) -> list[bytes]:
    """Return the environment of a process; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def _port(address: str) -> str:
    return address.partition("?")[0].strip("<>").rpartition(":")[2]


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


@contextmanager
def fleet_pool(
    suite: str,
    machines: Mapping[str, Machine],
    access_points: Sequence[str] = (FIRST_ACCESS_POINT,),
    pace: str = PACE,
    roots: Path | None = None,
) -> Iterator[Fleet]:
    """Start a pool of these nodes and access points, with no configuration but its pace, and stop it at the end.

    Their ads have Machine ``<name>.test``. Nothing is started yet that could match: :meth:`Fleet.start` does it. ``roots`` has
    the root directories of HTCondor, if that is not the usual place."""
    with Pool.start(suite=suite, daemons=("NEGOTIATOR",), settings=pace, roots=roots) as pool:
        fleet = Fleet(pool, machines, access_points)
        for node, machine in machines.items():
            _furnish(fleet, node, _machine_text(machine), pace)
        for access_point in access_points:
            _furnish(fleet, access_point, "", pace)
        fleet.put("central", "00-fleet.config", _daemons(fleet))
        pool._installation.give_away(pool.path("fleet"))
        yield fleet


def _machine_text(machine: Machine) -> str:
    text = f"NUM_CPUS = {machine.cpus}\nMEMORY = {machine.memory}\nDISK = {machine.disk}\n"
    if machine.gpus:
        text += f"STARTD_DETECT_GPUS = -properties -simulate:0,{machine.gpus}\n"
    return text


def _furnish(fleet: Fleet, member: str, machine: str, pace: str) -> None:
    """Make a member's directories and its condor_config: the pool's, with places and a host name of its own."""
    pool, place, daemon = fleet.pool, fleet.pool.path("fleet", member), fleet.daemon(member)
    for name in _DIRECTORIES:
        (place / name).mkdir(parents=True)
    inside = f"{pool.record.inner_directory}/fleet/{member}"
    text = pool.config_file.read_text()
    text += f"LOCAL_DIR = {inside}\nLOCAL_CONFIG_DIR = {inside}/config.d\nLOCAL_CONFIG_FILE =\n"
    text += f"NETWORK_HOSTNAME = {member}.test\n{pace}{machine}"
    # The master gives the daemon its own name as a local name; tools look for the knobs without it.
    kind, log = _kind_of(daemon).upper(), _log_of(daemon)
    for prefix in ("", f"{daemon}."):
        text += (
            f"{prefix}{kind}_ADDRESS_FILE = $(LOG)/.daemon_address\n"
            f"{prefix}{kind}_LOG = $(LOG)/{log}\n"
        )
    (place / "condor_config").write_text(text)


def _daemons(fleet: Fleet) -> str:
    """Return the configuration by which the pool's master runs the members."""
    names = {member: fleet.daemon(member) for member in fleet.members}
    text = f"DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR {' '.join(names.values())}\n"
    text += f"DC_DAEMON_LIST = +{' '.join(names.values())}\n"
    for member, name in names.items():
        text += f"{name} = $({name.partition('_')[0]})\n"
        text += f'{name}_ENVIRONMENT = "CONDOR_CONFIG={fleet.config_file(member)}"\n'
    return text
