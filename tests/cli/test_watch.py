"""``--watch``: a command looks again and again, on a terminal of its own, until Ctrl-C."""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from htcq.cli.watch import Begin, watched
from htcq.errors import EXIT_FINE, EXIT_USAGE, InputError, PoolError
from tests.cli.conftest import Call
from tests.cli.own_terminal import CLEAR, Terminal

NOON = 1_700_000_000
COMMANDS: dict[str, tuple[str, ...]] = {
    "quota": ("quota",),
    "why": ("why", "1.0"),
    "elastic status": ("elastic", "status", "--quotas", "q.toml"),
}
REFUSED = {
    "--snapshot": (tuple(COMMANDS), ("snap",)),
    "--json": (tuple(COMMANDS), ()),
    "--csv": (("quota", "elastic status"), ()),
    "--html": (("quota",), ("page.html",)),
    "--prometheus": (("elastic status",), ("-",)),
}


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for option, (commands, _) in REFUSED.items() for command in commands],
)
def test_formats_for_programs_and_snapshots_are_refused_in_one_line(
    command: str, option: str, call: Call
) -> None:
    done = call(*COMMANDS[command], option, *REFUSED[option][1], "--watch", "5")

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert done.err.startswith(f"htcq: --watch does not go with {option} (")
    assert done.err.count("\n") == 1
    assert not Path("page.html").exists()


@pytest.mark.parametrize("pause", ["0", "-5", "0.5", "2d"])
def test_a_pause_out_of_range_is_refused(pause: str, call: Call) -> None:
    done = call("quota", f"--watch={pause}")

    assert done.status == EXIT_USAGE
    assert "out of range" in done.err


class Pauses:
    """Takes no time; Ctrl-C comes in the pause after look number ``last``."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.pauses: list[float] = []

    def wait(self, pause: float) -> None:
        self.pauses.append(pause)
        if len(self.pauses) == self.last:
            raise KeyboardInterrupt

    def clock(self) -> float:
        return NOON + sum(self.pauses)


def watch(look: Callable[[Begin], int], pauses: Pauses) -> int:
    arguments = argparse.Namespace(watch=30, snapshot=None)
    return watched(arguments, look, pauses.wait, pauses.clock)


def test_each_look_has_its_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")

    def look(begin: Begin) -> int:
        begin()
        sys.stdout.write("table\n")
        return 1

    pauses = Pauses(3)
    assert watch(look, pauses) == EXIT_FINE
    assert pauses.pauses == [30, 30, 30]
    # No terminal: nothing is erased.
    assert capsys.readouterr().out == "".join(
        f"2023-11-14 22:{time}, again every 30 s; Ctrl-C ends it\n\ntable\n"
        for time in ("13:20", "13:50", "14:20")
    )


def test_a_pool_that_does_not_answer_is_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter((PoolError("no answer", "later"), None))

    def look(begin: Begin) -> int:
        error = next(answers)
        if error is not None:
            raise error
        begin()
        sys.stdout.write("table\n")
        return EXIT_FINE

    assert watch(look, Pauses(2)) == EXIT_FINE
    out, err = capsys.readouterr()
    assert err == "htcq: no answer (later)\n"
    assert out.count("again every") == 2
    assert out.endswith("table\n")


def test_bad_input_ends_it_at_once() -> None:
    pauses = Pauses(9)

    def look(begin: Begin) -> int:
        raise InputError("there is no group x", "its groups: a")

    with pytest.raises(InputError):
        watch(look, pauses)
    assert watch(lambda begin: EXIT_USAGE, pauses) == EXIT_USAGE
    assert pauses.pauses == []


@pytest.fixture
def silent() -> Iterator[str]:
    """A port whose peer never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_ctrl_c_on_a_terminal_ends_the_command(silent: str) -> None:
    words = ("-m", "htcq", "quota", "--watch", "1", "--pool", silent, "--timeout", "1")
    terminal = Terminal(words)
    terminal.until(2, "its collector cannot be queried")

    assert terminal.interrupt() == EXIT_FINE
    assert terminal.text.count(CLEAR) == 2
    assert "Traceback" not in terminal.text


#: Each look prints in a confined child, as those at a live pool do; "handles" are those open.
PROGRAM = """
import argparse, os
from htcq.cli.watch import watched
from htcq.operations import confined
from htcq.limits import MIB, Limits
confined.enabled = True
def look(begin):
    begin()
    handles = len(os.listdir("/proc/self/fd"))
    confined.confine("pool", Limits(unconfined=True), 4096 * MIB, 60)
    print("handles", handles, "child of", os.getppid())
    return 0
watched(argparse.Namespace(watch=1, snapshot=None), look)
"""


def test_what_a_confined_child_prints_takes_the_place_of_what_was_there() -> None:
    terminal = Terminal(("-c", PROGRAM))
    # The fourth may be read in part; the three before it are whole.
    terminal.until(4, "child of")

    assert terminal.interrupt() == EXIT_FINE
    before, *pages = terminal.text.split(CLEAR)
    assert before == ""
    lines = [[line for line in page.splitlines() if line.startswith("handles")] for page in pages]
    assert [len(each) for each in lines[:3]] == [1, 1, 1]
    # All are children of the one that watches, which keeps nothing of them.
    assert len({each[0] for each in lines[:3]}) == 1
    assert lines[0][0].endswith(f"child of {terminal.pid}")
