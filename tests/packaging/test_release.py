"""A release: the same commit gives the same bytes, and its bill of materials is one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from htcq import __version__

ROOT = Path(__file__).resolve().parents[2]
SBOM = ROOT / "contrib/release/sbom.py"
#: A commit's time, in seconds since 1970.
EPOCH = "1795000000"


def test_a_release_has_one_version_and_its_changes() -> None:
    module = json.loads((ROOT / "contrib/puppet/htcq/metadata.json").read_text())
    (newest,) = re.findall(
        r"\A(?:(?!^## ).*\n)*## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )

    assert module["version"] == __version__
    assert newest in (__version__, "Unreleased")
    assert f"version {__version__} " in (ROOT / "docs/support.md").read_text()


def tracked() -> list[str]:
    """Return the names of the files that a checkout has."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def built(place: Path, umask: int, touched: int) -> dict[str, bytes]:
    """Build from a copy of the checkout in ``place``, made with that umask, whose files are of that time."""
    for name in tracked():
        path = place / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, path)
        path.chmod(0o666 & ~umask | ((ROOT / name).stat().st_mode & 0o100))
        os.utime(path, (touched, touched))
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        str(place / "dist"),
        "checkout",
    ]
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False, umask=umask,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in (place / "dist").iterdir()}


@pytest.mark.install
def test_wheel_and_source_distribution_are_the_same_wherever_and_whenever_they_are_built(
    tmp_path: Path,
) -> None:
    first = built(tmp_path / "here", 0o022, 1_700_000_000)
    second = built(tmp_path / "a/longer/way/to/there", 0o077, 1_790_000_001)

    assert len(first) == 2
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    command = [sys.executable, str(SBOM)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
    )
    assert (
        done.stdout
        == subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
        ).stdout
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_bill_of_materials_is_one_by_its_schema(bill: dict[str, Any]) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_5).validate_str(json.dumps(bill)) is None
    assert (
        JsonStrictValidator(SchemaVersion.V1_5).validate_str(json.dumps({**bill, "version": "x"}))
        is not None
    )


def test_the_bill_of_materials_tells_what_runs_from_what_tests(bill: dict[str, Any]) -> None:
    scopes = {each["name"]: each["scope"] for each in bill["components"]}
    needs = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}

    assert {"htcondor", "jinja2", "markupsafe", "rich", "psutil"} <= {
        name for name, scope in scopes.items() if scope == "required"
    }
    assert (scopes["pytest"], scopes["hatchling"]) == ("excluded", "excluded")
    assert "markupsafe" in needs["jinja2"]
    assert bill["metadata"]["timestamp"] == "2026-11-18T11:06:40Z"
