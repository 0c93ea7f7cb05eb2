"""numpy is installed with htcq, and what runs on execution points never imports it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
#: Runs htcq, and ends at once where anything looks for numpy, also where it would do without.
_PROGRAM = """
import os, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numpy":
            os._exit(97)

sys.meta_path.insert(0, Blocked())
from htcq.__main__ import main
sys.exit(main())
"""


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=place, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "CONDOR_CONFIG": "/dev/null", "HTCQ_UNCONFINED": "1"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    facts = {"cpus": 8, "memory_mb": 16384, "disk_kb": 20_000_000, "gpus": 2}
    (tmp_path / "node.json").write_text(json.dumps(facts))
    return tmp_path


MODELS = (
    "--model linear",
    "--model quantized",
    "--model minimum-charge",
    "--claims 4",
    "--preset simple",
)


@pytest.mark.parametrize(
    "line",
    [
        "probe --json",
        "plan --config /dev/null",
        *(f"plan --node node.json --config /dev/null {model}" for model in MODELS),
        *(f"emit --node node.json --config /dev/null {model}" for model in MODELS),
        *(
            f"emit --role {role} --node node.json --config /dev/null"
            for role in ("access", "central")
        ),
        "emit --node node.json --config /dev/null --write configuration",
    ],
)
def test_what_runs_on_execution_points_never_imports_numpy(line: str, place: Path) -> None:
    (place / "configuration").mkdir()
    done = run(place, *line.split())

    assert (done.returncode, "numpy" in done.stderr) == (0, False), done.stderr
    assert done.stdout or "written" in done.stderr


def test_an_import_would_be_seen(place: Path) -> None:
    """A simulated cycle looks for numpy."""
    snapshot = ROOT / "tests/golden/negotiation-2/sid-site-0"
    done = run(place, "simulate", "--snapshot", str(snapshot))

    assert done.returncode == 97


def test_numpy_is_installed_with_htcq() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert "numpy" in {Requirement(each).name for each in project["dependencies"]}
    assert project["optional-dependencies"] == {"columns": []}
