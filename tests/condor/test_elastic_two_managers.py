"""Two central managers of a real pool, one negotiator at a time, and a writer beside each."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from broken import UNHURRIED, break_it
from claims import come_to, queued
from conftest import NEWEST, Site
from elastic_pool import Elastic, elastic_policy
from pool_config import free_port
from reclaiming import Reclaim

from htcq.elastic.activity import FOLLOWS, activity_of

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
#: Elections of condor_had take a quarter of a minute each.
ONLY_WITH = "--elastic-hours"
FIRST, SECOND = "node.test", "second.test"
DAEMON = "NEGOTIATOR_SECOND"
BOTH = {"central_managers": f'["{FIRST}", "{SECOND}"]'}
GROUPS = {
    "busy": "min = {cpus = 3}\nmax = {cpus = 8}\n",
    "quiet": "min = {cpus = 5}\nmax = {cpus = 8}\n",
}
OTHERS = {"busy": GROUPS["quiet"], "quiet": GROUPS["busy"]}


@dataclass
class Manager(Elastic):
    """One central manager: the directory that its negotiator reads, and its writer."""

    machine: str = FIRST
    had: str = "HAD"

    @property
    def path(self) -> Path:
        return self.place / "60-htcq-elastic.config"

    @property
    def place(self) -> Path:
        return (
            self.pool.config_dir if self.machine == FIRST else self.pool.path("second", "config.d")
        )

    def take_step(self, monkeypatch: pytest.MonkeyPatch) -> str:
        """Take a step on this machine, which must succeed, and return what it says."""
        monkeypatch.setenv("_CONDOR_NETWORK_HOSTNAME", self.machine)
        status, out, err = self.htcq("run", "--once", "--yes")
        # The collector counts takeovers like restarts: the line names both, and stays.
        said = [line for line in err.splitlines() if "negotiator-crash" not in line]
        assert (status, said) == (0, []), err
        return out

    def serve(self, other: Manager) -> None:
        """Let the negotiator of this machine take over from the other one."""
        began = time.time()
        self.pool.tool("condor_on", "-daemon", self.had)
        self.pool.tool("condor_off", "-fast", "-daemon", other.had)
        logs = ("HADLog", "HADSecondLog", "MasterLog")
        self.pool.wait(lambda: self.heard() > began, 60, f"a cycle of {self.machine}", logs)

    def heard(self) -> float:
        """Return when the collector heard of this machine's negotiator."""
        ads = self.pool.ads("negotiator", ["LastHeardFrom", "Machine"])
        return max((ad["LastHeardFrom"] for ad in ads if ad["Machine"] == self.machine), default=0)


def had() -> dict[str, str]:
    """Return the configuration of a condor_had for each negotiator: the first is the primary one."""
    ports = [free_port() for _ in range(2)]
    return {
        "HAD": "$(SBIN)/condor_had",
        "HAD_SECOND": "$(HAD)",
        "HAD_LIST": ", ".join(f"127.0.0.1:{port}" for port in ports),
        "HAD_ARGS": f"-p {ports[0]}",
        "HAD_SECOND_ARGS": f"-p {ports[1]} -local-name HAD_SECOND",
        "HAD_CONTROLLEE": "NEGOTIATOR",
        "HAD_SECOND.HAD_CONTROLLEE": DAEMON,
        "MASTER_NEGOTIATOR_CONTROLLER": "HAD",
        f"MASTER_{DAEMON}_CONTROLLER": "HAD_SECOND",
        "HAD_SECOND.HAD_LOG": "$(LOG)/HADSecondLog",
        "HAD_SECOND.HAD_ADDRESS_FILE": "$(LOG)/.had_second_address",
        "HAD_USE_REPLICATION": "False",
        "HAD_USE_PRIMARY": "True",
        "HAD_CONNECTION_TIMEOUT": "1",
        "HAD_DEBUG": "D_FULLDEBUG",
    }


def managers(site: Site, directory: Path) -> tuple[Manager, Manager]:
    """Start a pool with a second negotiator, which has directories and a configuration of its own."""
    pool = site.pool
    place, inside = pool.path("second"), f"{pool.record.inner_directory}/second"
    like = pool.path("spool").stat()
    for name in ("", "config.d", "spool", "log"):
        (place / name).mkdir(exist_ok=True)
        os.chown(place / name, like.st_uid, like.st_gid)
    for old in (place / "config.d").iterdir():
        old.unlink()
    text = pool.config_file.read_text()
    text += f"LOCAL_CONFIG_DIR = {inside}/config.d\nSPOOL = {inside}/spool\nLOG = {inside}/log\n"
    text += f"NETWORK_HOSTNAME = {SECOND}\n"
    (place / "condor_config").write_text(text)
    knobs = {
        "DAEMON_LIST": f"MASTER COLLECTOR NEGOTIATOR {DAEMON} HAD HAD_SECOND SCHEDD STARTD",
        "DC_DAEMON_LIST": f"+{DAEMON}, HAD_SECOND",
        DAEMON: "$(NEGOTIATOR)",
        f"{DAEMON}_ENVIRONMENT": f'"CONDOR_CONFIG={inside}/condor_config"',
        f"{DAEMON}.NEGOTIATOR_ADDRESS_FILE": f"{inside}/log/.negotiator_address",
        f"{DAEMON}.NEGOTIATOR_LOG": f"{inside}/log/NegotiatorLog",
    }
    break_it(site, {**elastic_policy(**UNHURRIED), **knobs, **had()})
    found = []
    for machine, daemon in ((FIRST, "HAD"), (SECOND, "HAD_SECOND")):
        own = directory / machine
        own.mkdir()
        found.append(Manager(pool, own, machine=machine, had=daemon))
        found[-1].settings["directory"] = f'"{found[-1].place}"'
        found[-1].declare(GROUPS, **BOTH)
    return found[0], found[1]


def test_the_writer_beside_the_negotiator_that_serves_acts_and_the_other_follows(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = managers(site, tmp_path)
    pool = first.pool
    first.serve(second)
    assert "written, and the negotiator shows" in first.take_step(monkeypatch)
    said = second.take_step(monkeypatch)
    assert f"written as the pool has it: the negotiator on {FIRST} serves" in said
    assert activity_of(second.state, 3).word == FOLLOWS
    assert "unchanged: the negotiator on" in second.take_step(monkeypatch)
    (tmp_path / "quotas.toml").write_text((second.directory / "elastic.toml").read_text())
    reclaim = Reclaim(pool, tmp_path)
    acts = f"the negotiator on {FIRST} serves, and the writer there acts"
    assert reclaim.run("apply") == f"nothing is taken back here: {acts}\n"
    assert not reclaim.journal.exists()

    # Fail-over: the negotiator begins with the quotas in force, and its writer's next step acts.
    second.serve(first)
    queued(pool, {"busy.ann": 9, "quiet.cy": 9})
    come_to(pool, {"busy.ann": 3, "quiet.cy": 5})
    second.declare(OTHERS, **BOTH)
    assert "written, and the negotiator shows" in second.take_step(monkeypatch)
    assert "written as the pool has it" in first.take_step(monkeypatch)
    assert first.state.in_force
    assert second.state.in_force
    assert first.state.in_force.quotas == second.state.in_force.quotas

    # And back.
    first.serve(second)
    assert activity_of(first.state, 3).word == FOLLOWS
    first.declare(OTHERS, **BOTH)
    assert "unchanged, as the plan" in first.take_step(monkeypatch)
    assert "unchanged: the negotiator on" in second.take_step(monkeypatch)
