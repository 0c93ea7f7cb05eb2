"""A node from the first write to going back: what ``htcq emit --check`` says at each step, and what its startd has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import NODE, ROOT, Site
from testpool import PoolError

pytestmark = pytest.mark.condor

OLD = ("--weight", "cpus=1", "--weight", "memory=0.25/GiB")
NEW = ("--weight", "cpus=1", "--weight", "memory=0.5/GiB")
ADVERTISED = ("Name", "SlotWeight", "HtcqModel", "HtcqModelHash", "ConsumptionCpus", "DynamicSlot")


@dataclass
class ExecuteNode:
    """The machine of a pool as its administrator has it: HTCondor's configuration, the node's facts, ``htcq emit``."""

    site: Site
    place: Path

    def __post_init__(self) -> None:
        pool = self.site.pool
        (self.place / "condor_config").write_text(
            f"LOCAL_CONFIG_DIR = {pool.config_dir}\n"
            f"LOCAL_CONFIG_FILE = {pool.path('condor_config.local')}\n"
            f"STARTD_ADDRESS_FILE = {pool.path('log')}/.startd_address\n"
            "DAEMON_LIST = MASTER, STARTD\n"
            f"NUM_CPUS = {NODE['cpus']}\nUSER_CONFIG_FILE =\n"
        )

    def emit(self, *flags: str, cpus: int = NODE["cpus"]) -> tuple[int, str]:
        """Run ``htcq emit --write`` on the machine and return its exit status and what it says."""
        facts = {**self.site.node, "condor_version": self.site.version, "cpus": cpus}
        (self.place / "node.json").write_text(json.dumps(facts))
        arguments = [
            "emit",
            "--node",
            str(self.place / "node.json"),
            "--write",
            str(self.site.pool.config_dir),
            *flags,
        ]
        done = subprocess.run(
            [sys.executable, "-m", "htcq", *arguments],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "CONDOR_CONFIG": str(self.place / "condor_config")},
        )
        return done.returncode, done.stderr

    def states(self, *flags: str, cpus: int = NODE["cpus"]) -> tuple[int, list[str]]:
        """Return the exit status of a check, and the state that each of its lines begins with."""
        status, said = self.emit(*flags, "--check", cpus=cpus)
        return status, sorted(
            {line.removeprefix("htcq: ").partition(":")[0] for line in said.splitlines() if status}
        )

    def slots(self) -> list[dict[str, Any]]:
        """Return the slots, as the startd itself tells them; none while it starts anew."""
        try:
            return self.site.pool.ads("slots", ADVERTISED, direct="node.test")
        except PoolError:
            return []

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until the startd is as it should be."""
        self.site.pool.wait(condition, 30, what, ("StartLog",))


def test_a_node_from_the_first_write_to_going_back(site: Site, tmp_path: Path) -> None:
    site.emptied()
    site.start("")
    node, pool = ExecuteNode(site, tmp_path), site.pool
    assert node.states(*OLD) == (1, ["missing"])

    status, said = node.emit(*OLD)
    assert (status, "condor_restart -startd makes it take effect" in said) == (0, True)
    assert node.states(*OLD) == (1, ["reconfig pending", "restart pending"])
    # Half a policy: the weight and the model's name are there, the consumption is not.
    pool.tool("condor_reconfig", "-startd")
    node.wait(lambda: "HtcqModel" in node.slots()[0], "the attributes after a reconfig")
    assert "ConsumptionCpus" not in node.slots()[0]
    assert node.states(*OLD) == (1, ["restart pending"])

    pool.tool("condor_restart", "-startd")
    node.wait(lambda: node.states(*OLD)[0] == 0, "a node on which all is in effect")
    _, said = node.emit(*OLD, "--check")
    assert (
        "compared: the file, the node's hardware, the configuration of this machine, the running "
        "startd\n"
    ) in said

    pool.submit({"request_cpus": 1, "request_memory": 2048, "request_disk": 1024})
    node.wait(lambda: len(node.slots()) == 2, "a dynamic slot")
    assert [slot["HtcqModel"] for slot in node.slots()] == ["linear", "linear"]
    assert len({slot["HtcqModelHash"] for slot in node.slots()}) == 1
    assert node.states(*OLD)[0] == 0

    assert node.states(*OLD, cpus=7) == (1, ["hardware changed"])
    later = pool.config_dir / "99-old.config"
    later.write_text("SLOT_WEIGHT = Cpus\n")
    assert "overridden" in node.states(*OLD)[1]
    later.unlink()
    ours = pool.config_dir / "50-htcq-execute.config"
    ours.write_text(ours.read_text() + "MODIFY_REQUEST_EXPR_REQUESTCPUS = 2\n")
    assert node.states(*OLD) == (1, ["edited"])

    assert "condor_reconfig makes it take effect" in node.emit(*NEW)[1]
    assert node.states(*NEW) == (1, ["reconfig pending"])
    pool.tool("condor_reconfig", "-startd")
    node.wait(lambda: node.states(*NEW)[0] == 0, "the new weight")

    pool.clear()
    status, said = node.emit("--remove")
    assert (status, "drain it first" in said, ours.exists()) == (0, True, False)
    pool.tool("condor_restart", "-startd")
    node.wait(
        lambda: (
            [slot.keys() & {"HtcqModel", "ConsumptionCpus"} for slot in node.slots()] == [set()]
        ),
        "no model",
    )
    assert "not there" in node.emit("--remove")[1]
