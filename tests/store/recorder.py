"""Programs that tests start and kill: ``python -m tests.store.recorder WHAT FILE …``."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from htcq.drift.retention import Retention
from htcq.store.history import open_history
from tests.store.histories import LOOK, ROOT, crowd, observation


def tell(text: object) -> None:
    """Say something in one piece, at once."""
    os.write(1, f"{text}\n".encode())


def loop(path: Path, first: int) -> None:
    """Record on and on, each time as a command of its own would; tell each time after it is recorded."""
    time = first
    while True:
        with open_history(path, writable=True) as history:
            history.record(crowd(time))
            tell(time)
        time += LOOK


def many(path: Path, first: int, pool: str, looks: int) -> None:
    """Record so many looks at a pool, in one session each."""
    for number in range(looks):
        with open_history(path, writable=True) as history:
            history.record(observation(first + number * LOOK, pool=pool))


def killed(path: Path, *times: int) -> None:
    """Record and end as if killed: what was written is in ``-wal``."""
    with open_history(path, writable=True) as history:
        for time in times:
            history.record(crowd(time))
        os._exit(0)


def prune(path: Path, now: int) -> None:
    """Merge everything that can be merged."""
    tell("begins")
    with open_history(path, writable=True) as history:
        history.prune(now, Retention(0, 0, now))
    tell("ended")


def hold(path: Path) -> None:
    """Write, and do not end before standard input does."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    tell("holds")
    sys.stdin.read()


def command(*arguments: object) -> list[str]:
    """Return the command line that runs one of these; it needs no libraries, and starts faster without any."""
    return [sys.executable, "-S", "-m", "tests.store.recorder", *(str(each) for each in arguments)]


def left_by_a_killed_writer(path: Path, *times: int) -> None:
    """Leave ``path`` as a writer does that is killed: what it wrote is in ``-wal``."""
    subprocess.run(command("killed", path, *times), check=True, cwd=ROOT)


if __name__ == "__main__":
    what, path, *numbers = sys.argv[1:]
    if what == "many":
        many(Path(path), int(numbers[0]), numbers[1], int(numbers[2]))
    else:
        {"loop": loop, "prune": prune, "hold": hold, "killed": killed}[what](
            Path(path), *(int(number) for number in numbers)
        )
