"""The distribution: what is in it, and that it works where it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from htcq import __version__
from htcq.templating import template_directory

ROOT = Path(__file__).resolve().parents[2]
NODE = {"cpus": 8, "memory_mb": 16384, "disk_kb": 20_000_000}
#: Makes ``import htcondor2`` and ``import classad2`` fail as on a machine that lacks them.
WITHOUT_BINDINGS = "import sys\nsys.modules['htcondor2'] = sys.modules['classad2'] = None\n"


def _run(*command: str, path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CONDOR", "_CONDOR"))
    }
    environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=cwd, env=environment
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the wheel and the source distribution."""
    place = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(place), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return place


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds the installed wheel and nothing else."""
    place = tmp_path_factory.mktemp("site")
    wheel = next(built.glob("*.whl"))
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        "--target",
        str(place),
    ]
    done = subprocess.run([*command, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture
def node(tmp_path: Path) -> str:
    """A file of node facts."""
    (tmp_path / "node.json").write_text(json.dumps(NODE))
    return "node.json"


def _files(below: str, pattern: str) -> list[str]:
    return sorted(
        str(path.relative_to(ROOT / below))
        for path in (ROOT / below).rglob(pattern)
        if path.is_file()
    )


@pytest.mark.install
def test_the_wheel_holds_templates_schemas_and_manual_pages(built: Path) -> None:
    names = zipfile.ZipFile(next(built.glob("*.whl"))).namelist()

    assert len(_files("templates", "*.j2")) >= 3
    assert [
        name for name in _files("templates", "*.j2") if f"htcq/templates/{name}" not in names
    ] == []
    assert [
        name for name in _files("schemas", "*.json") if f"htcq/schemas/{name}" not in names
    ] == []
    for page in _files("man", "*.[157]"):
        assert f"htcq-{__version__}.data/data/share/man/{page}" in names
    assert "htcq/py.typed" in names
    assert [name for name in names if name.startswith(("tests/", "contrib/"))] == []


@pytest.mark.install
def test_the_source_distribution_can_be_tested_and_built_from(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    wanted = {"pyproject.toml", "LICENSE", "htcq/cli/main.py", "tests/test_units.py"}
    wanted |= {f"templates/{name}" for name in _files("templates", "*.j2")}
    wanted |= {f"schemas/{name}" for name in _files("schemas", "*.json")}
    wanted |= {f"man/{page}" for page in _files("man", "*.[157]")}
    assert wanted - names == set()


@pytest.mark.install
def test_the_installed_command_emits(installed: Path, node: str, tmp_path: Path) -> None:
    """From a directory that knows nothing of the checkout: the version, and the same text as the checkout's."""
    version = _run(sys.executable, "-m", "htcq", "--version", path=installed, cwd=tmp_path)
    emitted = _run(
        sys.executable, "-m", "htcq", "emit", "--node", node, path=installed, cwd=tmp_path
    )
    checkout = _run(sys.executable, "-m", "htcq", "emit", "--node", node, path=ROOT, cwd=tmp_path)

    assert version.stdout == f"htcq {__version__}\n"
    assert (emitted.returncode, emitted.stderr) == (0, "")
    assert emitted.stdout == checkout.stdout
    assert "SLOT_WEIGHT = " in emitted.stdout


@pytest.mark.install
def test_the_installed_templates_are_the_packages_own(installed: Path, tmp_path: Path) -> None:
    program = "from htcq.templating import template_directory; print(template_directory())"
    found = _run(sys.executable, "-c", program, path=installed, cwd=tmp_path)

    assert found.stdout.strip() == str(installed / "htcq" / "templates")


def test_a_checkout_has_its_templates_beside_it() -> None:
    assert (ROOT / "templates").samefile(template_directory())


@pytest.fixture
def without_bindings(tmp_path: Path) -> Path:
    """A directory that, first on the path, hides HTCondor's bindings."""
    place = tmp_path / "hidden"
    place.mkdir()
    program = f"{WITHOUT_BINDINGS}sys.path.insert(0, {str(ROOT)!r})\n"
    (place / "sitecustomize.py").write_text(program)
    return place


def test_htcq_and_its_probe_work_without_bindings(without_bindings: Path, tmp_path: Path) -> None:
    imported = _run(
        sys.executable,
        "-c",
        "import htcq; print(htcq.__version__)",
        path=without_bindings,
        cwd=tmp_path,
    )
    probed = _run(
        sys.executable,
        "-m",
        "htcq",
        "probe",
        "--json",
        "--execute",
        "/",
        path=without_bindings,
        cwd=tmp_path,
    )

    assert imported.stdout == f"{__version__}\n"
    assert probed.returncode == 0, probed.stderr
    assert json.loads(probed.stdout)["cpus"] >= 1


@pytest.mark.parametrize("command", ["plan", "emit"])
def test_what_needs_the_bindings_says_so(
    command: str, without_bindings: Path, node: str, tmp_path: Path
) -> None:
    done = _run(
        sys.executable, "-m", "htcq", command, "--node", node, path=without_bindings, cwd=tmp_path
    )

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("htcq: HTCondor's Python bindings are missing")
    assert "pip install htcondor" in done.stderr
    assert done.stderr.count("\n") == 1
