"""The example of a site's own rules, installed as its README says: htcq finds it, explains it, and sees its finding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit.sites import collected, job, slot

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "contrib/site_rules"
RULE = "site-jobs-without-group"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds the installed example and nothing else."""
    place = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--quiet",
    ]
    done = subprocess.run(
        [*command, "--target", str(place), str(EXAMPLE)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return place


def htcq(installed: Path, place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{installed}",
        "CONDOR_CONFIG": os.devnull,
    }
    command = [sys.executable, "-m", "htcq", *arguments]
    return subprocess.run(
        command,
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.install
def test_its_finding_is_seen(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "collector.ads").write_text(collected([slot()]))
    jobs = [job("1.0"), job("1.1"), job("2.0", AccountingGroup='"physics.bob"', User='"bob@site"')]
    (tmp_path / "jobs.ads").write_text("\n".join(jobs))
    done = htcq(installed, tmp_path, "audit", "--snapshot", ".", "--only", "site-*", "--json")
    (finding,) = json.loads(done.stdout)["findings"]

    assert (finding["rule"], finding["severity"], finding["count"]) == (RULE, "warning", 2)
    assert finding["message"] == "user ada@site has 2 jobs without an accounting group"


@pytest.mark.install
def test_it_is_explained(installed: Path, tmp_path: Path) -> None:
    done = htcq(installed, tmp_path, "explain", RULE)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{RULE} (site, warning)\n")


@pytest.mark.install
def test_nothing_was_built_into_the_checkout(installed: Path) -> None:
    assert installed.is_dir()
    assert not [
        path
        for path in EXAMPLE.rglob("*")
        if path.name in ("build", "dist") or path.suffix == ".egg-info"
    ]
