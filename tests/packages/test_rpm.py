"""The RPMs of Enterprise Linux 9 in a root directory with a real Python 3.9: installed, at work, upgraded, removed.

Enterprise Linux itself is not at hand. Empty RPMs with the names of its packages stand for what the root has anyway:
Python and systemd of Debian 11, jinja2 and HTCondor's bindings from wheels. What is recommended is not there."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from htcq import __version__
from tests.packages.building import ENVIRONMENT, NEXT, OWNERS, PLACES, ROOT, Packages, Root

MODULES = "usr/local/lib/python3.9/dist-packages"
SITE_FILE = "etc/htcq/htcq.toml"
SNAPSHOT = ROOT / "tests/golden/negotiation-2/sid-site-0"
#: The packages of Enterprise Linux, and what they provide.
STUBS = {
    "python3": ("/usr/bin/python3", "python(abi) = 3.9"),
    "python3-condor": (),
    "python3-jinja2": (),
    "python3-numpy": (),
    "python3-tomli": ("python3.9dist(tomli)",),
    "bash": ("/bin/sh",),
    "systemd": (),
}
VERSIONS = {"python3-condor": "25.0.1", "python3-jinja2": "2.11.3"}
#: Modules of what is recommended only.
WEAK = ("psutil", "pynvml.py", "rich")
NEEDED = ("classad2", "htcondor2", "jinja2", "markupsafe", "numpy", "tomli")
pytestmark = pytest.mark.packages


def stubs(place: Path) -> list[Path]:
    """Build the empty RPMs."""
    for name, provides in STUBS.items():
        lines = [
            f"Name: {name}", f"Version: {VERSIONS.get(name, '9')}", "Release: 1", "Summary: stub",
            "License: none", "BuildArch: noarch", *(f"Provides: {each}" for each in provides),
            "%description", "stub", "%files",
        ]  # fmt: skip
        spec = place / f"{name}.spec"
        spec.write_text("\n".join(lines) + "\n")
        subprocess.run(
            ["rpmbuild", "-bb", "--quiet", "--define", f"_topdir {place}", str(spec)],
            check=True, capture_output=True,
        )  # fmt: skip
    return sorted(place.glob("RPMS/noarch/*.rpm"))


class Rpm:
    """The rpm of this machine at work in a root directory."""

    def __init__(self, root: Root) -> None:
        self.root = root

    def __call__(self, *arguments: str, complaint: str = "") -> str:
        """Run rpm, expect ``complaint`` on its standard error, and return what it prints."""
        # systemd's tools, which scriptlets run, look at /proc. The mount ends with the shell.
        mounted = 'mount -t proc proc "$1/proc" && exec rpm --force-debian --root "$@"'
        command = ["unshare", "--mount", "sh", "-ec", mounted, "rpm", str(self.root.path)]
        done = subprocess.run(
            [*command, "--dbpath", "/var/lib/rpm", *arguments],
            env=ENVIRONMENT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, complaint)
        return done.stdout

    def install(self, packages: Packages, version: str) -> None:
        """Install or upgrade both packages."""
        names = ("htcq", "htcq-timers")
        self("-U", *(str(packages.found(f"{n}-[0-9]*.el9.noarch.rpm", version)) for n in names))
        assert self.root.run("htcq", "--version") == f"htcq {version}\n"


@pytest.fixture
def root(copy_of: Callable[[str], Root]) -> Root:
    """A root directory whose Python looks for modules where that of Enterprise Linux does."""
    made = copy_of("bullseye")
    for name in WEAK:
        for path in made.path.glob(f"{MODULES}/{name}"):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    (made.path / MODULES / "el.pth").write_text("/usr/lib/python3.9/site-packages\n")
    # What Enterprise Linux's own packages have: these directories, and compiled modules.
    for name in ("usr/lib/python3.9/site-packages", "usr/lib/systemd/system", "usr/share/licenses"):
        (made.path / name).mkdir(parents=True, exist_ok=True)
    made.run("python3", "-m", "compileall", "-q", *(f"/{MODULES}/{name}" for name in NEEDED))
    return made


def test_the_life_of_an_rpm(root: Root, packages: Packages, tmp_path: Path) -> None:
    rpm = Rpm(root)
    rpm("-i", *map(str, stubs(tmp_path)))
    before = root.files()

    rpm.install(packages, __version__)
    at_work(root)
    owners = root.run("stat", "--format=%n %U %a", *PLACES)
    assert owners == OWNERS
    assert list(root.path.glob("etc/systemd/system/*/htcq*")) == []
    rpm("-e", "htcq-timers", "htcq")
    assert root.files() - before == set()

    rpm.install(packages, __version__)
    with (root.path / SITE_FILE).open("a") as site:
        site.write("# of this site\n")
    rpm.install(packages, NEXT)
    assert (root.path / SITE_FILE).read_text().endswith("# of this site\n")
    assert rpm("-V", "htcq-timers") == ""
    root.run("systemctl", "enable", "htcq-drift.timer")
    saved = f"warning: /{SITE_FILE} saved as /{SITE_FILE}.rpmsave\n"
    rpm("-e", "htcq-timers", "htcq", complaint=saved)
    assert root.files() - before == {"etc/htcq", f"{SITE_FILE}.rpmsave"}
    assert before - root.files() == set()


def at_work(root: Root) -> None:
    """Let the installed htcq do what needs none of the recommended packages."""
    shutil.copytree(SNAPSHOT, root.path / "tmp/snapshot")
    (root.path / "tmp/node.json").write_text('{"cpus": 8, "memory_mb": 16384, "disk_kb": 20000000}')
    assert "ModuleNotFoundError" in root.run("python3", "-c", "import psutil", status=1)
    assert "SLOT_WEIGHT = " in root.run("htcq", "emit", "--node", "/tmp/node.json")
    # Without psutil HTCondor's tools tell the machine's facts, and they are not here.
    (said,) = root.run("htcq", "probe", status=3).splitlines()
    assert said.startswith("htcq: no authority could tell the number of cpus (install psutil")
    for command in ("audit --fail-on never", "quota", "simulate", "why --all"):
        root.run("htcq", *command.split(), "--snapshot", "/tmp/snapshot")
    shown = root.run("script", "-qec", "htcq quota --snapshot /tmp/snapshot", "/dev/null")
    assert "GROUP " in shown
