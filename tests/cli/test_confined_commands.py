"""What an attacker in the evaluation of a pool gets of a command that also acts: real processes.

As if an expression had taken over the ClassAd library: the first thing that the evaluation calls
tries what only the command's other process may do.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from htcq.elastic.journal import JournalState
from htcq.errors import RefusedError
from htcq.operations import observe_and_plan, pool_source
from htcq.operations.elastic_quotas import read_declared
from htcq.operations.pool_source import Source, evaluated_from
from tests.audit.sites import negotiator
from tests.cli.conftest import ROOT, Call, as_root
from tests.cli.test_confined import readable_python
from tests.cli.test_elastic_plan import ADS, CONFIG, JOBS, QUOTAS, SECONDS, TAKEN

#: Each command with its words, and the files that it writes.
COMMANDS = {
    "elastic plan": ("--quotas", "elastic.toml", "--snapshot", "snap", "--propose", "proposed"),
    "drift record": ("--snapshot", "snap", "--store", "drift.db", "--prometheus", "drift.prom", "-v"),
    "quota emit": ("--config", "groups.toml", "--snapshot", "snap", "--write", "conf", "--force"),
    "drift check": ("--snapshot", "snap", "--max-age", "1h"),
    "plan": ("--snapshot", "snap", "--jobs", "snap", "--write-weights", "weights.toml"),
    "emit": ("--role", "access", "--snapshot", "snap", "--write", "conf", "--weight", "cpus=1"),
    "elastic reclaim plan": ("--quotas", "elastic.toml", "--snapshot", "snap"),
    "simulate": ("--sweep", "sweep.toml", "--snapshot", "snap", "--results", "results", "--retries", "0"),
}  # fmt: skip
on_every_command = pytest.mark.parametrize("command", list(COMMANDS))
#: A sweep keeps why an item has no result, and goes on.
on_single_ones = pytest.mark.parametrize(
    "command", [each for each in COMMANDS if each != "simulate"]
)

_BEGIN = """
import os, pickle, signal, socket, stat, subprocess, sys
from htcq.operations import pool_source
parent, server = os.getpid(), socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
address = server.getsockname()
evaluates = pool_source.pool_of
def opened(name):
    with open(name, "w") as file:
        file.write("by the attacker")
class Code:
    def __reduce__(self):
        return opened, ("by-pickle",)
def tell_a_pickle():
    ticks = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(ticks, warn_on_full_buffer=False)
    harmless = {os.fstat(number).st_ino for number in (0, 1, 2, ticks)}
    if hasattr(sys.stderr, "buffer"):
        harmless.add(os.fstat(sys.stderr.fileno()).st_ino)
    for number in range(3, 256):
        try:
            found = os.fstat(number)
        except OSError:
            continue
        if stat.S_ISFIFO(found.st_mode) and found.st_ino not in harmless:
            os.write(number, pickle.dumps((True, Code())))
tries = {
    "tell": tell_a_pickle,
    "write": lambda: opened("written"),
    "append to what is there": lambda: open("elastic.toml", "a").write("#"),
    "remove": lambda: os.unlink("elastic.toml"),
    "shell": lambda: subprocess.run(["/bin/sh", "-c", "echo > by-shell"]),
    "connect": lambda: socket.create_connection(address, 2),
    "signal the parent": lambda: os.kill(parent, signal.SIGTERM),
    "files of the account": lambda: open("token").read(),
}
def attacked(*words, **named):
    for name, attempt in tries.items():
        try:
            attempt()
            os.write(2, f"it can {name}\\n".encode())
        except OSError as error:
            pass
    return evaluates(*words, **named)
"""
_ATTACK = "pool_source.pool_of = attacked\n"
_RUN = "from htcq.__main__ import main\nmain()\n"
_UNREADABLE = "from htcq.operations import rungs; rungs._can_be_listed = lambda place: False\n"


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory with a snapshot and a site's files that every account can read."""
    with tempfile.TemporaryDirectory(prefix="htcq-commands-") as name:
        found = Path(name)
        found.chmod(0o755)
        snapshot = found / "snap"
        snapshot.mkdir()
        central = negotiator(
            LastNegotiationCycleEnd0=SECONDS - 60,
            MyCurrentTime=SECONDS - 5,
            LastHeardFrom=SECONDS - 5,
        )
        (snapshot / "collector.ads").write_text("\n".join((*ADS, central)))
        (snapshot / "jobs.ads").write_text("\n".join(JOBS))
        (snapshot / "config.txt").write_text(CONFIG)
        (snapshot / "meta.json").write_text(json.dumps({"schema": 1, "taken": TAKEN}))
        (found / "elastic.toml").write_text(QUOTAS)
        (found / "groups.toml").write_text(
            "[groups.physics]\nquota = 6\n[groups.chem]\nquota = 10\n"
        )
        (found / "sweep.toml").write_text('[grid]\nset = ["GROUP_QUOTA_physics=6"]\n')
        (found / "conf").mkdir()
        (found / "token").write_text("of this account")
        (found / "token").chmod(0o600)
        yield found


def ran(
    place: Path, before: str, command: str, *more: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    words = ["htcq", *command.split(), *COMMANDS[command], *more]
    code = before + f"import sys\nsys.argv = {words!r}\n" + _RUN
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("HTCQ_UNCONFINED", None)
    return subprocess.run(
        [*readable_python(place), sys.executable, "-c", code],
        capture_output=True, text=True, cwd=place, timeout=120, check=False,
        env={**environment, **variables},
    )  # fmt: skip


def files_of(place: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(place)): each.read_bytes()
        for each in sorted(place.rglob("*"))
        if each.is_file() and "real" not in each.relative_to(place).parts
    }


def begin_anew(place: Path) -> None:
    """Remove what is written only if it is not there yet."""
    for each in (
        place / "drift.db",
        place / "weights.toml",
        *(place / "conf").iterdir(),
        *place.glob("results/*"),
    ):
        each.unlink(missing_ok=True)


def without_plan(text: str) -> str:
    """Return ``text`` without the id of a plan, which begins with the time."""
    return re.sub(r"\d{8}T\d{6}Z-[0-9a-f]+", "PLAN", text)


@on_every_command
def test_an_attacker_in_the_evaluation_can_do_nothing(command: str, place: Path) -> None:
    honest = ran(place, "", command)
    files = files_of(place)
    begin_anew(place)
    attacked = ran(place, _BEGIN + _ATTACK, command)

    assert "it can" not in attacked.stderr
    assert without_plan(attacked.stdout) == without_plan(honest.stdout)
    assert attacked.stderr == honest.stderr
    assert attacked.returncode == honest.returncode
    assert files_of(place).keys() == files.keys()


@as_root
@on_single_ones
def test_root_refuses_it_where_it_cannot_be_confined(command: str, place: Path) -> None:
    before = files_of(place)
    refused = ran(place, _UNREADABLE, command)

    assert (refused.returncode, refused.stdout) == (3, "")
    assert refused.stderr.startswith("htcq: root evaluates no ads where that cannot be confined")
    assert files_of(place) == before


@as_root
@on_single_ones
def test_an_option_and_a_variable_let_it_go_on(command: str, place: Path) -> None:
    honest = ran(place, "", command)
    for more, variables in ((("--unconfined",), {}), ((), {"HTCQ_UNCONFINED": "1"})):
        begin_anew(place)
        done = ran(place, _UNREADABLE, command, *more, **variables)

        assert (done.returncode, done.stderr) == (honest.returncode, honest.stderr)


@as_root
def test_root_runs_no_item_of_a_sweep_where_it_cannot_be_confined(place: Path) -> None:
    refused = ran(place, _UNREADABLE, "simulate")

    assert "root evaluates no ads where that cannot be confined" in refused.stdout
    assert refused.stdout.endswith("1 item failed, 0 have a result\n")
    begin_anew(place)
    done = ran(place, _UNREADABLE, "simulate", "--unconfined")
    assert (done.returncode, done.stderr) == (0, "")


def test_no_pool_is_read_where_the_evaluation_is_not_confined() -> None:
    """Those that act on a live pool as well, which these tests have not."""
    #: It is read by what the confined process of the command calls.
    by_others = {"operations/observe_quotas.py"}
    for path in sorted((ROOT / "htcq").rglob("*.py")):
        text, name = path.read_text(), str(path.relative_to(ROOT / "htcq"))
        if "read_open(" in text and name not in by_others:
            assert "evaluated_from(" in text or "confine_to(" in text, name


_ENDS = "def attacked(*words, **named):\n    os._exit(0)\n" + _ATTACK


def test_an_evaluation_that_ends_without_a_word_is_an_error(place: Path) -> None:
    """Else whoever takes it over would end the loop of elastic quotas, or a sweep, with status 0."""
    for command in ("elastic plan", "drift check", "plan"):
        done = ran(place, _BEGIN + _ENDS, command)

        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == "htcq: snap: the process that evaluates it ended without a record\n"


def test_a_step_of_other_groups_is_not_taken(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forged(*words: Any) -> Any:
        found: Any = evaluated_from(*words)
        found["given"]["static"][0]["group"] = "x\ninclude command : /bin/false"
        return found

    monkeypatch.setattr(observe_and_plan, "evaluated_from", forged)
    declared = read_declared(str(place / "elastic.toml"), "", str(place), None)
    source = Source(snapshot=str(place / "snap"))
    with pytest.raises(RefusedError, match="which is not declared"):
        observe_and_plan.observe_and_plan(source, declared, JournalState(), None, SECONDS)


# What it hands over
# --------------------------------------------------------------------------------------------------


def test_a_plan_of_other_groups_is_not_proposed(
    place: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configuration management would install what the file says."""

    def forged(*words: Any) -> Any:
        found: Any = evaluated_from(*words)
        found["plan"]["groups"][0]["group"] = "x\ninclude command : /bin/false"
        return found

    monkeypatch.chdir(place)
    monkeypatch.setattr(pool_source, "evaluated_from", forged)
    done = call("elastic", "plan", *COMMANDS["elastic plan"])

    assert done.status != 0
    assert "which is not declared" in done.err
    assert not (place / "proposed").exists()
