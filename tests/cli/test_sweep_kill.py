"""Sweeps whose workers die, and sweeps that die themselves: the rest runs, and the next run goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN
from tests.cli.conftest import Call, names
from tests.cli.sweeps import alive, children, kept, stamps, start, until
from tests.cli.test_simulate import write

MODEL = '[capacity]\nmodel = "minimum-charge"\n'
#: The first item waits until somebody writes its model into a pipe.
STUCK = """
[[item]]
name = "stuck"
model = "pipe"

[[item]]
name = "free"
"""
SEED, KILLS = 20261121, 14
LONG = """
[base]
cycles = 40
run-time = "exponential:300"

[grid]
seed = [1, 2, 3]
set = ["GROUP_QUOTA_a=6", ["GROUP_QUOTA_a=1", "GROUP_QUOTA_b=2"]]

[[item]]
name = "bad"
seed = "x"
"""


@pytest.fixture
def snapshot(quiet_place: Path) -> str:
    return write(quiet_place / "snap")


@pytest.fixture
def stuck(snapshot: str) -> tuple[str, ...]:
    os.mkfifo("pipe")
    Path("f.toml").write_text(STUCK)
    return (
        "simulate",
        "--sweep",
        "f.toml",
        "--snapshot",
        snapshot,
        "--results",
        "R",
        "--processes",
        "1",
    )


def worker(sweep: subprocess.Popen[str], but: int = 0) -> int:
    """Return the process that an item runs in, another one than ``but``."""
    # env(1) has become htcq.
    pids = until(lambda: [pid for pid in children(sweep.pid) if pid != but], "a worker")
    return pids[0]


def kill_worker(sweep: subprocess.Popen[str]) -> int:
    """Kill the process of an item, and wait for the end of its children, which might read in its place."""
    first = worker(sweep)
    family = [first, *children(first)]
    os.kill(first, signal.SIGKILL)
    until(lambda: not any(map(alive, family)), "the end of the first worker")
    return first


def test_a_worker_that_is_killed_is_replaced_and_then_told(stuck: tuple[str, ...]) -> None:
    Path("f.toml").write_text(STUCK.partition('[[item]]\nname = "free"')[0])
    sweep = start(*stuck)
    first = kill_worker(sweep)
    os.kill(worker(sweep, first), signal.SIGKILL)
    _, err = sweep.communicate(timeout=60)

    assert (sweep.returncode, err) == (EXIT_FINDINGS, "")
    found = kept(Path("R"))["stuck"]
    assert (found["tries"], found["exit_status"], found["result"]) == (2, None, None)
    assert found["reason"] == "its process ended: killed by SIGKILL"


def test_the_second_try_may_come_to_something(stuck: tuple[str, ...]) -> None:
    sweep = start(*stuck)
    kill_worker(sweep)
    Path("pipe").write_text(MODEL)
    sweep.communicate(timeout=60)

    assert sweep.returncode == EXIT_FINE
    assert {name: told["tries"] for name, told in kept(Path("R")).items()} == {
        "free": 1,
        "stuck": 2,
    }


def test_without_retries_there_is_one_try_and_the_rest_runs(stuck: tuple[str, ...]) -> None:
    sweep = start(*stuck, "--retries", "0")
    os.kill(worker(sweep), signal.SIGSEGV)
    out, _ = sweep.communicate(timeout=60)

    assert sweep.returncode == EXIT_FINDINGS
    assert kept(Path("R"))["stuck"]["reason"].startswith("its process ended: ")
    assert kept(Path("R"))["stuck"]["tries"] == 1
    assert kept(Path("R"))["free"]["exit_status"] == 0
    assert out.splitlines()[-1] == "1 item failed, 1 have a result"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_sweep_and_the_next_one_can_begin_at_once(
    number: signal.Signals, stuck: tuple[str, ...], call: Call
) -> None:
    sweep = start(*stuck)
    pid = worker(sweep)
    sweep.send_signal(number)
    _, err = sweep.communicate(timeout=60)

    assert err == ("htcq: interrupted\n" if number == signal.SIGINT else "")
    assert sweep.returncode == (EXIT_UNKNOWN if number == signal.SIGINT else -number)
    Path("pipe").unlink()
    Path("pipe").write_text(MODEL)
    assert call(*stuck).status == EXIT_FINE
    until(lambda: not alive(pid), "the end of the worker")


def has(directory: Path, count: int) -> bool:
    return directory.is_dir() and len(stamps(directory)) >= count


def results(out: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(out)["items"]
    return found


def test_a_sweep_that_is_killed_at_any_moment_goes_on(snapshot: str, call: Call) -> None:
    """It comes to what an undisturbed one comes to, and what was there when it was killed is not run again."""
    Path("f.toml").write_text(LONG)
    command = ("simulate", "--sweep", "f.toml", "--snapshot", snapshot, "--json")
    whole = results(call(*command).out)
    chance, counts = random.Random(SEED), []
    for kill in range(KILLS):
        directory = Path(f"R{kill}")
        sweep = start(*command, "--results", str(directory))
        until(partial(has, directory, kill % len(whole)), "so many results")
        time.sleep(chance.uniform(0, 0.1))
        sweep.kill()
        sweep.communicate(timeout=60)
        before = stamps(directory)
        counts.append(len(before))
        done = call(*command, "--results", str(directory))

        assert done.status == EXIT_FINDINGS
        assert results(done.out) == whole
        after = stamps(directory)
        # What failed is run again.
        assert [name for name in before if after[name] != before[name] and name != "bad"] == []
        assert names(directory) == [".lock", *sorted(f"{name}.json" for name in after)]
    # They were struck at different moments, most of them in the midst of it.
    assert sum(0 < count < len(whole) for count in counts) > KILLS // 3, counts


def test_a_sweep_dies_again_and_again_and_ends_all_the_same(snapshot: str, call: Call) -> None:
    Path("f.toml").write_text(LONG)
    command = (
        "simulate",
        "--sweep",
        "f.toml",
        "--snapshot",
        snapshot,
        "--json",
        "--processes",
        "2",
    )
    whole = results(call(*command).out)
    count = 0
    while count < len(whole):
        sweep = start(*command, "--results", "R")
        until(partial(has, Path("R"), count + 1), "one more result")
        sweep.kill()
        sweep.communicate(timeout=60)
        now = len(kept(Path("R")))
        assert now > count
        count = now

    assert results(call(*command, "--results", "R").out) == whole
