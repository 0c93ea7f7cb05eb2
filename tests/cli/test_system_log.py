"""Every change is a line in the system's log, sent through the C library to a socket at /dev/log."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Done
from tests.cli.test_elastic_apply import FILE, NOWHERE, PLACE, QUOTAS, journaled

#: /dev of its own, with the socket and what a program cannot do without.
_OWN_DEV = """\
for each in null zero random urandom; do touch "$0/$each"; mount --bind "/dev/$each" "$0/$each"; done
mount --rbind "$0" /dev
shift
exec "$@"
"""
_LINE = re.compile(r"<(\d+)>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d htcq\[\d+\]: (.*)", re.DOTALL)
NOTICE, WARNING = 3 * 8 + 5, 3 * 8 + 4


class SystemLog:
    """A log daemon's socket, and htcq as a process that finds it at /dev/log."""

    def __init__(self, place: Path, device: Path) -> None:
        self.place, self.device = place, device
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(device / "log"))
        self.socket.settimeout(0.2)

    def htcq(self, *words: str) -> Done:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SUDO_USER": "eve\n<13>forged: line"}
        command = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-ec",
            _OWN_DEV,
            str(self.device),
            "sh",
        ]
        done = subprocess.run(
            [*command, sys.executable, "-m", "htcq", *words],
            capture_output=True, text=True, check=False, cwd=self.place, env=environment, timeout=60,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def lines(self) -> list[tuple[int, str]]:
        """Return what came, with the priority of each line."""
        found = []
        try:
            while True:
                match = _LINE.fullmatch(self.socket.recv(65536).decode().rstrip("\0"))
                assert match is not None
                found.append((int(match.group(1)), match.group(2)))
        except socket.timeout:
            return found


@pytest.fixture
def system_log(quiet_place: Path, tmp_path: Path) -> Iterator[SystemLog]:
    device = tmp_path / "dev"
    device.mkdir()
    log = SystemLog(quiet_place, device)
    yield log
    log.socket.close()


WHO = "; by root (uid 0), sudo of eve <13>forged: line"


def test_what_emit_writes_and_removes_is_logged(system_log: SystemLog) -> None:
    (system_log.place / "config.d").mkdir()
    words = ("emit", "--node", "node.json", "--write", "config.d")
    path = "config.d/50-htcq-execute.config"
    assert system_log.htcq(*words).status == 0
    assert system_log.lines() == [(NOTICE, f"emit: {path}: written{WHO}")]
    assert system_log.htcq(*words).status == 0
    assert system_log.htcq(*words, "--diff").status == 0
    assert system_log.lines() == []
    assert system_log.htcq(*words, "--remove").status == 0
    assert system_log.lines() == [(NOTICE, f"emit --remove: {path}: removed{WHO}")]


def test_what_quota_emit_writes_is_logged(system_log: SystemLog) -> None:
    (system_log.place / "config.d").mkdir()
    (system_log.place / "groups.toml").write_text("[groups.physics]\nquota = 6\nowner = 'x'\n")
    done = system_log.htcq("quota", "emit", "--config", "groups.toml", "--write", "config.d")

    assert done.status == 0, done.err
    assert [told for _, told in system_log.lines()] == [
        f"quota emit: config.d/50-htcq-groups.config: written{WHO}"
    ]


def test_what_cannot_be_written_is_logged_as_a_warning(system_log: SystemLog) -> None:
    """A backup of the former file cannot be made where a directory has its name."""
    (system_log.place / "config.d/50-htcq-execute.config~").mkdir(parents=True)
    (system_log.place / "config.d/50-htcq-execute.config").write_text("X = 1\n")
    done = system_log.htcq("emit", "--node", "node.json", "--write", "config.d")

    assert done.status == 2
    assert [
        (priority, told.partition(": nothing")[0]) for priority, told in system_log.lines()
    ] == [(WARNING, "emit")]


@pytest.fixture
def elastic(system_log: SystemLog) -> SystemLog:
    (system_log.place / "elastic.toml").write_text(QUOTAS)
    (system_log.place / "config.d").mkdir()
    return system_log


@pytest.mark.parametrize("action", ["disable", "rollback"])
def test_what_is_put_back_is_logged_with_its_plan_and_result(
    action: str, elastic: SystemLog
) -> None:
    """Nobody answers: the file is in place and the negotiator does not show it, which is a warning."""
    path = journaled(elastic.place, plan="20240101T000000Z-0123456789ab")
    elastic.htcq("elastic", action, *PLACE)
    lines = elastic.lines()

    assert {priority for priority, _ in lines} == {WARNING}
    told = [text for _, text in lines if f": {action} of plan " in text]
    assert len(told) == 1
    assert told[0].startswith(f"elastic: {path}: {action} of plan ")
    assert ": written: " in told[0]
    assert told[0].endswith(WHO)


def test_a_refused_plan_of_another_account_is_logged(elastic: SystemLog) -> None:
    journaled(elastic.place)
    (elastic.place / "plan.json").write_text(json.dumps({"kind": "x\n<13>forged: line"}))
    (elastic.place / "plan.json").chmod(0o644)
    elastic.place.chmod(0o755)
    done = elastic.htcq(
        "elastic", "apply", "--quotas", "elastic.toml", "--from", "plan.json", *NOWHERE
    )

    assert done.status == 2
    assert elastic.lines() == [
        (WARNING, f"elastic apply: nothing was done: plan.json: the whole has no schema{WHO}")
    ]
    assert (elastic.place / "config.d" / FILE).read_text() == "elastic\n"


def test_where_no_log_daemon_listens_nothing_changes(elastic: SystemLog) -> None:
    elastic.socket.close()
    (elastic.device / "log").unlink()
    words = ("emit", "--node", "node.json", "--write", "config.d")
    began = time.monotonic()

    assert elastic.htcq(*words).status == 0
    assert time.monotonic() - began < 30
