"""Commands that are not there to write write nothing without an option that says so: real processes, each open watched."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from htcq.cli.main import COMMANDS
from htcq.elastic.journal import PoolSeen
from htcq.store.elastic_journal import Journal
from tests.cli.conftest import NODE, ROOT
from tests.cli.test_confined import readable_python
from tests.cli.test_confined_commands import files_of
from tests.cli.test_confined_commands import place as place
from tests.docs.documents import ROOT as HERE
from tests.elastic.writing import written

SNAPSHOT = ("--snapshot", "snap")
NODE_FILE = ("--node", "node.json")
QUOTAS = ("--quotas", "elastic.toml")
NOWHERE = ("--pool", "127.0.0.1:9", "--timeout", "2")
#: What is there to write, by name; `elastic run` is not without --yes.
WRITERS = {
    "snapshot", "report", "drift record", "drift prune", "elastic apply", "elastic on", "elastic off",
    "elastic rollback", "elastic disable", "elastic reclaim",
}  # fmt: skip
#: All others, each as it is used.
READERS = {
    "probe": ("--json",),
    "plan": (*SNAPSHOT, "--jobs", "snap"),
    "emit": NODE_FILE,
    "status": SNAPSHOT,
    "cost": SNAPSHOT,
    "quota": SNAPSHOT,
    "quota emit": ("--config", "groups.toml"),
    "quota lint": ("--config", "groups.toml"),
    "simulate": SNAPSHOT,
    "why": (*SNAPSHOT, "--all"),
    "migrate": (*SNAPSHOT, "--model", "model.toml"),
    "audit": SNAPSHOT,
    "elastic compute": (*QUOTAS, "--demand", "demand.json"),
    "elastic status": (*QUOTAS, *SNAPSHOT),
    "elastic plan": (*QUOTAS, *SNAPSHOT),
    "elastic run": (*QUOTAS, "--once", *NOWHERE),
    "drift report": ("--store", "none.db"),
    "drift check": (*SNAPSHOT, "--max-age", "1h"),
    "config": ("check", "--config", "groups.toml"),
    "explain": (),
}
_WATCH = """
import os, sys
own = os.environ["TMPDIR"]
def note(path):
    path = os.path.abspath(os.fsdecode(path)) if isinstance(path, (str, bytes)) else own
    if path != "/dev/null" and not path.startswith((own, "/proc/")):
        os.write(2, f"changed: {path}\\n".encode())
def watch(event, found):
    if event == "open":
        flags = found[2] or 0
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            note(found[0])
    elif event in ("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.utime"):
        note(found[0])
    elif event in ("os.rename", "os.link", "os.symlink"):
        note(found[1])
sys.addaudithook(watch)
"""
_RUN = "from htcq.__main__ import main\nmain()\n"


def ran(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    own = place / "real-tmp"
    own.mkdir(exist_ok=True)
    code = f"{_WATCH}sys.argv = {['htcq', *words]!r}\n{_RUN}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*readable_python(place), sys.executable, "-c", code],
        capture_output=True, text=True, cwd=place, timeout=120, check=False,
        env={**environment, "TMPDIR": str(own), "HOME": str(place)},
    )  # fmt: skip


@pytest.fixture
def site(place: Path) -> Path:
    import json

    (place / "node.json").write_text(json.dumps(NODE))
    (place / "model.toml").write_text('[capacity]\nmodel = "linear"\nweights = { cpus = 1 }\n')
    (place / "demand.json").write_text('{"total": {"cpus": 20}}')
    for record in written(1, {}, time=1.0, path="none", fallback="", seen=PoolSeen(1, 1, 1.0)):
        Journal(place / "journal").append(record)
    return place


def test_every_command_is_there_to_write_or_is_tried() -> None:
    known = set()
    for command in COMMANDS:
        actions = getattr(importlib.import_module(f"htcq.cli.{command}"), "ACTIONS", ())
        known |= {f"{command} {action}" for action in actions} or {command}
    # What these do without an action, and the one action of config.
    known = {*known, "quota", "config"} - {"config check"}

    assert {*WRITERS, *READERS} == known
    text = (HERE / "SECURITY.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^Some commands are there to write: ([^.]*)\.", text, re.MULTILINE)
    alone, _, of_elastic = " ".join(told.split()).partition("`elastic` with ")
    elastic = {f"elastic {name}" for name in re.findall(r"`(\w+)`", of_elastic)}
    assert {*re.findall(r"`([\w ]+)`", alone), *elastic} == WRITERS


@pytest.mark.parametrize("command", READERS)
def test_nothing_is_written(command: str, site: Path) -> None:
    before = files_of(site)
    done = ran(site, *command.split(), *READERS[command])

    assert "changed: " not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 3), done.stderr
    assert files_of(site) == before


def test_what_an_option_has_written_is_seen(site: Path) -> None:
    """Else the test above could not fail."""
    done = ran(site, "emit", *NODE_FILE, "--write", "conf")

    assert done.returncode == 0, done.stderr
    assert f"changed: {site.resolve()}/conf/" in done.stderr
