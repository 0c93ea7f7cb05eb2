"""Every test of the command line runs in an empty directory, on a machine without HTCondor's configuration."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from htcq.cli.main import run
from htcq.errors import NESTED_VARIABLE
from tests.schemas.validation import objections, schema_of

ROOT = Path(__file__).resolve().parents[2]
NODE = {"cpus": 8, "memory_mb": 16384, "disk_kb": 20_000_000, "custom": {"actuators": 4}}


@dataclass(frozen=True)
class Done:
    """What a command left behind: its exit status and what it wrote."""

    status: int
    out: str
    err: str


Call = Callable[..., Done]

#: What only root can try: to be another account, or to be refused.
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be anybody, or be refused")


def open_to_all(place: Path) -> None:
    """Let every account list ``place`` and the directories above it that are below that of temporary files."""
    temporary = Path(tempfile.gettempdir())
    for each in (place, *place.parents):
        if temporary in each.parents:
            each.chmod(0o755)


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to an empty directory that holds node.json alone, without any variable that HTCondor or htcq reads."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "node.json").write_text(json.dumps(NODE))
    monkeypatch.chdir(place)
    for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("CONDOR_CONFIG", raising=False)
    monkeypatch.delenv(NESTED_VARIABLE, raising=False)
    return place


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Run htcq in this process and return what it left behind; JSON is what its schema says."""

    def called(*arguments: str) -> Done:
        capfd.readouterr()
        status = run(arguments)
        out, err = capfd.readouterr()
        if {"--json", "-json"}.intersection(arguments) and out.startswith(("{", "[")):
            assert objections(schema_of(list(arguments)), json.loads(out)) == []
        return Done(status, out, err)

    return called


@pytest.fixture
def command(quiet_place: Path) -> Call:
    """Run htcq as a process of its own, after the words ``before``."""

    def ran(*arguments: str, before: tuple[str, ...] = (), **environment: str) -> Done:
        done = subprocess.run(
            [*before, sys.executable, "-m", "htcq", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=quiet_place,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return ran


def names(directory: Path) -> list[str]:
    """Return the names of everything in ``directory``."""
    return sorted(path.name for path in directory.iterdir())


def listing(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return every file below ``directory`` with mode, time and content."""
    return {
        str(path.relative_to(directory)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes(),
        )
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }
