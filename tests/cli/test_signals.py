"""A signal ends htcq at any moment: it says so in one line at most, and leaves no temporary file and no process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from htcq.errors import EXIT_UNKNOWN
from htcq.store.lock import held
from tests.cli.conftest import NODE, ROOT, names
from tests.cli.looks import snapshot
from tests.cli.sweeps import alive, children, start, until

PROGRAM = ROOT / "tests/cli/ended_command.py"
#: Lines of each command at which it is struck, spread over all of them.
POINTS = 3
FILE = "50-htcq-execute.config"
SWEEP = "[[item]]\nname = 'one'\n"


def run(count: int, number: signal.Signals, *words: str) -> tuple[int, str]:
    command = [sys.executable, str(PROGRAM), str(count), number.name, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(Path("tmp").absolute())}
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, check=False
    )
    return done.returncode, done.stderr.decode()


def furnish(place: Path) -> None:
    """Put everything there as it was before any command."""
    subprocess.run(["rm", "-rf", *(str(each) for each in place.iterdir())], check=True)
    (place / "node.json").write_text(json.dumps(NODE))
    for name in ("tmp", "config.d", "out"):
        (place / name).mkdir()
    (place / "config.d" / FILE).write_text("OURS = 1\n")
    (place / "out" / "htcq.toml").write_text("# ours\n")
    (place / "out" / "page.html").write_text("former\n")
    (place / "f.toml").write_text(SWEEP)
    snapshot(place)


#: What is written where, and the names that may be there afterwards.
COMMANDS = {
    "emit": (("emit", "--node", "node.json", "--write", "config.d"), {f"config.d/{FILE}", f"config.d/{FILE}~"}),
    "record": (
        ("drift", "record", "--snapshot", "snap1", "--store", "out/drift.db", "--config", "/dev/null"),
        {"out/drift.db", "out/drift.db-wal", "out/drift.db-shm"},
    ),
    "audit": (("audit", "--snapshot", "snap1", "--only", "free-match", "--html", "out/page.html"), set()),
    "plan": (
        ("plan", "--node", "node.json", "--config", "out/htcq.toml", "--write-weights"), {"out/htcq.toml~"},
    ),
    "sweep": (("simulate", "--sweep", "f.toml", "--snapshot", "snap1"), set()),
}  # fmt: skip


def files(place: Path) -> set[str]:
    return {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_temporary_file_is_left_where_a_signal_ends_a_writer(
    name: str, quiet_place: Path
) -> None:
    words, new = COMMANDS[name]
    furnish(quiet_place)
    before = files(quiet_place)
    formers = {each: (quiet_place / each).read_bytes() for each in before}
    status, told = run(0, signal.SIGTERM, *words)
    assert status in (0, 1), told
    total = int(told.split()[-1])
    wholes = {each: (quiet_place / each).read_bytes() for each in before}
    assert total > POINTS

    for point in range(POINTS):
        furnish(quiet_place)
        number = (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)[point % 3]
        status, told = run(1 + point * (total - 2) // (POINTS - 1), number, *words)

        assert status == -number, told
        assert "Traceback" not in told
        if number != signal.SIGKILL:
            assert files(quiet_place) - before <= new
            assert names(quiet_place / "tmp") == []
        # None is torn, not even by what cannot be caught.
        assert all(
            (quiet_place / each).read_bytes() in (formers[each], wholes[each]) for each in before
        )


@pytest.fixture
def silent() -> Iterator[str]:
    """A port whose peer never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


SNAPSHOT = ("snapshot", "snap.tar.gz")
QUOTAS = (
    '[elastic.write]\ndirectory = "config.d"\njournal = "journal"\n[groups.a]\n'
    "min = { cpus = 4 }\nmax = { cpus = 8 }\n"
)
#: The last quotas that were accepted.
ACCEPTED = "journal.quotas"
#: It stays, and nobody holds it.
LOCK = "config.d/.60-htcq-elastic.config.lock"
ASKING = {
    "snapshot": SNAPSHOT,
    "snapshot --anonymize": ("snapshot", "snap", "--anonymize"),
    "audit": ("audit",),
    "cost": ("cost",),
    "drift check": ("drift", "check", "--config", "/dev/null"),
    "drift record": ("drift", "record", "--store", "drift.db", "--config", "/dev/null"),
    "simulate --sweep": ("simulate", "--sweep", "f.toml"),
    "elastic run": ("elastic", "run", "--quotas", "elastic.toml", "--yes"),
}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        *((signal.SIGTERM, words) for words in ASKING.values()),
        (signal.SIGHUP, SNAPSHOT),
        (signal.SIGINT, SNAPSHOT),
    ],
    ids=[*ASKING, "hangup", "interrupted"],
)
def test_a_signal_while_a_pool_is_asked_ends_the_children_and_takes_their_files(
    number: signal.Signals,
    words: tuple[str, ...],
    silent: str,
    quiet_place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (quiet_place / "tmp").mkdir()
    (quiet_place / "config.d").mkdir()
    (quiet_place / "f.toml").write_text(SWEEP)
    (quiet_place / "elastic.toml").write_text(QUOTAS)
    monkeypatch.setenv("TMPDIR", str(quiet_place / "tmp"))
    before = files(quiet_place)
    process = start(*words, "--pool", silent)
    until(lambda: children(process.pid), "a query")
    until(lambda: len(list(quiet_place.rglob("*htcq-*"))) > 0, "temporary files")
    below = children(process.pid)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    interrupted = number == signal.SIGINT
    assert (process.returncode, out) == (EXIT_UNKNOWN if interrupted else -number, "")
    assert err == ("htcq: interrupted\n" if interrupted else "")
    assert files(quiet_place) - before <= {LOCK, ACCEPTED}
    with held(quiet_place / LOCK, "the next"):
        assert before <= files(quiet_place)
    assert names(quiet_place / "tmp") == []
    assert [path.name for path in quiet_place.iterdir() if path.name.startswith(".")] == []
    until(lambda: not any(alive(pid) for pid in below), "the end of the children")


def test_a_signal_that_was_ignored_before_stays_ignored(quiet_place: Path) -> None:
    program = (
        "import signal, htcq.passing as p; p.end_with_signals(); "
        "print(int(signal.getsignal(signal.SIGHUP)))"
    )
    command = f"trap '' HUP; exec {sys.executable} -c '{program}'"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, env=environment
    )

    assert done.stdout == "1\n"


INTERRUPTED = """
import os, runpy, signal, sys
class Count:
    seen = 0
    def find_spec(self, name, path=None, target=None):
        if name.startswith("htcq.") and name != "htcq.__main__":
            Count.seen += 1
            if Count.seen == {count}:
                os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Count())
from htcq import __main__
sys.argv = ["htcq", "plan", "--node", "node.json"]
__main__.main()
"""


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16, 30])
def test_an_interruption_while_modules_are_loaded_is_one_line(
    count: int, quiet_place: Path
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = INTERRUPTED.format(count=count)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )

    assert (done.returncode, done.stdout, done.stderr) == (EXIT_UNKNOWN, "", "htcq: interrupted\n")
