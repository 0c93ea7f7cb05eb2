"""contrib/steps: a failed step fails the script and is named, and nothing of any step outlives the script."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = """
set -euo pipefail
. {root}/contrib/steps
sound() {{ echo "$1"; echo "=== 3 passed in 0.10s ==="; }}
wrong() {{ echo looks; false; echo goes on; }}
# Its children leave their session; the shell that waits for one of them has no command to stand in for it.
long() {{ setsid sleep {mark} & setsid sleep {mark} & touch begun; wait; }}
export -f sound wrong long
"""


class Script:
    """A script of steps that sleeps, where it does, for a number of seconds that nobody else sleeps for."""

    def __init__(self, place: Path, steps: str) -> None:
        self.mark = f"86400.{time.time_ns()}"
        self.begun = place / "begun"
        text = FUNCTIONS.format(root=ROOT, mark=self.mark) + steps
        self.process = subprocess.Popen(
            ["bash", "-c", text],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self) -> tuple[int, str]:
        """Return its exit status and what it printed."""
        printed, _ = self.process.communicate(timeout=60)
        return self.process.returncode, printed

    def sleepers(self) -> int:
        """Return how many processes of it sleep."""
        lines = Path("/proc").glob("[0-9]*/cmdline")
        return sum(f"sleep\0{self.mark}" in _text(line) for line in lines)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:  # it has ended
        return ""


def ran(place: Path, steps: str) -> tuple[int, str]:
    return Script(place, steps).end()


def table(printed: str) -> list[str]:
    """Return the lines of the table without the times."""
    rows = printed.partition("== where the time went")[2].splitlines()[2:]
    return [re.sub(r"^( +\d+:\d\d)+ +", "", row) for row in rows]


def test_steps_are_told_in_order_and_end_with_a_table(tmp_path: Path) -> None:
    status, printed = ran(
        tmp_path, 'beside "a side" sound one\nstep b sound two\njoined "a side"\nstep c true\n'
    )

    assert status == 0
    assert re.findall("one|two", printed) == ["two", "one"]
    assert table(printed) == [
        "b: === 3 passed in 0.10s ===",
        "a side: === 3 passed in 0.10s ===",
        "c",
        "all, status 0",
    ]


@pytest.mark.parametrize(
    ("steps", "rows"),
    [
        ("step bad wrong; step c sound late", ["bad: FAILED, status 1"]),
        (
            "beside bad wrong; step b true; joined bad; step c sound late",
            ["b", "bad: FAILED, status 1"],
        ),
        ("step bad sh -c 'exit 7'; step c sound late", ["bad: FAILED, status 7"]),
    ],
)
def test_the_step_that_fails_is_named_and_no_other_begins(
    steps: str, rows: list[str], tmp_path: Path
) -> None:
    status, printed = ran(tmp_path, steps)

    assert status == int(rows[-1][-1])
    assert table(printed) == [*rows, f"all, status {status}"]
    assert "goes on" not in printed
    assert "late" not in printed


def test_what_runs_beside_a_step_that_fails_ends_and_is_shown(tmp_path: Path) -> None:
    script = Script(
        tmp_path,
        "beside other eval 'echo hello; long'\nstep bad sh -c 'until [ -e begun ]; do sleep 0.1; done; exit 4'",
    )
    status, printed = script.end()

    assert status == 4
    assert script.begun.exists()
    assert script.sleepers() == 0
    assert "hello" in printed
    assert table(printed) == ["bad: FAILED, status 4", "other: stopped", "all, status 4"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_of_a_step_outlives_the_script(number: signal.Signals, tmp_path: Path) -> None:
    script = Script(tmp_path, "beside other sound x\nstep here long")
    _until(lambda: script.begun.exists() and script.sleepers() == 2)
    script.process.send_signal(number)
    status, printed = script.end()

    assert status == (-number if number == signal.SIGKILL else 128 + number)
    _until(lambda: script.sleepers() == 0)
    if number != signal.SIGKILL:
        assert "here: stopped" in table(printed)


def test_what_a_step_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    script = Script(tmp_path, "step a eval 'long & until [ -e begun ]; do sleep 0.1; done'")

    assert script.end()[0] == 0
    assert script.sleepers() == 0


def test_a_step_can_be_interrupted_by_its_own_tests(tmp_path: Path) -> None:
    """What a shell starts in the background ignores SIGINT, and so do its children."""
    status, printed = ran(tmp_path, "step a grep SigIgn /proc/self/status")

    assert status == 0
    ignored = int(re.findall(r"SigIgn:\s*(\w+)", printed)[0], 16)
    assert not ignored & 1 << signal.SIGINT - 1


def _until(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.05)
