"""``--deadline``: every command ends by it, says so, and has status 3."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from htcq.cli.main import COMMANDS, parser_of
from htcq.cli.options import deadline_of
from tests.audit.sites import collected, job, slot
from tests.cli.conftest import ROOT, Call

#: Seconds after its deadline in which a command must have ended.
GRACE = 2.0


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a collector that takes connections and never answers."""
    monkeypatch.setenv("CONDOR_CONFIG", "/dev/null")
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def snapshot(place: Path) -> str:
    path = place / "snap"
    path.mkdir()
    (path / "collector.ads").write_text(collected([slot("slot1@node1")]))
    (path / "jobs.ads").write_text(f"{job().strip()}\n\n")
    (path / "config.txt").write_text("A = 1\n")
    return str(path)


def running(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "htcq", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def awaited(found: Callable[[], list[int]], seconds: float = 20.0) -> int:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if each := found():
            return each[0]
        time.sleep(0.002)
    raise AssertionError("no child began")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "elastic"])
def test_every_command_has_it(command: str) -> None:
    assert "--deadline" in parser_of(command)._option_string_actions


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("audit --pool cm", 600),
        ("audit --pool cm --timeout 20", 200),
        ("audit --pool cm --deadline 5min", 300),
        ("audit --nagios", 50),
        ("audit --nagios --deadline 20", 20),
        ("audit --snapshot snap", float("inf")),
        ("audit --snapshot snap --deadline 7", 7),
        ("emit --charge cpus=1", float("inf")),
        ("emit --charge cpus=1 --pool cm", 600),
        ("probe", float("inf")),
        ("drift check", 50),
        ("drift check --timeout 20", 20),
    ],
)
def test_what_asks_a_live_pool_has_a_limit_of_its_own(line: str, expected: float) -> None:
    command, *words = line.split()

    assert deadline_of(parser_of(command, words).parse_args(words)) == expected


@pytest.mark.parametrize("time_", ["0", "-1", "nan", "soon", "2d"])
def test_a_deadline_that_is_none_is_refused(call: Call, time_: str) -> None:
    done = call("quota", "--pool", "127.0.0.1:1", f"--deadline={time_}")

    assert (done.status, done.out) == (2, "")
    assert "deadline" in done.err


@pytest.mark.parametrize(
    "line",
    [
        "audit",
        "audit --nagios",
        "quota",
        "why --all",
        "simulate",
        "snapshot snap",
        "drift check --nagios",
        "plan --charge cpus=1",
    ],
)
def test_a_silent_collector_is_named_in_time(call: Call, silent: str, line: str) -> None:
    command, *words = line.split()
    started = time.monotonic()
    done = call(command, *words, "--pool", silent, "--deadline", "2")

    assert time.monotonic() - started < 2 + GRACE
    assert done.status == 3
    assert f"{silent}: its collector cannot be queried: no answer within" in done.out + done.err


def keep_stopped(pid: int, parent: subprocess.Popen[str]) -> None:
    """Stop a process again and again until its parent has ended."""
    with suppress(ProcessLookupError):
        while parent.poll() is None:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.01)


@pytest.mark.parametrize("line", ["audit", "audit --nagios", "quota", "cost"])
def test_a_stopped_child_holds_its_parent_no_longer_than_the_deadline(
    tmp_path: Path, line: str
) -> None:
    """What anybody can do who runs as the user of the child, such as nobody: it goes on, and is stopped again."""
    started = time.monotonic()
    process = running(*line.split(), "--snapshot", snapshot(tmp_path), "--deadline", "4")
    child = awaited(lambda: children(process.pid))
    stopper = Thread(target=keep_stopped, args=(child, process))
    stopper.start()
    out, err = process.communicate(timeout=30)
    stopper.join()

    assert time.monotonic() - started < 4 + GRACE
    assert process.returncode == 3
    assert "not done within 4 s (--deadline gives it more time)" in out + err
    assert (out + err).count("\n") == 1
    assert not Path(f"/proc/{child}").exists()
